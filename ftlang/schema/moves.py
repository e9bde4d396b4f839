"""The fix for a right name in the wrong block: one edit that takes its line into the other."""

from __future__ import annotations

from ftlang.diagnostics import Edit
from ftlang.names.tree import Given, Tree
from ftlang.source import Span


def moved(attr: Given, root: Tree, path: str, kind: str | None) -> Edit | None:
    """The edit that moves a field into the block `path` of a run, or None where it is unclear.

    A block that is missing is written out, with `kind` behind its name (None: it needs one and
    none is clear).  Nothing is moved between files or layers.
    """
    # The value may be a variable's, which stands elsewhere; what was written stands here.
    span = Span(attr.path.span.source, attr.path.span.start, attr.written.end)
    text = span.source.text
    if root.layer != attr.layer or root.span.source is not span.source:
        return None
    cut = _cut(text, span.start, span.end)
    entry = span.text
    put = _into_block(text, root, path, entry, kind)
    if put is None or cut[0] < put[0] < cut[1]:
        return None
    where, added = put
    if where <= cut[0]:
        new = added + text[where : cut[0]]
        return Edit(Span(span.source, where, cut[1]), new)
    return Edit(Span(span.source, cut[0], where), text[cut[1] : where] + added)


def _cut(text: str, start: int, end: int) -> tuple[int, int]:
    """What goes with an entry: its line where it stands alone, else the comma beside it."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    last = len(text) if last < 0 else last
    before, after = text[first:start], text[end:last]
    if not before.strip() and not after.strip():
        return first, min(last + 1, len(text))
    rest = after.lstrip(" \t")
    if rest.startswith(","):
        skipped = len(after) - len(rest[1:].lstrip(" \t"))
        return start, end + skipped
    kept = before.rstrip(" \t")
    if kept.endswith(","):
        return first + len(kept) - 1, end
    return (first + len(kept), end) if before.strip() else (start, end)


def _into_block(
    text: str, root: Tree, path: str, entry: str, kind: str | None
) -> tuple[int, str] | None:
    """Where the entry goes, and how it is written there."""
    at = root
    names = path.split(".") if path else []
    for depth, name in enumerate(names):
        inner = at.blocks.get(name)
        if inner is None:
            if kind is None or depth < len(names) - 1:
                return None
            head = f"{name} {kind}" if kind else name
            return _inside(text, at, f"{head} {{ {entry} }}")
        if inner.layer != root.layer:
            return None
        at = inner
    return _inside(text, at, entry)


def _inside(text: str, tree: Tree, entry: str) -> tuple[int, str] | None:
    """The place before a block's closing brace, on a line of its own where the block has lines."""
    if tree.bare:
        return tree.span.end, f" {{ {entry} }}"
    close = tree.span.end - 1
    if text[close : close + 1] != "}":
        return None
    line = text.rfind("\n", 0, close) + 1
    if tree.span.start < line and not text[line:close].strip():
        outer = text[line:close]
        return line, f"{outer}  {entry}\n"
    row = text[max(line, tree.span.start) : close]
    if "#" in row:
        return None
    content = text[tree.span.start : close].rstrip()
    comma = "" if content.endswith(("{", ",")) else ","
    return tree.span.start + len(content), f"{comma} {entry}"
