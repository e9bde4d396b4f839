"""The last check before weights load, on the very data sets that will train."""

from typing import Any

import numpy
import pyarrow
from datasets import Dataset

from ftruntime.stops import Problem, RunStopped
from ftruntime.templates import turn_end_ids

IGNORED = -100


def check_datasets(datasets: dict[str, Dataset], tokenizer: Any) -> None:
    """Raises RunStopped unless each split has rows, ids that exist and labels that teach.

    In every row at least one token is trained, a label equals the id at its place, and each run
    of trained tokens ends with the token that closes an assistant turn.
    """
    ends = numpy.asarray(turn_end_ids(tokenizer))
    problems: list[Problem] = []
    for split, dataset in datasets.items():
        if len(dataset) == 0:
            problems.append(Problem("FT707", f"`{split}` has no row"))
            continue
        missing = {"input_ids", "labels"} - set(dataset.column_names)
        if missing:
            names = ", ".join(sorted(missing))
            problems.append(Problem("FT707", f"`{split}` has no column {names}"))
            continue
        problems += _row_problems(dataset, split, len(tokenizer), ends)
    if problems:
        raise RunStopped(problems, "the data cannot train; nothing was loaded:")


def _row_problems(
    dataset: Dataset, split: str, vocabulary: int, ends: numpy.ndarray
) -> list[Problem]:
    table = dataset.with_format("arrow")[:]
    ids, ids_at = _flat(table["input_ids"])
    labels, labels_at = _flat(table["labels"])
    if len(ids_at) != len(labels_at) or (ids_at != labels_at).any():
        uneven = numpy.flatnonzero(numpy.diff(ids_at) != numpy.diff(labels_at))
        return _at_rows(split, uneven, "`labels` and `input_ids` differ in length")
    row_of = numpy.repeat(numpy.arange(len(ids_at) - 1), numpy.diff(ids_at))
    trained = labels != IGNORED
    problems = _at_rows(
        split,
        numpy.unique(row_of[(ids < 0) | (ids >= vocabulary)]),
        f"a token id outside the vocabulary of {vocabulary}",
    )
    problems += _at_rows(
        split,
        numpy.unique(row_of[trained & (labels != ids)]),
        "a label that is not the token at its place",
    )
    counts = numpy.bincount(row_of[trained], minlength=len(ids_at) - 1)
    problems += _at_rows(split, numpy.flatnonzero(counts == 0), "no token is trained")
    # The last token of a run: the next is not trained, or belongs to the next row.
    last = trained.copy()
    last[:-1] &= ~trained[1:] | (row_of[1:] != row_of[:-1])
    open_runs = last & ~numpy.isin(ids, ends)
    problems += _at_rows(
        split, numpy.unique(row_of[open_runs]), "a trained turn without its end token"
    )
    return problems


def _flat(column: Any) -> tuple[numpy.ndarray, numpy.ndarray]:
    """All values of a list column and the offsets of its rows, starting at 0."""
    array = column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column
    if isinstance(array, pyarrow.ChunkedArray):
        array = pyarrow.concat_arrays(array.chunks)
    offsets = array.offsets.to_numpy().astype(numpy.int64)
    values = array.flatten().to_numpy(zero_copy_only=False)
    return values, offsets - offsets[0]


def _at_rows(split: str, rows: numpy.ndarray, message: str) -> list[Problem]:
    return [Problem("FT707", f"`{split}`: {message}", None, int(row)) for row in rows]
