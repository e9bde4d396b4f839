"""Which paths a pattern of files matches, decided from the two texts alone."""

from __future__ import annotations

from fnmatch import fnmatchcase
from posixpath import normpath

from ftlang.schema.sources import Files, LocalPath


def place(named: Files | LocalPath) -> str:
    """A path or pattern as one text; `$NAME/` stands for an environment variable."""
    env = f"${named.env.name}/" if named.env is not None else ""
    return env + normpath(named.pattern if isinstance(named, Files) else named.path)


def matches(pattern: str, path: str) -> bool:
    """Whether a glob pattern (`*`, `?`, `[…]`, and `**` for any folders) matches a plain path.

    A path that has wildcards itself is matched by an equal pattern only.
    """
    if pattern == path:
        return True
    if any(sign in path for sign in "*?["):
        return False
    return _match(tuple(pattern.split("/")), tuple(path.split("/")))


def _match(pattern: tuple[str, ...], path: tuple[str, ...]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_match(pattern[1:], path[i:]) for i in range(len(path) + 1))
    return bool(path) and fnmatchcase(path[0], pattern[0]) and _match(pattern[1:], path[1:])
