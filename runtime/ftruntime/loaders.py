"""Local files → rows: JSON, JSON Lines, CSV and Parquet, each row with its file and its index.

Files are read with the standard library and pyarrow. `datasets.load_dataset` gives every row the
union of all keys and refuses mixed types and top-level lists, so a row would not come back as it
stands in the file.
"""

import csv
import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from ftruntime.stops import Problem, RunStopped

READERS = ".json, .jsonl, .csv, .tsv or .parquet"
COMPRESSED = {".gz", ".bz2", ".xz", ".zst", ".zip", ".tar", ".tgz"}


@dataclass(frozen=True, slots=True)
class Row:
    """One row as it stands in its file; `index` counts from 0 in the order of the file."""

    data: Any
    file: str
    index: int


def read_files(pattern: str | Path) -> list[Row]:
    """Every row of the files that match, files in the order of their paths.

    Raises RunStopped when nothing matches or a file cannot be read, naming file, line and reason.
    """
    rows: list[Row] = []
    problems: list[Problem] = []
    for path, name in _matches(str(pattern)):
        found, wrong = _rows_of(path, name)
        rows += found
        problems += wrong
    if problems:
        raise RunStopped(problems, f"the data of {Path(pattern).name} cannot be read:")
    return rows


def _matches(pattern: str) -> list[tuple[Path, str]]:
    """The files and a short name for each: its path below the part without wildcards."""
    if Path(pattern).is_file():
        return [(Path(pattern), Path(pattern).name)]
    if Path(pattern).is_dir():
        message = f"{pattern} is a folder: name its files, such as {pattern}/*.jsonl"
        raise RunStopped([Problem("FT702", message)])
    parts = Path(pattern).parts
    # Folders that are there stand for themselves, whatever brackets their names have.
    fixed = next((i for i in range(len(parts) - 1, 0, -1) if Path(*parts[:i]).is_dir()), 0)
    base = Path(*parts[:fixed])
    paths = sorted(path for path in base.glob(str(Path(*parts[fixed:]))) if path.is_file())
    if not paths:
        raise RunStopped([Problem("FT702", f"no file matches {pattern}")])
    return [(path, path.relative_to(base).as_posix()) for path in paths]


def _rows_of(path: Path, name: str) -> tuple[list[Row], list[Problem]]:
    suffix = path.suffix.lower()
    try:
        if suffix == ".parquet":
            values = _parquet_rows(path)
        elif suffix in COMPRESSED:
            return [], [Problem("FT702", f"{suffix} files are not read: unpack it first", name)]
        elif suffix not in {".json", ".jsonl", ".ndjson", ".csv", ".tsv"}:
            given = suffix or "files without suffix"
            message = f"chat rows come from {READERS} files, not {given}"
            return [], [Problem("FT702", message, name)]
        else:
            text = path.read_bytes().decode("utf-8-sig")
            if not text.strip():
                return [], [Problem("FT702", "the file is empty", name)]
            if suffix in {".csv", ".tsv"}:
                return _csv_rows(text, name, "\t" if suffix == ".tsv" else ",")
            return _json_rows(text, name, lines_first=suffix != ".json")
    except UnicodeDecodeError as error:
        message = f"not UTF-8: byte {error.object[error.start]:#04x} at offset {error.start}"
        return [], [Problem("FT702", f"{message}; save the file as UTF-8", name)]
    except (pyarrow.ArrowException, OSError) as error:
        return [], [Problem("FT702", f"cannot be read: {_one_line(error)}", name)]
    if not values:
        return [], [Problem("FT702", "the file holds no row", name)]
    return [Row(value, name, i) for i, value in enumerate(values)], []


def _json_rows(text: str, name: str, lines_first: bool) -> tuple[list[Row], list[Problem]]:
    """A JSON array, an object around one list of rows, or one JSON value a line.

    The suffix only says what is tried first: both forms are found under either suffix.
    """
    rows, problems, count = _json_line_rows(text, name) if lines_first else ([], [], 0)
    single = len(rows) == 1 and isinstance(rows[0].data, list) and not _is_chat(rows[0].data)
    if lines_first and not problems and not single:
        return rows, []
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as error:
        if lines_first:
            return rows, problems
        rows, problems, count = _json_line_rows(text, name)
        # A file of lines has more good lines than bad ones; otherwise it is one broken document.
        if len(problems) * 2 <= count and count > 1:
            return rows, problems
        message = f"line {error.lineno}, column {error.colno}: {error.msg}"
        return [], [Problem("FT702", f"not JSON: {message}", name)]
    except RecursionError:
        return [], [Problem("FT702", "not readable as JSON: nested too deeply", name)]
    values = _values_of(whole)
    if not values:
        return [], [Problem("FT702", "the file holds no row", name)]
    return [Row(value, name, i) for i, value in enumerate(values)], []


def _json_line_rows(text: str, name: str) -> tuple[list[Row], list[Problem], int]:
    """Split at line feeds only: other line separators are legal inside JSON strings."""
    rows: list[Row] = []
    problems: list[Problem] = []
    index = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.append(Row(json.loads(line), name, index))
        except json.JSONDecodeError as error:
            message = f"line {number} is not JSON: {error.msg} at column {error.colno}"
            problems.append(Problem("FT702", message, name, index))
        except RecursionError:
            problems.append(Problem("FT702", f"line {number} is nested too deeply", name, index))
        index += 1
    return rows, problems, index


def _values_of(whole: Any) -> list[Any]:
    """The rows of one JSON document; an object may wrap them in its only list of objects."""
    if isinstance(whole, list):
        return [whole] if _is_chat(whole) else whole
    if isinstance(whole, dict):
        lists = [
            value
            for value in whole.values()
            if isinstance(value, list) and value and all(isinstance(v, dict) for v in value)
        ]
        if len(lists) == 1 and not _is_chat(lists[0]):
            return lists[0]
    return [whole]


def _is_chat(value: list[Any]) -> bool:
    """Whether a list is one conversation rather than a list of rows."""
    return bool(value) and all(
        isinstance(item, dict) and ("role" in item or "from" in item) for item in value
    )


def _csv_rows(text: str, name: str, delimiter: str) -> tuple[list[Row], list[Problem]]:
    """All columns stay strings; a row with another number of fields than the header is refused."""
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # the default refuses texts over 128 KiB
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[Row] = []
    problems: list[Problem] = []
    try:
        header = next(reader)
        twice = sorted({column for column in header if header.count(column) > 1})
        if twice:
            return [], [Problem("FT702", f"the header names {', '.join(twice)} twice", name)]
        index = 0
        for fields in reader:
            if not fields:
                continue
            if len(fields) != len(header):
                message = (
                    f"fields of line {reader.line_num}: {len(fields)}, of the header: {len(header)}"
                )
                problems.append(Problem("FT702", message, name, index))
            else:
                rows.append(Row(dict(zip(header, fields, strict=True)), name, index))
            index += 1
    except csv.Error as error:
        problems.append(Problem("FT702", f"line {reader.line_num} is not CSV: {error}", name))
    if not rows and not problems:
        problems.append(Problem("FT702", "the file holds a header and no row", name))
    return rows, problems


def _parquet_rows(path: Path) -> list[Any]:
    """Rows of a Parquet file, without the nulls that columnar storage fills nested objects with."""
    rows = pyarrow.parquet.ParquetFile(path).read().to_pylist()
    return [{key: _without_nulls(value) for key, value in row.items()} for row in rows]


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_nulls(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    return value


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
