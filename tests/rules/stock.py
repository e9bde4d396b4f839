"""Completes the fragment of a page to a whole run."""

from __future__ import annotations

import re

from ftlang.source import SourceFile
from ftlang.syntax import ast, parse

STOCK = {
    "model": 'model { base = builtin("tiny-llama") }',
    "tune": "tune lora",
    "data": 'data { train = files("rows.jsonl") }',
    "method": "method sft",
}
REQUIRED = {"model": 'base = builtin("tiny-llama")', "data": 'train = files("rows.jsonl")'}
_DECLARED = ("use", "let", "param", "dataset", "template", "defaults", "profile")
_WORD = re.compile(r"[^\W\d]\w*(?=[ \t])")


def completed(fragment: str, name: str = "stock") -> str:
    """The declarations of the fragment, then a run with the rest and the blocks that it lacks.

    A text that declares a run is whole and comes back as it is.
    """
    lines = fragment.splitlines(keepends=True)
    words = [match[0] if (match := _WORD.match(line)) else "" for line in lines]
    if "run" in words:
        return fragment
    of_run = (i for i, word in enumerate(words) if word and word not in _DECLARED)
    start = next(of_run, len(lines))
    while start and lines[start - 1].startswith("#"):
        start -= 1  # a comment belongs to what follows it
    return "".join(lines[:start]) + _run("".join(lines[start:]), name)


def _run(fragment: str, name: str) -> str:
    """A run whose body is the fragment, with the stock blocks and required fields that it lacks."""
    source = SourceFile("fragment.ft", f"run {name} {{\n{fragment}\n}}\n")
    tree, _ = parse(source)
    body = tree.items[0].body if tree.items and isinstance(tree.items[0], ast.Block) else ()
    blocks = {e.name.text: e for e in body or () if isinstance(e, ast.Block)}
    text = source.text
    for family, field in REQUIRED.items():
        block = blocks.get(family)
        if block is None:
            continue
        given = {e.path.text for e in block.body or () if isinstance(e, ast.Attr)}
        if field.split(" = ")[0] not in given:
            old = block.span.text
            text = text.replace(old, old.replace("{", "{ " + field + ",", 1), 1)
    missing = [line for family, line in STOCK.items() if family not in blocks]
    return text.rstrip().removesuffix("}") + "\n".join(missing) + "\n}\n"
