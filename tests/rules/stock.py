"""Completes the fragment of a rule's page to a whole run."""

from __future__ import annotations

from ftlang.source import SourceFile
from ftlang.syntax import ast, parse

STOCK = {
    "model": 'model { base = builtin("tiny-llama") }',
    "tune": "tune lora",
    "data": 'data { train = files("rows.jsonl") }',
    "method": "method sft",
}
REQUIRED = {"model": 'base = builtin("tiny-llama")', "data": 'train = files("rows.jsonl")'}


def completed(fragment: str, name: str = "stock") -> str:
    """A run whose body is the fragment, with the stock blocks and required fields that it lacks."""
    if any(word in fragment for word in ("run ", "dataset ", "use ", "let ")):
        return fragment
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
