"""`python -m ftruntime.audit train.py`: what an emitted script would train on, without a model.

Imports the script and calls its own build_tokenizer and build_datasets, so what is reported is
what trains. Problems point back into the spec through `train.ftmap.json` beside the script.
Exit codes: 0 clean, 1 problems, 2 usage.
"""

import argparse
import contextlib
import importlib.util
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy
from datasets import Dataset

from ftruntime import aligners
from ftruntime import tokenize as tokenizing
from ftruntime.checks import check_datasets
from ftruntime.conversations import Conversation
from ftruntime.stops import Problem, RunStopped
from ftruntime.templates import PROBE, template_sha256

IGNORED = -100
SHOWN = 5
MOST_ERRORS = 20
# The field of the spec that each code is about; the first that the map knows is taken.
FIELDS = {
    "FT703": ("model.base", "model"),
    "FT705": ("data.max_length", "data.train", "data"),
    "FT709": ("model.base", "model", "data.train"),
}
DATA_FIELDS = ("data.train", "data")


Place = tuple[str, int]


@dataclass(slots=True)
class Findings:
    """What running the script's functions gave; what was not reached is empty.

    `places` are the file and index of every row read, `kept` those of each tokenized data set.
    """

    tokenizer: Any = None
    datasets: dict[str, Dataset] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    kept: list[list[Place]] = field(default_factory=list)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the audit, prints the report and returns the exit code."""
    options = _options(argv)
    script = Path(options.script)
    if not script.is_file():
        print(f"{script} is not a file", file=sys.stderr)
        return 2
    # In JSON nothing but the object may reach stdout, whatever the script prints.
    with contextlib.redirect_stdout(sys.stderr):
        found = findings(script)
        result = report(found, script, options.rows)
    if options.format == "json":
        print(json.dumps(result))  # ASCII, whatever the locale
    else:
        with contextlib.suppress(BrokenPipeError):  # the reader has seen enough
            _print_text(result, script, color=sys.stdout.isatty())
    return 1 if found.problems else 0


def findings(script: Path) -> Findings:
    """Imports the script and builds its tokenizer and data sets, no further."""
    found = Findings()
    try:
        with _bad_rows_collected(found):
            module = _imported(script)
            found.tokenizer = module.build_tokenizer()
            found.datasets = module.build_datasets(found.tokenizer)
        check_datasets(found.datasets, found.tokenizer)
    except RunStopped as stop:
        # That no row is left follows from the problems of the rows.
        found.problems += [p for p in stop.problems if not found.problems or p.row is not None]
    except SystemExit as stop:
        found.problems.append(Problem("FT709", f"{script.name} stops: {stop.code}"))
    except Exception as error:  # anything that the script itself may raise
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        found.problems.append(Problem("FT709", f"{script.name} cannot be run: {reason}"))
    return found


@contextlib.contextmanager
def _bad_rows_collected(found: Findings) -> Iterator[None]:
    """Where a run would stop on bad rows, notes them and goes on with the others."""

    def note_rows(problems: list[Problem], places: list[Place], cannot: str = "") -> None:
        found.problems += problems
        found.places += places

    def note_tokenized(problems: list[Problem], places: list[Place], cannot: str = "") -> None:
        found.problems += problems
        bad = {(problem.file, problem.row) for problem in problems}
        found.kept.append([place for place in places if place not in bad])

    saved = aligners.stop_on_rows, tokenizing.stop_on_rows
    aligners.stop_on_rows, tokenizing.stop_on_rows = note_rows, note_tokenized
    try:
        yield
    finally:
        aligners.stop_on_rows, tokenizing.stop_on_rows = saved


def report(found: Findings, script: Path, shown: int | None) -> dict[str, Any]:
    """The report as one JSON object; `shown` rows of each split, or all with None."""
    source = _source_map(script)
    lengths = [_lengths(dataset) for dataset in found.datasets.values()]
    length = numpy.concatenate([row[0] for row in lengths] or [numpy.zeros(0, dtype=int)])
    trained = sum(int(row[1].sum()) for row in lengths)
    bad = {
        (problem.file, problem.row): problem.message
        for problem in found.problems
        if problem.file is not None and problem.row is not None
    }
    read = max(len(found.places), len(length))
    dropped = sum(place in bad for place in found.places)
    reasons = Counter(_kind(bad[p]) for p in found.places if p in bad)
    return {
        "version": 1,
        "level": "L2",
        "run": source.get("run") or script.resolve().parent.name,
        "rows": {
            "read": read,
            "kept": read - dropped,
            "dropped": dropped,
            "truncated": 0,
            "by_reason": dict(reasons.most_common()),
        },
        "tokens": {
            "total": int(length.sum()),
            "trained": trained,
            "max": int(length.max()) if len(length) else 0,
            "p50": int(numpy.percentile(length, 50)) if len(length) else 0,
            "p95": int(numpy.percentile(length, 95)) if len(length) else 0,
        },
        "template": _template(found.tokenizer),
        "samples": _samples(found, shown, bad),
        "diagnostics": [_diagnostic(problem, source) for problem in found.problems],
    }


def _kind(message: str) -> str:
    """What messages of one kind share: the template's name, quoted texts and numbers left out."""
    plain = re.sub(r"^\S+ \(sha256 [0-9a-f]+\)", "the template", message)
    plain = re.sub(r"'[^']*'", "'…'", plain)
    return re.sub(r"\b\d+\b", "N", plain)


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m ftruntime.audit", description=__doc__)
    parser.add_argument("script", help="an emitted train.py")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--rows", type=_count, default=SHOWN, help="rows shown of each split")
    return parser.parse_args(argv)


