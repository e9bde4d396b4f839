"""Strings that name a place: a file or folder here, or a repository of the hub."""

from __future__ import annotations

import re

from ftlang.diagnostics import error
from ftlang.schema.types import UNREAD, Reading
from ftlang.schema.words import Text
from ftlang.syntax import ast

# A variable as a shell writes it; `${name}` is ours.
_SHELL = re.compile(r"\$([A-Za-z_]\w*)", re.ASCII)


class FilePath(Text):
    """A path below the spec's folder, or an absolute one; never empty, and no shell's `~`.

    Written in another file of the job, it is relative to that one, unless it is not its `own`.
    """

    own: bool = True

    def words(self) -> str:
        return "a path"

    def read(self, value: ast.Value, at: Reading) -> object:
        read = Text.read(self, value, at)
        if not isinstance(read, str):
            return read
        if not read.strip():
            at.found.append(error("FT205", f'`{at.name}` needs a path, not ""', value.span))
            return UNREAD
        if read.startswith("~"):
            message = f"`{at.name}` begins with `~`, which only a shell knows"
            ways = ("write the path from the spec's folder", "or write it from `/`")
            at.found.append(error("FT205", message, value.span, help=ways))
            return UNREAD
        if isinstance(value, ast.Str) and (shell := _SHELL.search(value.value)):
            name = shell[1]
            at.found.append(
                error(
                    "FT116",
                    f"`${name}` in a string is not looked up",
                    value.span,
                    help=(
                        f'for an environment variable, write `path(env("{name}"), "…")`',
                        f"for a `let` or `param`, write `${{{name}}}`",
                    ),
                )
            )
            return UNREAD
        return at.scope.placed(read, value.span) if at.scope is not None and self.own else read


# What the hub allows: one owner and one name of letters, digits and `-_.`, or a name alone.
_REPOSITORY = re.compile(r"[A-Za-z0-9_][\w.-]*(/[A-Za-z0-9_][\w.-]*)?", re.ASCII)


class Repository(Text):
    """The name of a repository: `owner/name`."""

    def words(self) -> str:
        return "a repository such as `owner/name`"

    def read(self, value: ast.Value, at: Reading) -> object:
        read = Text.read(self, value, at)
        if not isinstance(read, str) or _REPOSITORY.fullmatch(read):
            return read
        message = f"`{at.name}` needs {self.words()}, not {value.span.text}"
        help = ("for a folder, write `path(…)`",) if read else ()
        at.found.append(error("FT205", message, value.span, help=help))
        return UNREAD
