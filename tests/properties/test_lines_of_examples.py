"""Each line of each spec of the repository, deleted, doubled and misspelt.

A change that makes a spec wrong is told of at the line, and a misspelt name is answered with the
right one.  `make test` takes a sample, `make test-full` all of them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

from ftlang.cli.fixes import ROUNDS, edited
from ftlang.compile import Options, analyse
from ftlang.diagnostics import Diagnostic, Severity
from ftlang.names.files import Loader
from ftlang.source import SourceFile
from ftlang.syntax import tokens
from tests.properties.full import SEED, tries

ROOT = Path(__file__).resolve().parents[2]
FILES = [
    path
    for pattern in ("examples/*/*.ft", "tests/golden/*/spec.ft", "tests/spec/jobs/*.ft")
    for path in sorted(ROOT.glob(pattern))
    if path.parent.name != "refused"
]
TEXTS = {path: path.read_text("utf-8") for path in FILES}
LOADER = Loader()  # what the specs use is read once
# What names of a file that is no longer used are: unknown, wherever they stand.
UNKNOWN_NAMES = {"FT116", "FT117", "FT123", "FT129", "FT136"}
OPENERS, CLOSERS = "{[(", "}])"


def errors(path: Path, text: str) -> list[Diagnostic]:
    """What is wrong with a changed spec; constructs that are only planned do not count."""
    module = LOADER.text(SourceFile(path.name, text, path))
    _, found = analyse(module, Options())
    wrong = [d for d in found if d.severity is Severity.ERROR and d.code != "FT501"]
    return [d for d in wrong if d.span.source.name == path.name]


def lines(found: list[Diagnostic]) -> set[int]:
    """Lines that the diagnostics point at, with their labels."""
    spans = [s for d in found for s in (d.span, *(label.span for label in d.labels))]
    return {line for s in spans for line in range(s.line, s.source.position(s.end)[0] + 1)}


def test_every_spec_is_right_to_begin_with() -> None:
    assert len(FILES) > 50
    assert {path.name: errors(path, TEXTS[path]) for path in FILES} == {p.name: [] for p in FILES}


def misspelt(name: str) -> Iterator[str]:
    """A letter left out, doubled, swapped with the one before it, and replaced."""
    at = len(name) // 2
    yield name[:at] + name[at + 1 :]
    yield name[:at] + name[at] + name[at:]
    yield name[: at - 1] + name[at] + name[at - 1] + name[at + 1 :]
    yield name[:at] + ("x" if name[at] != "x" else "k") + name[at + 1 :]


def names() -> list[tuple[Path, int, str, str]]:
    """Every name of four letters or more, where it stands, and how it is misspelt."""
    found = []
    for path in FILES:
        for token in tokens(SourceFile(path.name, TEXTS[path], path)):
            if token.type == "NAME" and len(token.text) >= 4:
                found += [(path, token.start, token.text, m) for m in misspelt(token.text)]
    return [one for one in found if one[2] != one[3]]


def test_a_misspelt_name_is_answered_with_the_right_one() -> None:
    """Or the spec is valid (a name that is free), or the name is declared there and used elsewhere.

    A use that no longer finds it is answered with the misspelt declaration.
    """
    cases = names()
    assert len(cases) > 4000
    sample = random.Random(SEED).sample(cases, tries(400, len(cases)))
    unanswered = []
    for path, start, name, wrong in sample:
        text = TEXTS[path]
        found = errors(path, text[:start] + wrong + text[start + len(name) :])
        if not found:
            continue
        line = text.count("\n", 0, start) + 1
        helped = [" ".join(d.help) for d in found]
        right = rf"\b{re.escape(name.removesuffix('s'))}s?\b"  # `1 step`, whatever was written
        here = any(re.search(right, h) for h in helped) and line in lines(found)
        elsewhere = all(re.search(rf"\b{re.escape(wrong)}\b", h) for h in helped)
        if not here and not elsewhere:
            unanswered.append((path.name, line, name, wrong, [(d.message, d.help) for d in found]))
    assert unanswered == [], f"seed {SEED}"


def entries() -> list[tuple[Path, int, str]]:
    """Every line that holds an entry: its file, its number from 0, its text."""
    return [
        (path, number, line)
        for path in FILES
        for number, line in enumerate(TEXTS[path].split("\n"))
        if line.strip() and not line.lstrip().startswith("#")
    ]


def closes(line: str) -> int:
    """How many more brackets a line opens than it closes."""
    bare = re.sub(r'"(\\.|[^"\\])*"|#.*', "", line)
    return sum(bare.count(c) for c in OPENERS) - sum(bare.count(c) for c in CLOSERS)


def declared(line: str) -> set[str]:
    """The names on a line: what is wrong elsewhere without it mentions one of them."""
    return set(re.findall(r"[^\W\d]\w*(?:-\w+)*", line))


def test_a_deleted_line_leaves_a_valid_spec_or_a_diagnostic_that_says_what_is_gone() -> None:
    cases = [case for case in entries() if '"""' not in TEXTS[case[0]]]
    sample = random.Random(SEED).sample(cases, tries(300, len(cases)))
    unsaid = []
    for path, number, line in sample:
        rows = TEXTS[path].split("\n")
        found = errors(path, "\n".join([*rows[:number], *rows[number + 1 :]]))
        if not found:
            continue
        if closes(line):
            continue  # a bracket without its partner: where it is told is tested in tests/syntax
        if line.startswith("use ") and {d.code for d in found} <= UNKNOWN_NAMES:
            continue
        words = declared(line)
        near = {n for n in lines(found) if abs(n - 1 - number) <= 1}
        said = any(words & declared(" ".join((d.message, *d.help, *d.notes))) for d in found)
        if not near and not said:
            unsaid.append((path.name, number + 1, line, [d.message for d in found]))
    assert unsaid == [], f"seed {SEED}"


