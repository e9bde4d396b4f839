"""Files → source texts: the one place where the compiler reads a spec from disk."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from ftlang.diagnostics import Diagnostic, error
from ftlang.source import SourceFile, Span

if TYPE_CHECKING:
    from pathlib import Path


def load(path: str | Path, name: str | None = None) -> tuple[SourceFile | None, list[Diagnostic]]:
    """The text of a file, or why there is none.

    `name` is what diagnostics print, the path as given where it is left out.  Nothing is raised
    for a file that is missing, is a folder, may not be read or is not UTF-8.
    """
    name = str(path) if name is None else name
    nowhere = SourceFile(name, "", path)
    start = Span(nowhere, 0, 0)
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            return None, [error("FT102", f"`{name}` is no regular file", start)]
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return None, [error("FT101", f"there is no file `{name}`", start)]
    except IsADirectoryError:
        return None, [error("FT102", f"`{name}` is a folder, not a file", start)]
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        return None, [error("FT102", f"`{name}` cannot be read: {reason}", start)]
    return decoded(data, name, path)


def decoded(
    data: bytes, name: str, path: str | Path | None = None
) -> tuple[SourceFile | None, list[Diagnostic]]:
    """The text of bytes, or FT001 where they are not UTF-8."""
    try:
        return SourceFile(name, data.decode("utf-8"), path), []
    except UnicodeDecodeError as problem:
        return None, [_not_utf8(name, path, data, problem)]


def _not_utf8(
    name: str, path: str | Path | None, data: bytes, problem: UnicodeDecodeError
) -> Diagnostic:
    shown = SourceFile(name, data.decode("utf-8", "replace"), path)
    at = len(data[: problem.start].decode("utf-8"))
    utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    return error(
        "FT001",
        "this file is not UTF-8 text",
        Span(shown, at, min(at + 1, len(shown.text))),
        label=f"byte 0x{data[problem.start]:02x}",
        help=("it looks like UTF-16; save it as UTF-8",) if utf16 else ("save it as UTF-8",),
    )
