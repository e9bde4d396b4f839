"""The pipeline in one screen: load, parse, resolve, read, check, lower, render."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ftlang.diagnostics import Diagnostic, Label, Severity, error, has_errors, in_order
from ftlang.names.files import Loader, Module
from ftlang.names.merge import Shape
from ftlang.names.resolve import Asked, Document
from ftlang.names.suggest import did_you_mean
from ftlang.record import Record
from ftlang.rules.registry import check as check_rules
from ftlang.schema.families import COMMON, DEFAULTS, NAMED, WITHOUT
from ftlang.schema.read import read
from ftlang.schema.run import Spec
from ftlang.schema.sources import Result as Left
from ftlang.source import SourceFile, Span

if TYPE_CHECKING:
    from pathlib import Path

SHAPE = Shape(COMMON, WITHOUT, NAMED, DEFAULTS)


class Options(Record):
    """What a command asks of the compiler.

    `run` restricts it to one run of the entry file; `out` is the folder that receives
    `<run>/train.py` (default `generated/` beside the spec); `asked` holds profiles, `-D` and
    `--set`; `disabled` holds codes of rules that are left out, for tests alone.
    """

    run: str | None = None
    out: Path | None = None
    asked: Asked = Asked()
    disabled: frozenset[str] = frozenset()


class Output(Record):
    """The emitted files of one run by name, the folder they belong in, and the spec they are of."""

    run: str
    folder: Path
    files: dict[str, str]
    entry: Path | None = None


class Result(Record):
    """Everything a command needs: diagnostics in order, outputs only where there is no error."""

    found: list[Diagnostic]
    outputs: list[Output]
    sources: list[SourceFile]


def check(entry: str | Path, options: Options = Options(), loader: Loader | None = None) -> Result:
    """Levels L0 and L1: syntax and meaning, nothing emitted (imports neither jinja2 nor black).

    A `loader` that several calls share reads each file once.
    """
    module, found = (loader or Loader()).entry(entry)
    if module is None:
        return Result(in_order(found), [], [])
    _, diagnostics = analyse(module, options)
    return Result(in_order([*found, *diagnostics]), [], [module.source])


def compile(entry: Path, options: Options = Options()) -> Result:
    """Everything `ftc compile` does short of writing files; `outputs` is empty on errors."""
    module, found = Loader().entry(entry)
    if module is None:
        return Result(in_order(found), [], [])
    specs, diagnostics = analyse(module, options)
    found += diagnostics
    if not specs and not has_errors(found) and not any(d.code == "FT119" for d in found):
        found.append(no_run(module.source))
    folder = options.out if options.out is not None else entry.parent / "generated"
    outputs: list[Output] = []
    if not has_errors(found):
        found += [d for spec in specs if (d := _outside(spec, entry, folder))]
    if not has_errors(found):
        specs = producers_first(specs)
        outputs = [_output(spec, entry, folder, options.asked.words) for spec in specs]
    return Result(in_order(found), outputs, [module.source])


def analyse(entry: Module | SourceFile, options: Options) -> tuple[list[Spec], list[Diagnostic]]:
    """The specs of an entry's runs, and everything that is wrong with the text and with them."""
    module = Loader().text(entry) if isinstance(entry, SourceFile) else entry
    document = resolved(module, options)
    specs, fields = read(document, options.run)
    found = [
        *_not_a_field(module.found, fields),
        *_not_said([*document.found, *fields], module.found),
    ]
    if not (module.names or module.variables or module.imports) and not has_errors(found):
        found.append(no_run(module.source))
    if options.run is not None and options.run not in document.runs:
        help = did_you_mean(options.run, document.runs)
        message = f"there is no `run {options.run}` in {module.source.name}"
        asked = SourceFile(f"--run {options.run}", options.run)
        found.append(error("FT118", message, Span(asked, 0, len(options.run)), help=help))
    found += _on_one_place(specs)
    specs = [s for s in specs if options.run in (None, s.name)]
    for spec in specs:
        found += check_rules(spec, options.disabled)
    texts = (module.source.text, *(d.span.source.text for d in found))
    if any("ft:" in text for text in texts):
        from ftlang.allow import silenced

        found = silenced(found, module.source, _told(module, options, found))
    return specs, found


def resolved(module: Module, options: Options) -> Document:
    """What the entry file declares, names resolved and layers laid over each other."""
    # A file without runs is checked beside others: profiles and `--set` have nothing to lie over.
    runs = any(declared.kind == "run" for declared in module.names.values())
    return Document(module, options.asked if runs else Asked(), SHAPE, only=options.run)