def _count(text: str) -> int | None:
    if text == "all":
        return None
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number or `all`")
    return int(text)


def _imported(script: Path) -> ModuleType:
    """The script as a module that is not __main__, with its folder to import from."""
    spec = importlib.util.spec_from_file_location("ft_audited_script", script.resolve())
    if spec is None or spec.loader is None:
        raise ImportError(f"{script} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(script.resolve().parent))
    spec.loader.exec_module(module)
    return module


def _source_map(script: Path) -> dict[str, Any]:
    path = script.resolve().with_suffix(".ftmap.json")
    return json.loads(path.read_text("utf-8")) if path.is_file() else {}


def _diagnostic(problem: Problem, source: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "code": problem.code,
        "severity": "error",
        "message": problem.message,
    }
    if problem.file is not None:
        made["data_file"] = problem.file
    if problem.row is not None:
        made["row"] = problem.row
    origin = _origin(source, FIELDS.get(problem.code, DATA_FIELDS))
    return made | {key: origin[key] for key in ("file", "line") if key in origin}


def _origin(source: dict[str, Any], paths: Sequence[str]) -> dict[str, Any]:
    """The place in the spec of the first field that the map knows, or of one inside it."""
    entries = [entry for line in source.get("lines", {}).values() for entry in line]
    for path in paths:
        for entry in entries:
            if entry["path"] == path:
                return dict(entry)
        for entry in entries:
            if entry["path"].startswith(path + "."):
                return dict(entry)
    return {}


def _template(tokenizer: Any) -> dict[str, Any]:
    """Where the template comes from, its digest, and whether our ids are the tokenizer's own."""
    if tokenizer is None or not tokenizer.chat_template:
        return {"name": None, "sha256": None, "parity": None}
    own = tokenizer.apply_chat_template(PROBE, tokenize=True, return_dict=False)
    try:
        ours = tokenizing.tokenize(
            [Conversation(PROBE, None, "probe", 0)], tokenizer, max_length=None
        )
        parity = "equal" if list(ours[0]["input_ids"]) == list(own) else "different"
    except RunStopped:
        parity = None  # the template takes rows of another shape only
    return {"name": "tokenizer", "sha256": template_sha256(tokenizer), "parity": parity}


def _lengths(dataset: Dataset) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Tokens and trained tokens of each row."""
    rows = dataset.with_format("arrow")[:]
    if not {"input_ids", "labels"} <= set(dataset.column_names):
        return numpy.zeros(0, dtype=int), numpy.zeros(0, dtype=int)
    lengths = rows["input_ids"].combine_chunks().value_lengths().to_numpy(zero_copy_only=False)
    trained = [int((numpy.asarray(row) != IGNORED).sum()) for row in rows["labels"].to_pylist()]
    return lengths.astype(int), numpy.asarray(trained, dtype=int)


def _first(dataset: Dataset, shown: int | None) -> list[dict[str, Any]]:
    if not {"input_ids", "labels"} <= set(dataset.column_names):
        return []
    count = len(dataset) if shown is None else min(shown, len(dataset))
    columns = dataset.with_format(None)[:count] if count else {"input_ids": [], "labels": []}
    return [
        {"input_ids": ids, "labels": labels}
        for ids, labels in zip(columns["input_ids"], columns["labels"], strict=True)
    ]


def _samples(found: Findings, shown: int | None, bad: dict[Place, str]) -> list[dict[str, Any]]:
    """The first rows of each split with their place in their file; with all, the bad ones too."""
    samples = []
    for number, (split, dataset) in enumerate(found.datasets.items()):
        kept = found.kept[min(number, len(found.kept) - 1)] if found.kept else []
        rows = _file_rows(dataset, kept)
        for at, columns in enumerate(_first(dataset, shown)):
            samples.append(_sample(found.tokenizer, split, rows[at] if rows else None, columns))
    if shown is None:
        only = next(iter(found.datasets), None) if len(found.datasets) == 1 else None
        for place in found.places:
            if place in bad:
                samples.append({"split": only, "row": place[1], "dropped": bad[place]})
    return samples


def _file_rows(dataset: Dataset, kept: list[Place]) -> list[int] | None:
    """The row of its file for each row of a data set; None where one row holds several of them.

    A part that was cut off by `train_test_split` is a view: its indices say which rows it took.
    """
    indices = dataset._indices
    at = indices.column(0).to_pylist() if indices is not None else list(range(len(dataset)))
    packed = "seq_lengths" in dataset.column_names or (at and max(at) >= len(kept))
    return None if packed else [kept[position][1] for position in at]


def _sample(tokenizer: Any, split: str, number: int | None, row: dict[str, Any]) -> dict[str, Any]:
    pieces = _pieces(tokenizer, row["input_ids"], row["labels"])
    return {
        "split": split,
        "row": number,
        "text": _decoded(tokenizer, row["input_ids"]),
        "input_ids": row["input_ids"],
        "labels": row["labels"],
        "trained_text": [text for text, trained in pieces if trained],
    }


def _pieces(tokenizer: Any, ids: list[int], labels: list[int]) -> list[tuple[str, bool]]:
    """The text in runs of trained and other tokens."""
    pieces = []
    at = 0
    while at < len(ids):
        trained = labels[at] != IGNORED
        end = at
        while end < len(ids) and (labels[end] != IGNORED) == trained:
            end += 1
        pieces.append((_decoded(tokenizer, ids[at:end]), trained))
        at = end
    return pieces


def _decoded(tokenizer: Any, ids: list[int]) -> str:
    return str(tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False))


def _print_text(result: dict[str, Any], script: Path, color: bool) -> None:
    """The report for a person; trained text stands in green, or in ⟦ ⟧ when piped."""
    with contextlib.suppress(AttributeError, ValueError):  # a stream that is no terminal's
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    rows, tokens, template = result["rows"], result["tokens"], result["template"]
    print(f"audit of {result['run']} ({script}), level {result['level']}")
    if not rows["read"] and result["diagnostics"]:
        print("nothing was read")
        _print_problems(result["diagnostics"])
        return
    print(f"rows      {rows['read']} read, {rows['kept']} usable, {rows['dropped']} not")
    for reason, count in rows["by_reason"].items():
        print(f"          {count} × {reason}")
    share = f" ({tokens['trained'] / tokens['total']:.0%})" if tokens["total"] else ""
    print(f"tokens    {tokens['total']:,}, of these {tokens['trained']:,} trained{share}")
    print(f"lengths   median {tokens['p50']}, 95 % under {tokens['p95']}, longest {tokens['max']}")
    if template["sha256"]:
        print(f"template  {template['name']}, sha256 {template['sha256'][:16]}")
    opening, closing = ("\x1b[32m", "\x1b[0m") if color else ("⟦", "⟧")
    for sample in result["samples"]:
        if "dropped" in sample:
            continue
        text, at = "", 0
        for piece in sample["trained_text"]:
            place = sample["text"].find(piece, at)
            if place < 0:  # a decoder that joins runs in another way than the whole
                break
            text += sample["text"][at:place] + opening + piece + closing
            at = place + len(piece)
        row = "packed row" if sample["row"] is None else f"row {sample['row']}"
        print(f"\n{sample['split']}, {row}, {len(sample['input_ids'])} tokens:")
        print(text + sample["text"][at:])
    _print_problems(result["diagnostics"])


def _print_problems(diagnostics: list[dict[str, Any]]) -> None:
    """The problems on stderr, the first twenty of them."""
    sys.stdout.flush()
    for found in diagnostics[:MOST_ERRORS]:
        place = ", row ".join(str(found[k]) for k in ("data_file", "row") if k in found)
        spec = f" ({found['file']}:{found['line']})" if "line" in found else ""
        shown = f"{place}: " if place else ""
        print(f"error[{found['code']}]: {shown}{found['message']}{spec}", file=sys.stderr)
    if (more := len(diagnostics) - MOST_ERRORS) > 0:
        print(f"and {more} more; `--format json` lists all", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
