"""AST to resolved tree: files loaded, each path of a body set once, names known."""
