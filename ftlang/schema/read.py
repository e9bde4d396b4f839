"""Resolved tree to Spec: every field typed, units applied, defaults completed, origins kept."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ftlang.diagnostics import Diagnostic, error
from ftlang.names.planned import planned
from ftlang.names.suggest import did_you_mean, near
from ftlang.names.tree import Document, Tree
from ftlang.record import replaced
from ftlang.schema.block import Block, Declared, Family, declared
from ftlang.schema.data import Data, Dataset
from ftlang.schema.foreign import BLOCKS, DERIVED, FOREIGN, KINDS, WRITTEN
from ftlang.schema.run import Origin, Rows, Run, Spec
from ftlang.schema.sources import Files, Reference, Split
from ftlang.schema.tune import Full, Lora
from ftlang.schema.types import UNREAD, Reading
from ftlang.schema.units import NATURAL, Quantity
from ftlang.source import Span
from ftlang.syntax import ast


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


class BlockReader:
    """Reads trees into blocks; `origins` collects where each path was set."""

    def __init__(
        self,
        found: list[Diagnostic],
        run: str,
        origins: dict[str, Origin],
        datasets: Collection[str] | None = None,
    ) -> None:
        self.found = found
        self.run = run
        self.origins = origins
        self.datasets = datasets

    def block(self, cls: type[Block], tree: Tree, prefix: str, family: str) -> Block | None:
        """The block, or None when any part of it could not be read."""
        values, whole = self.values(cls, tree, prefix, family)
        return cls(**values) if whole else None

    def values(
        self, cls: type[Block], tree: Tree, prefix: str, family: str
    ) -> tuple[dict[str, Any], bool]:
        """What was set, by name, and whether all of it could be read."""
        values: dict[str, Any] = {}
        known = declared(cls)
        whole = True
        for name, attr in tree.attrs.items():
            field = known.get(name)
            if name in cls.families and isinstance(attr.value, ast.Unreadable):
                whole = False  # a block's head that could not be read, already reported
                continue
            if field is None:
                self.found.append(self._unknown(cls, tree, attr, family))
                whole = False
                continue
            values[name] = field.type.read(
                attr.value, Reading(self.found, name, self.run, self.datasets)
            )
            whole = whole and values[name] is not UNREAD
            self.origins[prefix + name] = Origin("spec", attr.value.span)
        for field in known.values():
            if field.required and field.name not in tree.attrs:
                self.found.append(_missing(field, tree, family))
                whole = False
        whole = self._inner_blocks(cls, tree, prefix, family, values) and whole
        if tree.kind is not None and cls not in (Run, Dataset):
            values["kind"] = tree.kind.text
        return values, whole

    def _inner_blocks(
        self,
        cls: type[Block],
        tree: Tree,
        prefix: str,
        family: str,
        values: dict[str, Any],
    ) -> bool:
        whole = True
        for name, inner in tree.blocks.items():
            if name not in cls.families:
                self.found.append(self._unknown_block(cls, inner, family))
                whole = False
                continue
            values[name] = self.member(cls.families[name], inner, prefix + name)
            whole = whole and values[name] is not None
        for name, member in cls.families.items():
            if name in tree.blocks or name in tree.attrs:
                continue
            if member.default is None and not member.optional:
                help = (
                    f"add `{name} {next(iter(member.kinds))}`"
                    if member.has_kinds
                    else f"add `{name} {{ … }}`"
                )
                message = (
                    f"`{family} {self.run}` has no `{name}`"
                    if self.run
                    else f"`{family}` has no `{name}`"
                )
                span = tree.kind.span if tree.kind is not None else tree.head
                self.found.append(error("FT207", message, span, notes=(member.doc,), help=(help,)))
                whole = False
        return whole

    def member(self, family: Family, tree: Tree, prefix: str) -> Block | None:
        """A block of a family, its kind looked up first."""
        self.origins[prefix] = Origin("spec", tree.head)
        kind = tree.kind
        if not family.has_kinds:
            if kind is not None:
                help = f"write `{family.name} {{ … }}`"
                self.found.append(
                    error(
                        "FT211",
                        f"`{family.name}` has no kinds",
                        kind.span,
                        help=(help,),
                    )
                )
                return None
            if tree.bare:
                self.found.append(error("FT211", f"`{family.name}` needs a block", tree.head))
                return None
            return self.block(family.kinds[""], tree, prefix + ".", family.name)
        if kind is None:
            ways = ", ".join(f"`{family.name} {k}`" for k in list(family.kinds)[:6])
            message = f"`{family.name}` needs a kind after its name"
            self.found.append(error("FT211", message, tree.name.span, help=(f"write {ways}",)))
            return None
        if kind.text in family.kinds:
            self.origins[prefix + ".kind"] = Origin("spec", tree.head)
            return self.block(
                family.kinds[kind.text],
                tree,
                prefix + ".",
                f"{family.name} {kind.text}",
            )
        if kind.text in family.later:
            self.found.append(planned(kind.span, f"`{family.name} {kind.text}`"))
            return None
        known = ", ".join(f"`{k}`" for k in family.kinds)
        near_by = did_you_mean(kind.text, (*family.kinds, *family.later)) or (f"use {known}",)
        if way := KINDS.get((family.name, kind.text)):
            near_by = (way,)
        message = f"`{family.name}` has no kind `{kind.text}`"
        self.found.append(error("FT210", message, kind.span, help=near_by))
        return None

    def _unknown(self, cls: type[Block], tree: Tree, attr: ast.Attr, family: str) -> Diagnostic:
        name, span = attr.path.text, attr.path.span
        if name in cls.planned:
            return planned(span, f"`{name}` of `{family}`")
        if name in cls.families:
            inner = cls.families[name]
            form = f"{name} {_kind_meant(attr, inner)}" if inner.has_kinds else f"{name} {{ … }}"
            return error(
                "FT218",
                f"`{name}` is a block",
                span,
                help=(f"write `{form}` without `=`",),
            )
        return unknown_field(name, span, cls, family)

    def _unknown_block(self, cls: type[Block], inner: Tree, family: str) -> Diagnostic:
        name, span = inner.name.text, inner.name.span
        if name in cls.planned:
            return planned(inner.head, f"`{inner.head.text.strip()}`")
        if name in declared(cls):
            return error("FT218", f"`{name}` is a field", span, help=(f"write `{name} = …`",))
        if name in Run.families or name in Run.planned:
            message = f"`{name}` does not stand inside `{family}`"
            out = f"move `{name}` out of `{family}`, into the run"
            return error("FT209", message, span, help=(out,))
        help = did_you_mean(name, (*cls.families, *cls.planned, *declared(cls)))
        if name in BLOCKS and BLOCKS[name] in (*cls.families, *Run.families):
            help = (f"here the block is `{BLOCKS[name]}`",)
        elif not help and cls.families:
            help = (f"`{family}` has the blocks " + ", ".join(f"`{n}`" for n in cls.families),)
        if name == "dataset":
            help = ("declare it beside the run, and name it in `data`",)
        return error("FT209", f"`{family}` has no block `{name}`", span, help=help)


def unknown_field(name: str, span: Span, cls: type[Block], family: str) -> Diagnostic:
    """What to say of a field that the block does not have: another's, a former name, or a typo."""
    if name in DERIVED and name not in FOREIGN:
        by = DERIVED[name]
        return error(
            "FT213",
            f"`{name}` is derived from `{by}`",
            span,
            notes=("the plan computes it, and the script shows the arithmetic",),
            help=(f"set `{by}` instead",),
        )
    if name in FOREIGN:
        whose, here = FOREIGN[name]
        return error(
            "FT214",
            f"`{name}` is {whose} name; here it is `{here}`",
            span,
            help=(WRITTEN.get(here, f"set `{here}`"),),
        )
    own = (*declared(cls), *cls.families)
    close = near(name, own)
    homes = _homes(name)
    if homes and not close:
        listed = " and ".join(f"`{h}`" for h in homes)
        article = "a field" if len(homes) == 1 else "fields"
        message = f"`{name}` is {article} of {listed}, not of `{family}`"
        same = homes[0].split()[0] == family.split()[0]
        kinds = _every_kind_has(name, homes[0])
        way = f"use `{homes[0]}`" if same else f"move it into `{homes[0]} {{ … }}`"
        if kinds and not same:
            way = f"move it into the `{homes[0]}` block, such as `{homes[0]} {kinds[0]} {{ … }}`"
        return error("FT202", message, span, help=(way,))
    fields_here = ", ".join(f"`{n}`" for n in own)
    help = did_you_mean(name, own) or (
        (f"`{family}` has {fields_here}",) if own else (f"`{family}` has no fields",)
    )
    return error("FT201", f"`{family}` has no field `{name}`", span, help=help)


