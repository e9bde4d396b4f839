"""Resolved tree to Spec: every field typed, units applied, defaults completed, origins kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ftlang.diagnostics import Diagnostic
from ftlang.names.tree import Document, Tree
from ftlang.record import replaced
from ftlang.schema.blocks import BlockReader
from ftlang.schema.data import Data, Dataset
from ftlang.schema.run import Origin, Rows, Run, Spec
from ftlang.schema.sources import Files, Reference, Split
from ftlang.schema.tune import Full, Lora
from ftlang.schema.units import NATURAL, Quantity


def read(document: Document) -> tuple[list[Spec], list[Diagnostic]]:
    """The runs of a file, each complete; a run with an error in it is left out."""
    found: list[Diagnostic] = []
    datasets = {name: _read_dataset(tree, found) for name, tree in document.datasets.items()}
    specs = []
    for name, tree in document.runs.items():
        spec = _RunReader(name, document, datasets, found).spec(tree)
        if spec is not None:
            specs.append(spec)
    return specs, found


def _read_dataset(tree: Tree, found: list[Diagnostic]) -> Dataset | None:
    reader = BlockReader(found, "", {})
    read = reader.block(Dataset, tree, "", "dataset")
    return read if isinstance(read, Dataset) else None


class _RunReader:
    """Reads one run: its blocks, then what needs several of them."""

    def __init__(
        self,
        name: str,
        document: Document,
        datasets: Mapping[str, Dataset | None],
        found: list[Diagnostic],
    ) -> None:
        self.name = name
        self.document = document
        self.datasets = datasets
        self.found = found
        self.origins: dict[str, Origin] = {}

    def spec(self, tree: Tree) -> Spec | None:
        """The run, complete, or None after an error in it."""
        known = None if self.document.partial else self.datasets
        blocks = BlockReader(self.found, self.name, self.origins, known)
        values, whole = blocks.values(Run, tree, "", "run")
        for name, family in Run.families.items():
            if name not in values and family.default is not None:
                cls: Any = family.kinds[family.default]
                values[name] = cls(kind=family.default)
                self.origins[name] = Origin("default", tree.head)
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
        values.setdefault("output", f"out/{self.name}")
        values.setdefault("about", "")
        values.pop("kind", None)
        origins = {"": Origin("default", tree.head), **self.origins}
        spec = Spec(
            name=self.name,
            source=self.document.source,
            span=tree.head,
            train=train,
            eval=evaluation,
            origins=origins,
            **values,
        )
        return completed(spec)

    def _rows(self, source: Files | Reference, data: Data) -> Rows | None:
        """The rows behind a source, a dataset's name looked up."""
        if isinstance(source, Files):
            return Rows(source, data.format)
        dataset = self.datasets.get(source.name)
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
