"""What constructors make: bases, rows, formats; plain values of the Spec."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hf:
    """A repository of the hub, at a revision."""

    repo: str
    revision: str | None = None


@dataclass(frozen=True, slots=True)
class LocalPath:
    """A file or folder, relative to the spec's folder."""

    path: str


@dataclass(frozen=True, slots=True)
class Gguf:
    """A GGUF file: a path, or `package:NAME/FILE` for one that an installed package carries."""

    source: str


@dataclass(frozen=True, slots=True)
class Builtin:
    """A model that the runtime makes by itself."""

    name: str


@dataclass(frozen=True, slots=True)
class Files:
    """Local files of rows, named by a glob pattern relative to the spec's folder."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Split:
    """A seeded share of the training rows, cut off for evaluation."""

    share: float
    seed: int = 42


@dataclass(frozen=True, slots=True)
class Format:
    """A row format, and the columns that the spec names: `alpaca(system = "system")`."""

    name: str
    columns: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class Reference:
    """The name of a dataset that the file declares."""

    name: str
