"""The Plan: the emitted script as data, ordered and final; templates only lay it out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from ftlang.record import Record
from ftlang.source import SourceFile, Span


class Code(Record):
    """A piece of Python chosen by the compiler, never made of a user's text."""

    text: str


class Argument(Record):
    """One argument of a call; `name` is "" for a positional one.

    `paths` are the spec paths that it comes from, `note` a short comment on the same line.
    """

    name: str
    value: Expression
    paths: tuple[str, ...] = ()
    note: str = ""


class Call(Record):
    """A call.  `tall` calls stand with one argument a line whatever their width."""

    function: str
    arguments: tuple[Argument, ...] = ()
    tall: bool = False


class Items(Record):
    """A list of expressions."""

    items: tuple[Expression, ...]


class Entries(Record):
    """A dict display; each entry is named by its argument's name."""

    entries: tuple[Argument, ...]


class Joined(Record):
    """A path below a folder: `ROOT / "data/rows.jsonl"`."""

    folder: str
    path: str


Scalar: TypeAlias = bool | int | float | str | None
Literal: TypeAlias = Scalar | tuple[str, ...] | Mapping[str, Scalar]
Expression: TypeAlias = Literal | Code | Call | Items | Entries | Joined


class Line(Record):
    """An assignment or a bare call: `target = value`, or `value` where the target is ""."""

    target: str
    value: Expression
    paths: tuple[str, ...] = ()
    note: str = ""


class Origin(Record):
    """Where a spec path was set, or what it defaults in.

    `kind` is the layer (`spec`, `extends`, `profile`, `set`, `default`) and `layer` its name;
    `through` are the definitions of variables in the value.
    """

    path: str
    kind: str
    span: Span
    layer: str = ""
    through: tuple[Span, ...] = ()


class Model(Record):
    """How the weights load, and what is put on them."""

    before: tuple[Line, ...]
    load: Call
    prepare: Line | None
    adapter: Call | None
    wrap: Call | None


class Trainer(Record):
    """The trainer's call, and why it is this one ("" for the default).

    `restore` asks for trained weights in float32 where they have been stored in 16 bits.
    """

    type: str
    call: Call
    reason: str
    restore: bool = False


class Launch(Record):
    """How the script starts: a fixed number of processes, or None for one a GPU that is there."""

    processes: int | None

    @property
    def single(self) -> bool:
        """Whether no launcher is needed."""
        return self.processes == 1


class Plan(Record):
    """One run, ready to be written."""

    run: str
    spec_name: str
    source: SourceFile
    about: str
    step: str
    source_digest: str
    constants: tuple[Line, ...]
    arguments_type: str
    arguments_before: tuple[Line, ...]
    arguments: Call
    tokenizer: Call
    datasets: tuple[Line, ...]
    splits: Entries
    model: Model
    trainer: Trainer
    opened: Call
    seed: Argument
    save: Call
    launch: Launch
    requirements: tuple[str, ...]
    origins: Mapping[str, Origin] = {}
