"""From the paths of a command line to specs that exist."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ftlang.cli.refusal import Refusal
from ftlang.names.resolve import Asked

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


def spec(path: str | Path) -> Path:
    """The path of one readable spec; raises Refusal if it is none."""
    from pathlib import Path

    return Path(_readable(path))


def specs(paths: Iterable[str | Path], kinds: tuple[str, ...] = (".ft",)) -> list[str]:
    """Every spec named, and every `*.ft` below a folder, each once, in order.

    `kinds` are the endings of files that may be named.  Raises Refusal for a path that does not
    exist, for another kind of file, and for a folder without any spec.
    """
    found: dict[str, str] = {}
    for path in paths:
        inside = sorted(_below(path)) if os.path.isdir(path) else [_readable(path, kinds)]
        if not inside:
            raise Refusal(f"there is no `.ft` file below `{path}`")
        for one in inside:
            found.setdefault(os.path.realpath(one), one)
    return list(found.values())


def _readable(path: str | Path, kinds: tuple[str, ...] = (".ft",)) -> str:
    if os.path.isdir(path):
        raise Refusal(f"`{path}` is a folder; name one `.ft` file")
    if not os.path.exists(path):
        raise Refusal(f"there is no file `{path}`{_suggestion(path)}")
    if not os.access(path, os.R_OK):
        raise Refusal(f"`{path}` cannot be read: permission denied")
    if not str(path).endswith(kinds):
        raise Refusal(f"`{path}` is no `.ft` file, and only those hold specs")
    return os.path.normpath(path)


def _below(folder: str | Path) -> Iterator[str]:
    """Specs below a folder; hidden folders such as `.venv` and `.git` are left out."""
    for where, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        inside = (os.path.join(where, name) for name in files if name.endswith(".ft"))
        yield from map(os.path.normpath, inside)


def _suggestion(path: str | Path) -> str:
    """What to try instead of a file that does not exist."""
    from pathlib import Path

    path = Path(path)
    if path.with_name(f"{path.name}.ft").is_file():
        return f"; did you mean `{path}.ft`?"
    beside = sorted(path.parent.glob("*.ft"))
    return f"; did you mean `{beside[0]}`?" if len(beside) == 1 else ""


def asked(arguments: argparse.Namespace) -> Asked:
    """Profiles, `-D` and `--set` of a command."""
    return Asked(tuple(arguments.profiles), tuple(arguments.defines), tuple(arguments.sets))
