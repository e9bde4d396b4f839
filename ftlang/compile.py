"""The pipeline in one screen: parse, resolve, read, check, lower, render."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ftlang.diagnostics import Diagnostic
from ftlang.source import SourceFile


@dataclass(frozen=True, slots=True)
class Options:
    """What a command asks of the compiler.

    `run` restricts it to one run of the entry file; `out` is the folder that receives
    `<run>/train.py` (default `generated/` beside the spec); `disabled` holds codes of rules
    that are left out, for tests alone.
    """

    run: str | None = None
    out: Path | None = None
    disabled: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Output:
    """The emitted files of one run: relative name to text, and the folder they belong in."""

    run: str
    folder: Path
    files: dict[str, str]


@dataclass(frozen=True, slots=True)
class Result:
    """Everything a command needs: diagnostics in order, outputs only where there is no error."""

    found: list[Diagnostic]
    outputs: list[Output]
    sources: list[SourceFile]


def check(entry: Path, options: Options = Options()) -> Result:
    """Levels L0 and L1: syntax and meaning, nothing emitted (imports neither jinja2 nor black)."""
    raise SystemExit("being written")


def compile(entry: Path, options: Options = Options()) -> Result:
    """Everything `ftc compile` does short of writing files; `outputs` is empty on errors."""
    raise SystemExit("being written")
