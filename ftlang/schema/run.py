"""The Spec: one run, typed, complete and frozen, with the origin of every value."""

# Annotations stay unpostponed: the reader takes types and docs from them.
import posixpath
from collections.abc import Mapping
from typing import ClassVar

from ftlang.names.tree import Given, Tree
from ftlang.record import Record
from ftlang.schema.annotated import Annotated
from ftlang.schema.block import Block, Family
from ftlang.schema.constructors import OutputFolder
from ftlang.schema.data import DATA, Data
from ftlang.schema.devices import HARDWARE, Hardware
from ftlang.schema.later import EXPORT, HOOK, LAUNCH, PUBLISH, SHARD
from ftlang.schema.lookups import Place
from ftlang.schema.methods import METHOD, Sft
from ftlang.schema.model import Model
from ftlang.schema.optimizers import OPTIMIZER, Optimizer
from ftlang.schema.outputs import EVALUATE, REPORT, SAVE, Evaluate, Report, Save
from ftlang.schema.schedules import SCHEDULE, Scheduler
from ftlang.schema.sources import Files, Format, LocalPath, Split
from ftlang.schema.tokenizers import TOKENIZER, Tokenizer
from ftlang.schema.training import TRAINING, Training
from ftlang.schema.tune import TUNE, Tune
from ftlang.schema.types import Doc
from ftlang.schema.words import ListOf, Text
from ftlang.source import SourceFile, Span

MODEL = Family("model", {"": Model}, default=None, doc="The weights to start from.")


class Origin(Record):
    """Where a value comes from.

    `kind` is the layer: `spec`, `extends`, `profile` or `set` with the layer's name and the span
    of what was written, or `default` with the block around it.  `through` are the definitions of
    variables in the value.
    """

    kind: str
    span: Span
    name: str = ""
    through: tuple[Span, ...] = ()


def set_by(given: Given) -> Origin:
    """The origin of an attribute."""
    return Origin(given.layer.kind, given.written, given.layer.name, given.through)


def headed_by(tree: Tree) -> Origin:
    """The origin of a block, at its head."""
    return Origin(tree.layer.kind, tree.head, tree.layer.name)


class Rows(Record):
    """Rows with their format, a dataset's name resolved."""

    files: Files
    format: Format | None


class Run(Block):
    """A run: `run NAME { … }`."""

    families: ClassVar[Mapping[str, Family]] = {
        f.name: f
        for f in (
            MODEL,
            TOKENIZER,
            TUNE,
            DATA,
            METHOD,
            OPTIMIZER,
            SCHEDULE,
            TRAINING,
            SHARD,
            HARDWARE,
            LAUNCH,
            SAVE,
            EVALUATE,
            REPORT,
            EXPORT,
            PUBLISH,
            HOOK,
        )
    }
    about: Annotated[
        str,
        Text(),
        Doc("One line or more on what the run is for; the script's docstring."),
    ] = ""
    output: Annotated[
        str | LocalPath,
        OutputFolder(),
        Doc(
            "Where everything is written, relative to the spec's folder.",
            "SFTConfig.output_dir",
        ),
    ] = "out/${run.name}"
    modules: Annotated[
        tuple[LocalPath, ...],
        ListOf(Place()),
        Doc("Files and folders of your own code that the run needs.", planned=True),
    ] = ()
    requires: Annotated[
        tuple[str, ...],
        ListOf(Text()),
        Doc("Further packages that the run needs, for requirements.txt."),
    ] = ()
    kind: str = ""


class Spec(Record):
    """Everything one run means.  `origins` maps `training.batch` to where it was set.

    `train` and `eval` are the rows behind `data.train` and `data.eval`.
    """

    _uncompared: ClassVar[frozenset[str]] = frozenset({"origins"})

    name: str
    source: SourceFile
    span: Span
    about: str
    output: str | LocalPath
    model: Model
    tune: Tune
    data: Data
    method: Sft
    optimizer: Optimizer
    schedule: Scheduler
    training: Training
    hardware: Hardware
    save: Save
    evaluate: Evaluate
    report: Report
    tokenizer: Tokenizer
    train: Rows
    eval: Rows | Split | None
    requires: tuple[str, ...] = ()
    origins: Mapping[str, Origin] = {}

    @property
    def output_folder(self) -> str:
        """The output as one text; `$NAME/` stands for an environment variable."""
        if isinstance(self.output, str):
            return posixpath.normpath(self.output)
        env = f"${self.output.env.name}/" if self.output.env is not None else ""
        return env + posixpath.normpath(self.output.path)

    def origin(self, path: str) -> Origin:
        """Where a path was set, else `default` with the nearest block that was written."""
        if path in self.origins:
            return self.origins[path]
        around = path
        while around:
            around = around.rpartition(".")[0]
            if around in self.origins:
                return Origin("default", self.origins[around].span)
        return Origin("default", self.span)

    def span_of(self, path: str) -> Span:
        """Where to point for a path."""
        return self.origin(path).span

    def written(self, path: str) -> bool:
        """Whether the user wrote this path."""
        return path in self.origins and self.origins[path].kind != "default"