def _homes(name: str) -> list[str]:
    """The blocks of a run that do have this field."""
    homes: list[str] = ["run"] if name in declared(Run) else []

    def look(families: Iterable[Family]) -> None:
        for family in families:
            for kind, cls in family.kinds.items():
                home = (
                    family.name if _every_kind_has(name, family.name) else family.name + " " + kind
                )
                home = home.strip()
                if name in declared(cls) and not any(h.split()[0] == family.name for h in homes):
                    homes.append(home)
                look(cls.families.values())

    look(Run.families.values())
    return homes


def _every_kind_has(name: str, family: str) -> tuple[str, ...]:
    """The kinds of a run's family, the default first, if all have the field; else nothing."""
    member = Run.families.get(family)
    if member is None or not member.has_kinds:
        return ()
    if not all(name in declared(cls) for cls in member.kinds.values()):
        return ()
    return tuple(sorted(member.kinds, key=lambda kind: kind != member.default))


def _kind_meant(attr: ast.Attr, family: Family) -> str:
    """The kind that `tune = full` names, or the first of the family."""
    value = attr.value
    word = value.value if isinstance(value, ast.Str) else value.span.text
    return word if word in family.kinds else next(iter(family.kinds))


def _missing(field: Declared, tree: Tree, family: str) -> Diagnostic:
    span = tree.kind.span if tree.kind is not None else tree.name.span
    help = f"add `{field.name} = …`, {field.type.words()}"
    return error(
        "FT207",
        f"`{family}` has no `{field.name}`",
        span,
        notes=(field.doc.text,),
        help=(help,),
    )


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
