"""Every file format, and every way in which a file is refused."""

import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from ftruntime.loaders import Row, read_files
from ftruntime.stops import Problem, RunStopped

TURNS = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def problems_of(path: Path) -> list[Problem]:
    with pytest.raises(RunStopped) as stopped:
        read_files(path)
    assert stopped.value.code, "a message makes the exit code 1"
    return stopped.value.problems


def data_of(path: Path) -> list[object]:
    return [row.data for row in read_files(path)]


def test_json_array(tmp_path: Path) -> None:
    path = written(tmp_path, "rows.json", '[{"a": "x"}, {"b": 1}]')
    assert read_files(path) == [Row({"a": "x"}, "rows.json", 0), Row({"b": 1}, "rows.json", 1)]


def test_json_object_around_its_only_list(tmp_path: Path) -> None:
    path = written(tmp_path, "rows.json", '{"version": 2, "data": [{"a": 1}, {"a": 2}]}')
    assert data_of(path) == [{"a": 1}, {"a": 2}]


def test_json_object_that_is_one_conversation(tmp_path: Path) -> None:
    whole = {"id": 1, "messages": TURNS}
    assert data_of(written(tmp_path, "one.json", json.dumps(whole, indent=1))) == [whole]


def test_lines_under_json_and_array_under_jsonl(tmp_path: Path) -> None:
    rows = [{"messages": TURNS}, {"messages": TURNS}]
    lines = "\n".join(json.dumps(row) for row in rows)
    assert data_of(written(tmp_path, "lines.json", lines)) == rows
    assert data_of(written(tmp_path, "array.jsonl", json.dumps(rows))) == rows
    assert data_of(written(tmp_path, "pretty.jsonl", json.dumps(rows, indent=2))) == rows


def test_a_line_may_be_a_list_of_messages(tmp_path: Path) -> None:
    line = json.dumps(TURNS)
    assert data_of(written(tmp_path, "one.jsonl", line)) == [TURNS]
    assert data_of(written(tmp_path, "two.jsonl", f"{line}\n{line}\n")) == [TURNS, TURNS]


def test_jsonl_blank_lines_bom_crlf_and_line_separators(tmp_path: Path) -> None:
    text = '\ufeff{"a": "x\u2028y"}\r\n\r\n{"a": "z"}\r\n'
    rows = read_files(written(tmp_path, "rows.jsonl", text))
    assert [(row.data, row.index) for row in rows] == [({"a": "x\u2028y"}, 0), ({"a": "z"}, 1)]


def test_all_malformed_lines_are_named(tmp_path: Path) -> None:
    path = written(tmp_path, "rows.jsonl", '{"a": 1}\n{"a": \n\n{"a": 3}\nnope\n')
    found = problems_of(path)
    assert [(p.code, p.file, p.row) for p in found] == [
        ("FT702", "rows.jsonl", 1),
        ("FT702", "rows.jsonl", 3),
    ]
    assert found[0].message.startswith("line 2 is not JSON: ")
    assert found[1].message.startswith("line 5 is not JSON: ")


def test_a_broken_document_is_one_problem(tmp_path: Path) -> None:
    (found,) = problems_of(written(tmp_path, "rows.json", '[\n{"a": 1},\n{"a": 2\n]'))
    assert found.message.startswith("not JSON: line 4, column 1")


def test_csv_keeps_strings_quotes_and_long_fields(tmp_path: Path) -> None:
    long = "x" * 200_000
    path = written(tmp_path, "rows.csv", f'\ufeffa,b\r\n"1, ""2""\nline",007\r\n{long},\r\n')
    assert data_of(path) == [{"a": '1, "2"\nline', "b": "007"}, {"a": long, "b": ""}]


def test_tsv(tmp_path: Path) -> None:
    assert data_of(written(tmp_path, "rows.tsv", "a\tb\n1,5\t2\n")) == [{"a": "1,5", "b": "2"}]


def test_ragged_csv_rows_are_named(tmp_path: Path) -> None:
    found = problems_of(written(tmp_path, "rows.csv", "a,b\n1,2\n1\n1,2,3\n"))
    assert [(p.row, p.message) for p in found] == [
        (1, "fields of line 3: 1, of the header: 2"),
        (2, "fields of line 4: 3, of the header: 2"),
    ]


