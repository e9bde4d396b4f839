"""Text to AST: tokens, words, brackets, recovery, tree."""

from __future__ import annotations

from ftlang.diagnostics import Diagnostic, in_order
from ftlang.source import SourceFile
from ftlang.syntax import ast, build
from ftlang.syntax.brackets import balanced
from ftlang.syntax.lexical import words
from ftlang.syntax.recover import tree
from ftlang.syntax.tokens import Token, tokens

__all__ = ["Token", "parse", "tokens"]

# Forms of other languages that are read as ours: they break nothing, so they hide nothing.
_HARMLESS = frozenset({"FT008", "FT009"})


def parse(
    source: SourceFile, pieces: list[Token] | None = None
) -> tuple[ast.File, list[Diagnostic]]:
    """The syntax tree of a text and its mistakes, in order; no text makes it raise.

    `pieces` are its tokens, where the caller has them.

    After mistakes the tree holds every entry that could be read, and `ast.Unreadable` in the
    place of a value that could not.
    """
    read, in_words = words(source, tokens(source) if pieces is None else pieces)
    read, in_brackets = balanced(source, read)
    found = in_words + in_brackets
    reported = sorted(each.span.start for each in found if each.code not in _HARMLESS)
    parsed, in_entries = tree(source, read, reported)
    if found or in_entries:
        from ftlang.syntax.yaml import yaml  # a right spec needs no look at what else it might be

        if foreign := yaml(source):
            return ast.File(source, ()), [foreign]
    return build.file(source, parsed), in_order(found + in_entries)