def test_a_doubled_line_is_told_of_there() -> None:
    cases = entries()
    sample = random.Random(SEED + 1).sample(cases, tries(300, len(cases)))
    unsaid = []
    for path, number, line in sample:
        rows = TEXTS[path].split("\n")
        found = errors(path, "\n".join([*rows[: number + 1], *rows[number:]]))
        if not found:
            continue
        here = lines(found) & {number + 1, number + 2}
        if not here and not closes(line):
            unsaid.append((path.name, number + 1, line, [d.message for d in found]))
    assert unsaid == [], f"seed {SEED}"


def test_a_changed_line_never_raises() -> None:
    """With a bracket, an `=` or a quote less, or a character too many."""
    numbers = random.Random(SEED + 2)
    cases = entries()
    for path, number, line in numbers.choices(cases, k=tries(300, 6000)):
        at = numbers.randrange(len(line))
        new = numbers.choice(
            ["", "{", "}", "=", '"', "#", ",", ")", "[", "\\", "$", "0", "é", "\t"]
        )
        rows = TEXTS[path].split("\n")
        rows[number] = line[:at] + new + line[at + numbers.randrange(2) :]
        errors(path, "\n".join(rows))


SWAPS = [
    (" = ", ": "),
    ('"', "'"),
    ("true", "True"),
    ("none", "null"),
    ("Ki", "k"),
    ("%", " percent"),
    ("seqs", "rows"),
]
PIECES = ["", "{", "}", "=", '"', "#", ",", ")", "[", "'", ":", "$", "0", "True", "; ", "."]


def broken(numbers: random.Random) -> tuple[Path, str]:
    """A spec with one line changed as people change them by mistake."""
    path, number, line = numbers.choice(ENTRIES)
    rows = TEXTS[path].split("\n")
    if numbers.random() < 0.5:
        rows[number] = line.replace(*numbers.choice(SWAPS))
    elif numbers.random() < 0.5:
        at = numbers.randrange(len(line))
        rows[number] = line[:at] + numbers.choice(PIECES) + line[at + numbers.randrange(2) :]
    else:
        rows.insert(numbers.randrange(len(rows)), line)
    return path, "\n".join(rows)


ENTRIES = entries()


def test_fixes_make_nothing_worse() -> None:
    """Applied as `ftc check --fix` does: fewer errors than before, in all but one case of 100."""
    tried, mended, worse = 0, 0, []
    for number in range(tries(1200, 12_000)):
        path, text = broken(random.Random(SEED + number))
        first = now = errors(path, text)
        fixed = text
        for _ in range(ROUNDS):
            edits = [d.fix for d in now if d.fix is not None and d.fix.span.source.text == fixed]
            if not edits:
                break
            fixed, _ = edited(fixed, edits)
            now = errors(path, fixed)
        if fixed == text:
            continue
        tried += 1
        mended += len(now) < len(first)
        if len(now) > len(first):
            worse.append((path.name, SEED + number, [d.message for d in now]))
    assert tried > 80
    assert mended >= 0.7 * tried
    assert len(worse) <= tried // 100 + 1, worse
