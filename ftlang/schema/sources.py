"""What constructors make: bases, rows, formats; plain values of the Spec."""

from __future__ import annotations

from typing import ClassVar

from ftlang.record import Record


class Hf(Record):
    """A repository of the hub, at a revision."""

    repo: str
    revision: str | None = None
    token: Secret | None = None


class Env(Record):
    """An environment variable that the script reads when it runs."""

    name: str
    default: str | None = None


class Secret(Record):
    """An environment variable that holds a secret; its value is never kept anywhere."""

    name: str


class LocalPath(Record):
    """A file or folder, relative to the spec's folder, or below what `env` holds."""

    path: str
    env: Env | None = None


class Result(Record):
    """The folder in which another run leaves its weights."""

    folder: LocalPath
    run: str


class Gguf(Record):
    """A GGUF file: a path, or `package:NAME/FILE` for one that an installed package carries."""

    source: str


class Builtin(Record):
    """A model that the runtime makes by itself."""

    name: str


class Files(Record):
    """Local files of rows, named by a glob pattern relative to the spec's folder or to `env`."""

    pattern: str
    env: Env | None = None


class Split(Record):
    """A seeded share of the training rows, cut off for evaluation."""

    share: float
    seed: int = 42


class Format(Record):
    """A row format, and the columns that the spec names: `alpaca(system = "system")`."""

    name: str
    columns: tuple[tuple[str, object], ...] = ()


class Reference(Record):
    """A data set by its declared name, with the split that is meant; `declared` finds it."""

    _uncompared: ClassVar[frozenset[str]] = frozenset({"declared"})

    name: str
    split: str | None = None
    declared: object = None
