"""Values that the script looks up when it runs: `env(…)`, `secret(…)`, and paths below them."""

from __future__ import annotations

import re
from typing import TypeGuard

from ftlang.diagnostics import error
from ftlang.record import Record
from ftlang.schema.constructor import Constructor, Parameter
from ftlang.schema.places import FilePath
from ftlang.schema.sources import Env, LocalPath, Secret
from ftlang.schema.types import UNREAD, Reading, refuse
from ftlang.schema.words import Text
from ftlang.syntax import ast

_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
# What the tokens of common services begin with, then a long run of letters and digits.
_TOKEN = r"(hf_|sk-|ghp_|github_pat_|AKIA|xox[bp]-)[A-Za-z0-9-]{16,}|[0-9a-f]{40}|[A-Za-z0-9-]{64,}"


class VariableName(Text):
    """The name of an environment variable."""

    def words(self) -> str:
        return 'the name of an environment variable, such as `"SCRATCH"`'

    def read(self, value: ast.Value, at: Reading) -> object:
        read = Text.read(self, value, at)
        if not isinstance(read, str):
            return read
        if re.fullmatch(_TOKEN, read):
            message = "this looks like a token itself, not like the name of a variable"
            help = ("take it out of the file, and name the variable that holds it",)
            at.found.append(error("FT139", message, value.span, help=help))
            return UNREAD
        if re.fullmatch(_VARIABLE, read):
            return read
        message = f"`{at.name}` needs {self.words()}, not {value.span.text}"
        at.found.append(error("FT205", message, value.span))
        return UNREAD


ENV = Constructor(
    "env",
    Env,
    (Parameter("name", VariableName(), required=True), Parameter("default", Text())),
)
SECRET = Constructor("secret", Secret, (Parameter("name", VariableName(), required=True),))


class Secrecy(Record):
    """A field that holds a secret: `secret("HF_TOKEN")`, never the token itself."""

    def words(self) -> str:
        return 'a look-up such as `secret("HF_TOKEN")`'

    def read(self, value: ast.Value, at: Reading) -> object:
        if isinstance(value, ast.Call) and value.path.text == "secret":
            return SECRET.read(value, at)
        if isinstance(value, ast.Str):
            at.found.append(
                error(
                    "FT139",
                    f"`{at.name}` is written out",
                    value.span,
                    notes=("specs and scripts are committed, and a secret in them is none",),
                    help=(
                        "take it out, and revoke it if it was ever committed",
                        'write `secret("NAME")`, the environment variable that holds it',
                    ),
                )
            )
            return UNREAD
        help = ("write `secret(…)`",) if _calls(value, "env") else ()
        return refuse(value, self.words(), at, help)


class RuntimeText(Text):
    """A string, or `env("NAME")`, which the script looks up when it starts."""

    def words(self) -> str:
        return 'a string or `env("NAME")`'

    def read(self, value: ast.Value, at: Reading) -> object:
        return ENV.read(value, at) if _is_env(value) else Text.read(self, value, at)


class Place(FilePath):
    """A path: a string, `path(a, b)`, or one below `env(…)`.  Reads to a `LocalPath`."""

    def words(self) -> str:
        return "a path"

    def read(self, value: ast.Value, at: Reading) -> object:
        if isinstance(value, ast.Call) and value.path.text == "env":
            env = ENV.read(value, at)
            return LocalPath("", env) if isinstance(env, Env) else UNREAD
        if isinstance(value, ast.Call) and value.path.text == "path":
            return self._joined(value, at)
        read = FilePath.read(self, value, at)
        return LocalPath(read) if isinstance(read, str) else read

    def _joined(self, call: ast.Call, at: Reading) -> object:
        if call.keywords or not call.args:
            span = call.keywords[0].span if call.keywords else call.path.span
            message = "`path` takes the parts of a path, one after the other"
            at.found.append(error("FT212", message, span, help=('write `path("a", "b")`',)))
            return UNREAD
        env: Env | None = None
        parts: list[str] = []
        failed = False
        for index, part in enumerate(call.args):
            inner = at.of("path")
            if index == 0 and _calls(part, "env"):
                read = ENV.read(part, inner)  # type: ignore[arg-type]
                env = read if isinstance(read, Env) else None
                failed = failed or env is None
                continue
            if _calls(part, "env"):
                at.found.append(
                    error(
                        "FT138",
                        "`env(…)` stands first in a path, or not at all",
                        part.span,
                        help=("begin with it: what it holds is a folder",),
                    )
                )
                failed = True
                continue
            # Only the first part is relative to a file; the others are relative to it.
            own = self.own and index == 0
            name = FilePath(own).read(part, inner)
            failed = failed or not isinstance(name, str)
            parts.append(str(name))
        if failed:
            return UNREAD
        return LocalPath("/".join([*(p.rstrip("/") for p in parts[:-1]), *parts[-1:]]), env)


def _is_env(value: ast.Value) -> TypeGuard[ast.Call]:
    return isinstance(value, ast.Call) and value.path.text == "env"


def _calls(value: ast.Value, name: str) -> bool:
    return isinstance(value, ast.Call) and value.path.text == name
