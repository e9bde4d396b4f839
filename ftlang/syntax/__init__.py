"""Text to AST: tokens, recovery, messages, tree."""