def _told(module: Module, options: Options, found: Sequence[Diagnostic]) -> list[Span] | None:
    """The parts of the entry file of which every warning is known; None where something is left."""
    if has_errors(found) or options != Options(out=options.out):
        return None
    return [d.node.span for d in module.names.values() if d.kind in ("run", "dataset")]


def producers_first(specs: Sequence[Spec]) -> list[Spec]:
    """The runs in the order in which they can be trained: each after those that it goes on from.

    Results lead back to no run of their own, so there is such an order.
    """
    ordered: list[Spec] = []
    waiting = list(specs)
    while waiting:
        names = {one.name for one in waiting}
        ready = [one for one in waiting if not names & (_needs(one) - {one.name})] or waiting[:1]
        ordered.append(ready[0])
        waiting.remove(ready[0])
    return ordered


def _needs(spec: Spec) -> set[str]:
    return {spec.model.base.run} if isinstance(spec.model.base, Left) else set()


def _output(spec: Spec, entry: Path, folder: Path, options: tuple[str, ...]) -> Output:
    from ftlang.emit.render import render
    from ftlang.plan.trl import lower

    place = folder / spec.name
    levels = len(place.resolve().relative_to(entry.parent.resolve()).parts)
    return Output(spec.name, place, render(lower(spec), levels, options), entry)


def _outside(spec: Spec, entry: Path, folder: Path) -> Diagnostic | None:
    """FT603 where the script would lie outside the spec's folder: it finds its files from there."""
    place = folder / spec.name
    if place.resolve().is_relative_to(entry.parent.resolve()):
        return None
    return error(
        "FT603",
        f"`{place}` is not below the folder of {spec.source.name}",
        spec.span,
        notes=("the script finds its data by its own place below the spec's folder",),
        help=("choose a folder below it, or leave `-o` out for `generated/`",),
    )


def _not_said(fields: list[Diagnostic], syntax: list[Diagnostic]) -> list[Diagnostic]:
    """What is wrong with values that the parser has not refused already: one cause, one error."""
    said = {d.span for d in syntax if d.severity is Severity.ERROR}
    # `- q_proj` is no field
    dashed = {(d.span.source, d.span.line) for d in syntax if d.code == "FT041"}
    return [
        d
        for d in fields
        if d.span not in said and not (d.code == "FT201" and (d.span.source, d.span.line) in dashed)
    ]


def _not_a_field(syntax: list[Diagnostic], fields: list[Diagnostic]) -> list[Diagnostic]:
    """What the parser found, less a missing `=` (FT020) after the name of a block (FT218)."""
    blocks = [d.span.end for d in fields if d.code == "FT218"]
    return [
        d
        for d in syntax
        if d.code != "FT020"
        or not any(d.span.source.text[end : d.span.start].isspace() for end in blocks)
    ]


def _on_one_place(specs: list[Spec]) -> list[Diagnostic]:
    """FT605 for each run that would write over another's files, on any file system."""
    found, seen = [], dict[str, Spec]()
    for spec in specs:
        folders = {f"the script of `{spec.name}`": f"generated/{spec.name}"}
        folders[f"the output of `{spec.name}`"] = spec.output_folder
        for what, folder in folders.items():
            first = seen.setdefault(_on_disk(folder), spec)
            if first is spec:
                continue
            path = "output" if what.startswith("the output") and spec.written("output") else ""
            found.append(
                error(
                    "FT605",
                    f"{what} would replace that of `{first.name}`",
                    spec.span_of(path),
                    labels=(Label(first.span_of(path), f"`{first.name}` writes there too"),),
                    notes=("some file systems take upper and lower case for the same",)
                    if first.output_folder != spec.output_folder
                    else (),
                    help=("give each run its own name and `output`",),
                )
            )
            break
    return found


def _on_disk(folder: str) -> str:
    """One spelling for paths that some file system takes for the same."""
    return unicodedata.normalize("NFC", folder).casefold()


def no_run(source: SourceFile) -> Diagnostic:
    """FT119 for a file that a command needs a run of."""
    end = len(source.text)
    return error(
        "FT119",
        f"{source.name} declares no run",
        Span(source, end, end),
        help=("add `run NAME { … }`; `ftc init sft` prints one to start from",),
    )
