"""A page of the language, taken apart: sections, their files, and what they expect.

A heading begins a section.  A fenced block is a file, or says what comes of the files:

- `ft`, `py`, `json`, `jinja`: a file, named by a line such as `` `base.ft`: `` before it; a `ft`
  block without a name is the spec that is compiled.
- `args`: options of the command line.
- `diagnostics`: the report as text, a snapshot.
- `script`: lines that occur in the script, in this order.
- `show`, `show --origins`: what that command of `ftc` prints, a snapshot.

Marks at line ends, `# error: FT201`, name every diagnostic, with its code and line; one that stands
alone is for the line below.  A comment
`<!-- not yet: why -->` in a section says that the compiler does not keep its word so far; the test
then demands that it fails, so the comment goes when the word is kept.
"""

from __future__ import annotations

import re
from pathlib import Path

from ftlang.record import Record, replaced

ENTRY = "spec.ft"
FILES = ("ft", "py", "json", "jsonl", "jinja")
RESULTS = ("diagnostics", "script", "show")
_NAME = re.compile(r"`([^`]+)`:\s*\Z")
_MARK = re.compile(r"#((?:\s*(?:error|warning|note): FT\d{3},?)+)\s*\Z")
_ONE = re.compile(r"(error|warning|note): (FT\d{3})")
_NOT_YET = re.compile(r"<!-- not yet: (.+) -->\Z")
_ALMOST = re.compile(r"#\s*(error|warning|note)\b:", re.IGNORECASE)


class Wrong(Exception):
    """A page that cannot be run as it stands; says where."""


class Fence(Record):
    """A fenced block: `line` is that of its first line of text, counted from 1.

    `options` are the words after its kind, `name` the file's.  `number` is its place among the
    blocks of the page, which stays when blocks above it grow.
    """

    kind: str
    options: tuple[str, ...]
    name: str
    text: str
    line: int
    number: int


class Case(Record):
    """One spec of a section, the options it is compiled with, and what must come of it.

    `entry` is the name of its file; `results` are the blocks that show what comes of it; `not_yet`
    says why it fails, where that is known.
    """

    page: Path
    heading: str
    line: int
    files: dict[str, str]
    entry: str
    args: str
    results: tuple[Fence, ...]
    not_yet: str = ""

    @property
    def place(self) -> str:
        """Where a failure is to be mended."""
        return f"{self.page.name}:{self.line}, “{self.heading}”"


def cases(page: Path) -> list[Case]:
    """Every case of a page; raises Wrong for blocks that do not fit together."""
    found: list[Case] = []
    for heading, fences, not_yet in _sections(page):
        try:
            found += [replaced(c, not_yet=not_yet) for c in _of_section(page, heading, fences)]
        except Wrong as problem:
            raise Wrong(f"{page.name}, “{heading}”: {problem}") from None
    return found


def marks(text: str) -> list[tuple[int, str, str]]:
    """The marks of a text: line (from 1), severity and code; raises Wrong for a misspelt one."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        match = _MARK.search(line)
        if match is not None:
            of = number if line[: match.start()].strip() else number + 1
            found += [(of, kind, code) for kind, code in _ONE.findall(match[1])]
        elif _ALMOST.search(line):
            raise Wrong(f"not a mark such as `# error: FT201`: {line.strip()}")
    return found


def updated(page: Path, fence: Fence, text: str) -> None:
    """Writes the page with another text in one of its blocks."""
    now = [f for _, fences, _ in _sections(page) for f in fences][fence.number]
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    first = now.line - 1
    last = first + len(now.text.splitlines())
    lines[first:last] = [text.rstrip("\n") + "\n"] if text.strip() else []
    page.write_text("".join(lines), encoding="utf-8")


def in_order(wanted: str, script: str) -> str:
    """The first line that does not follow, or nothing if all lines do."""
    lines = iter([each.strip() for each in script.splitlines()])
    for each in wanted.splitlines():
        if each.strip() and each.strip() not in lines:
            return each.strip()
    return ""


def _sections(page: Path) -> list[tuple[str, list[Fence], str]]:
    """Each section's heading, its blocks, and why it fails so far."""
    sections: list[tuple[str, list[Fence], str]] = [(page.stem, [], "")]
    lines = page.read_text(encoding="utf-8").splitlines()
    at, before, number = 0, "", 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if re.match(r"#{1,6} ", line):
            sections.append((line.lstrip("#").strip(), [], ""))
        elif late := _NOT_YET.match(line):
            sections[-1] = (*sections[-1][:2], late[1])
        elif line.startswith("```"):
            if "```" not in lines[at:]:
                raise Wrong(f"{page.name}:{at}: this block is not closed")
            end = lines.index("```", at)
            named = _NAME.search(before)
            text = "".join(f"{each}\n" for each in lines[at:end])
            kind, *options = line[3:].split() or [""]
            name = named[1] if named else ""
            sections[-1][1].append(Fence(kind, tuple(options), name, text, at + 1, number))
            at, number = end + 1, number + 1
        before = line if line.strip() else before
        if line.startswith("```"):
            before = ""
    return sections


def _of_section(page: Path, heading: str, fences: list[Fence]) -> list[Case]:
    """Named files belong to every case; each unnamed spec, and each `args`, begins one."""
    shared: dict[str, str] = {}
    begun: list[tuple[Fence, list[Fence], list[Fence]]] = []
    for fence in fences:
        known = fence.kind in (*FILES, *RESULTS, "args")
        if not known or (fence.options and fence.kind != "show"):
            info = " ".join((fence.kind, *fence.options))
            raise Wrong(f"line {fence.line - 1}: `{info}` is no kind of block")
        if fence.kind in FILES and fence.name:
            if fence.name in shared:
                raise Wrong(f"`{fence.name}` is given twice")
            shared[fence.name] = fence.text
        elif fence.kind == "ft":
            begun.append((fence, [], []))
        elif fence.kind in FILES:
            raise Wrong(f"line {fence.line - 1}: name the file in a line `` `name`: `` before it")
        elif not begun:
            raise Wrong(f"line {fence.line - 1}: no spec stands before this block")
        elif fence.kind == "args" and (begun[-1][1] or begun[-1][2]):
            begun.append((begun[-1][0], [fence], []))
        else:
            begun[-1][1 if fence.kind == "args" else 2].append(fence)
    if shared and not begun:
        raise Wrong("files alone, and no spec that uses them")
    return [
        Case(
            page,
            heading,
            spec.line,
            {**shared, ENTRY: spec.text},
            ENTRY,
            args[0].text if args else "",
            tuple(results),
        )
        for spec, args, results in begun
    ]