def test_csv_header_with_a_name_twice(tmp_path: Path) -> None:
    (found,) = problems_of(written(tmp_path, "rows.csv", "a,a\n1,2\n"))
    assert found.message == "the header names a twice"


def test_parquet_gives_rows_without_filled_in_nulls(tmp_path: Path) -> None:
    rows = [
        {"messages": [{"role": "user", "content": "a"}], "tools": [{"name": "f", "n": 1}]},
        {"messages": [{"role": "tool", "content": "b", "name": "f"}], "tools": [{"name": "g"}]},
    ]
    path = tmp_path / "rows.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    assert data_of(path) == rows


def test_broken_parquet(tmp_path: Path) -> None:
    (found,) = problems_of(written(tmp_path, "rows.parquet", b"PAR1 and no more"))
    assert found.code == "FT702" and found.message.startswith("cannot be read: ")


def test_glob_is_sorted_and_names_are_below_its_fixed_part(tmp_path: Path) -> None:
    (tmp_path / "data" / "x").mkdir(parents=True)
    written(tmp_path, "data/b.jsonl", '{"n": 2}')
    written(tmp_path, "data/a.jsonl", '{"n": 1}')
    written(tmp_path, "data/x/c.jsonl", '{"n": 3}')
    written(tmp_path, "data/skip.txt", "no")
    rows = read_files(tmp_path / "data/**/*.jsonl")
    assert [(row.file, row.data["n"]) for row in rows] == [
        ("a.jsonl", 1),
        ("b.jsonl", 2),
        ("x/c.jsonl", 3),
    ]


def test_folders_with_glob_characters_stand_for_themselves(tmp_path: Path) -> None:
    """The spec's own folder may be called `jobs [new]`; only the rest is a pattern."""
    folder = tmp_path / "jobs [new]" / "data*"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").write_text('{"x": 1}\n')
    rows = read_files(folder / "*.jsonl")
    assert [(row.file, row.data) for row in rows] == [("a.jsonl", {"x": 1})]


def test_a_name_with_glob_characters_that_exists(tmp_path: Path) -> None:
    assert data_of(written(tmp_path, "rows[1].jsonl", '{"n": 1}')) == [{"n": 1}]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("rows.json", "", "the file is empty"),
        ("rows.jsonl", " \n", "the file is empty"),
        ("rows.json", "[]", "the file holds no row"),
        ("rows.csv", "a,b\n", "the file holds a header and no row"),
        ("rows.txt", "[1]", "chat rows come from .json, .jsonl, .csv, .tsv or .parquet files"),
        ("rows.jsonl.gz", b"\x1f\x8b", ".gz files are not read: unpack it first"),
        ("rows.jsonl", b'{"a": "\xe9"}', "not UTF-8: byte 0xe9 at offset 7"),
    ],
)
def test_refused_files(tmp_path: Path, name: str, text: str | bytes, says: str) -> None:
    (found,) = problems_of(written(tmp_path, name, text))
    assert (found.code, found.file) == ("FT702", name)
    assert found.message.startswith(says)


def test_no_match_and_a_folder(tmp_path: Path) -> None:
    (found,) = problems_of(tmp_path / "*.jsonl")
    assert found.message == f"no file matches {tmp_path}/*.jsonl"
    (found,) = problems_of(tmp_path / "none.jsonl")
    assert found.message == f"no file matches {tmp_path}/none.jsonl"
    (found,) = problems_of(tmp_path)
    assert found.message.endswith("is a folder: name its files, such as " + f"{tmp_path}/*.jsonl")


def test_the_message_shows_five_and_counts_the_rest(tmp_path: Path) -> None:
    with pytest.raises(RunStopped) as stopped:
        read_files(written(tmp_path, "rows.jsonl", "[]\n" * 8 + "no\n" * 7))
    lines = str(stopped.value.code).splitlines()
    assert len(lines) == 7
    assert lines[1].startswith("  rows.jsonl, row 8: line 9 is not JSON: ")
    assert lines[-1] == "  and 2 more like these"
