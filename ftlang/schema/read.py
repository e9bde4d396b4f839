"""Resolved trees to Specs: every field typed, units applied, defaults completed, origins kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ftlang.diagnostics import Diagnostic
from ftlang.names.files import Declared
from ftlang.names.resolve import Document
from ftlang.names.tree import Tree
from ftlang.record import replaced
from ftlang.schema.blocks import BlockReader
from ftlang.schema.data import Data, Dataset
from ftlang.schema.later import TEMPLATE
from ftlang.schema.run import Origin, Rows, Run, Spec
from ftlang.schema.scope import Scope
from ftlang.schema.sources import Files, Reference, Split
from ftlang.schema.tune import Full, Lora
from ftlang.schema.units import NATURAL, Quantity


def read(document: Document, only: str | None = None) -> tuple[list[Spec], list[Diagnostic]]:
    """The runs of a file, each complete; a run with an error in it is left out.

    With `only`, what is wrong with other runs is not told.  Data sets, templates, `defaults` and
    profiles are read as well, whether a run uses them or not.
    """
    reader = _Reader(document)
    for declared in document.own("dataset"):
        reader.dataset(declared)
    for template in document.templates.values():
        BlockReader(reader.found, "", {}, reader.scope).member(TEMPLATE, template, "template")
    for kind, trees in (("defaults", document.defaults), ("profile", document.profiles)):
        for name, tree in trees.items():
            blocks = BlockReader(reader.found, name, {}, reader.scope, partial=True)
            blocks.values(Run, tree, "", kind)
    specs = []
    for name, tree in document.runs.items():
        before = len(reader.found)
        spec = reader.spec(name, tree)
        if spec is not None:
            specs.append(spec)
        if only not in (None, name):
            del reader.found[before:]
    return specs, reader.found


def dataset(document: Document) -> Callable[[Declared], Dataset | None]:
    """What reads a data set of any file of the job; None for one with an error in it."""
    return _Reader(document).dataset


class _Reader:
    """Reads the declarations of a job; data sets of other files when a run refers to them."""

    def __init__(self, document: Document, above: tuple[Declared, ...] = ()) -> None:
        self.document = document
        self.found: list[Diagnostic] = []
        self.scope = Scope(document, self.dataset, self.result, above)
        self.scope.layered = self.layered
        self._datasets: dict[Declared, Dataset | None] = {}

    def dataset(self, declared: Declared) -> Dataset | None:
        """A data set of any file of the job; None after an error in it."""
        if declared not in self._datasets:
            tree = self.document.tree(declared)
            read = None
            if tree is not None:
                blocks = BlockReader(self.found, "", {}, self.scope)
                read = blocks.block(Dataset, tree, "", "dataset")
            self._datasets[declared] = read if isinstance(read, Dataset) else None
        return self._datasets[declared]

    def result(self, declared: Declared) -> Spec | None:
        """The run of another file or of this one, as that file alone has it."""
        document = self.document.of(declared.module)
        tree = document.plain(declared)
        if tree is None:
            return None
        inner = _Reader(document, (*self.scope.above, declared))
        spec = inner.spec(declared.name, tree)
        if spec is None and inner.found and all(d.code == "FT501" for d in inner.found):
            self.scope.later.add(declared)
        if any(d.code == "FT142" for d in inner.found):
            self.scope.too_long.add(declared)
        return spec

    def layered(self, declared: Declared) -> Spec | None:
        """A run of this file with the profiles and `--set` of the call; None without any."""
        asked = self.document.asked
        tree = self.document.runs.get(declared.name)
        if tree is None or not (asked.profiles or asked.sets):
            return None
        return _Reader(self.document, (*self.scope.above, declared)).spec(declared.name, tree)

    def spec(self, name: str, tree: Tree) -> Spec | None:
        """The run, complete, or None after an error in it."""
        origins: dict[str, Origin] = {}
        blocks = BlockReader(self.found, name, origins, self.scope)
        values, whole = blocks.values(Run, tree, "", "run")
        for family_name, family in Run.families.items():
            if family_name not in values and family.default is not None:
                cls: Any = family.kinds[family.default]
                values[family_name] = cls(kind=family.default)
                origins[family_name] = Origin("default", tree.head)
        data = values.get("data")
        if not isinstance(data, Data):
            return None
        train = self._rows(data.train, data)
        evaluation: Rows | Split | None = None
        if isinstance(data.eval, Split):
            evaluation = data.eval
        elif data.eval is not None:
            evaluation = self._rows(data.eval, data)
            whole = whole and evaluation is not None
        if train is None or not whole:
            return None
        values.setdefault("output", f"out/{name}")
        values.setdefault("about", "")
        values.pop("kind", None)
        spec = Spec(
            name=name,
            source=self.document.source,
            span=tree.head,
            train=train,
            eval=evaluation,
            origins={"": Origin("default", tree.head), **origins},
            **values,
        )
        return completed(spec)

    def _rows(self, source: Files | Reference, data: Data) -> Rows | None:
        """The rows behind a source, a data set's name looked up."""
        if isinstance(source, Files):
            return Rows(source, data.format)
        if not isinstance(source, Reference) or not isinstance(source.declared, Declared):
            return None
        dataset = self.dataset(source.declared)
        return Rows(dataset.source, dataset.format) if dataset is not None else None


def completed(spec: Spec) -> Spec:
    """The spec with every default that depends on another field put in."""
    tune, training, optimizer = spec.tune, spec.training, spec.optimizer
    if isinstance(tune, Lora) and tune.lora_alpha is None:
        tune = replaced(tune, lora_alpha=2 * tune.r)
    if optimizer.learning_rate is None:
        optimizer = replaced(optimizer, learning_rate=1e-5 if isinstance(tune, Full) else 1e-4)
    natural = "seqs" if spec.data.packing is False else "rows"
    training = replaced(
        training,
        batch=_in_unit(training.batch, natural),
        micro_batch=_in_unit(training.micro_batch, natural),
    )
    evaluate = spec.evaluate
    if spec.eval is not None and evaluate.every is None:
        evaluate = replaced(evaluate, every=Quantity(1, "epochs"))
    report = spec.report
    if training.duration.unit == "steps" and not spec.written("report.every"):
        often = min(report.every.amount, training.duration.amount)
        report = replaced(report, every=Quantity(often, "steps"))
    return replaced(
        spec, tune=tune, training=training, optimizer=optimizer, evaluate=evaluate, report=report
    )


def _in_unit(amount: Quantity, natural: str) -> Quantity:
    return Quantity(amount.amount, natural) if amount.unit == NATURAL else amount
