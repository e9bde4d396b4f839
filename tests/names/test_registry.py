"""Another tool's `dataset_info.json` as declarations: each key, what is told, where it stands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ftruntime.conversations import ROLES
from hypothesis import given, settings
from hypothesis import strategies as st

from ftlang.names.registry import Registry, registry, remarked
from ftlang.names.registry_entry import KEYS as REGISTRY_KEYS
from ftlang.names.registry_format import USUAL
from ftlang.record import Record
from ftlang.source import SourceFile, Span
from ftlang.syntax import ast, parse
from ftlang.syntax.literals import quoted


def read(text: str, path: Path | None = None) -> Registry:
    return registry(SourceFile("dataset_info.json", text, path))


def of(path: Path | None = None, /, **entry: Any) -> Registry:
    """The registry with the one entry `x`."""
    return read(json.dumps({"x": entry}), path)


def rows(**entry: Any) -> Registry:
    return of(file_name="rows.json", **entry)


def said(read: Registry) -> list[tuple[str, str, str]]:
    """Code, place and message of everything that is wrong."""
    every = [*read.found, *(d for each in read.remarks.values() for d in each)]
    return [(d.code, d.span.text, d.message) for d in every]


def ft(node: Any) -> str:
    """A node as a `.ft` file has it."""
    match node:
        case ast.Block():
            body = "\n".join(f"  {ft(entry)}" for entry in node.body or ())
            return f"{node.name.text} {node.kind and node.kind.text} {{\n{body}\n}}\n"
        case ast.Attr():
            return f"{node.path.text} {node.op} {ft(node.value)}"
        case ast.Call():
            keywords = [f"{k.name.text} = {ft(k.value)}" for k in node.keywords]
            return f"{node.path.text}({', '.join([*map(ft, node.args), *keywords])})"
        case ast.MapValue():
            return "{ " + ", ".join(f"{ft(p.key)} = {ft(p.value)}" for p in node.pairs) + " }"
        case ast.Str():
            return quoted(node.value)
        case ast.Path() | ast.Number():
            return node.text
        case ast.Nothing():
            return "none"
    raise AssertionError(node)


def field(read: Registry, name: str) -> str:
    """A field of the one entry, which has nothing wrong with it."""
    assert said(read) == []
    (block,) = read.tree.items
    assert isinstance(block, ast.Block) and block.kind is not None and block.kind.text == "x"
    (value,) = [
        e.value for e in block.body or () if isinstance(e, ast.Attr) and e.path.text == name
    ]
    return ft(value)


SOURCES = [
    ({"file_name": "a.json"}, 'files("a.json")'),
    ({"file_name": "${DATA}/a.json"}, 'files("$${DATA}/a.json")'),
    ({"file_name": "a.json", "split": "train"}, 'files("a.json")'),
    ({"hf_hub_url": "o/n"}, 'hf("o/n")'),
    ({"hf_hub_url": "o/n", "ms_hub_url": "p/q", "om_hub_url": "r/s"}, 'hf("o/n")'),
    (
        {"hf_hub_url": "o/n", "subset": "en", "split": "test", "revision": "v1"},
        'hf("o/n", name = "en", split = "test", revision = "v1")',
    ),
    ({"hf_hub_url": "o/n", "subset": None, "folder": None}, 'hf("o/n")'),
]

USER = {"role_tag": "role", "content_tag": "content", "user_tag": "user"}
CHAT = {**USER, "assistant_tag": "assistant", "system_tag": "system"}
FORMATS: list[tuple[dict[str, Any], str]] = [
    ({}, "alpaca()"),
    ({"formatting": "alpaca", "ranking": False}, "alpaca()"),
    ({"columns": {"prompt": "q", "query": "more", "response": "a"}},
     'alpaca(instruction = "q", input = "more", output = "a")'),
    ({"columns": {"prompt": "q", "response": "a"}},
     'alpaca(instruction = "q", input = none, output = "a")'),
    ({"columns": {"prompt": "input", "response": "output", "system": "s", "history": "h"}},
     'alpaca(instruction = "input", input = none, system = "s", history = "h")'),
    ({"columns": {"prompt": "text"}}, "text()"),
    ({"columns": {"prompt": "body"}}, 'text(column = "body")'),
    ({"ranking": True, "columns": {"prompt": "q", "query": "i", "chosen": "c", "rejected": "r"}},
     'preference(prompt = "q", input = "i", chosen = "c", rejected = "r")'),
    ({"columns": {"prompt": "prompt", "response": "answer", "kto_tag": "liked"}},
     'unpaired(completion = "answer", label = "liked")'),
    ({"formatting": "sharegpt"}, "sharegpt()"),
    ({"formatting": "sharegpt", "columns": {"messages": "m", "tools": "t", "system": "s"}},
     'sharegpt(messages = "m", system = "s", tools = "t")'),
    ({"formatting": "sharegpt", "columns": {"tools": "tools"}}, "sharegpt()"),
    ({"formatting": "sharegpt", "columns": {"messages": "messages"}, "tags": CHAT}, "messages()"),
    ({"formatting": "sharegpt", "columns": {"messages": "m", "tools": "f"}, "tags": CHAT},
     'messages(column = "m", tools = "f")'),
    ({"formatting": "sharegpt", "columns": {"messages": "m", "system": "s"}, "tags": CHAT},
     'sharegpt(messages = "m", role = "role", content = "content", system = "s")'),
    ({"formatting": "openai", "columns": {"messages": "messages"}}, "messages()"),
    ({"formatting": "openai", "tags": {"role_tag": "who"}},
     'sharegpt(role = "who", content = "content")'),
    ({"formatting": "sharegpt", "tags": {"user_tag": "customer", "assistant_tag": "gpt",
      "observation_tag": "result", "function_tag": "call", "system_tag": "note"}},
     'sharegpt(roles = { "customer" = user, "result" = tool, "call" = function_call, '
     '"note" = system })'),
    ({"formatting": "sharegpt", "ranking": True, "columns": {"messages": "conversations",
      "chosen": "chosen", "rejected": "no"}},
     'preference(messages = "conversations", role = "from", content = "value", rejected = "no")'),
    ({"formatting": "sharegpt", "columns": {"messages": "messages", "kto_tag": "label"},
      "tags": CHAT}, 'unpaired(messages = "messages")'),
    ({"formatting": "sharegpt", "columns": {"images": "images", "videos": "v", "audios": "a"}},
     'sharegpt(images = "images", videos = "v", audios = "a")'),
]  # fmt: skip


@pytest.mark.parametrize(("entry", "expected"), SOURCES)
def test_where_rows_come_from(entry: dict[str, Any], expected: str) -> None:
    assert field(of(**entry), "source") == expected


@pytest.mark.parametrize(("entry", "expected"), FORMATS)
def test_how_a_row_is_laid_out(entry: dict[str, Any], expected: str) -> None:
    assert field(rows(**entry), "format") == expected


def test_a_sample_is_a_limit() -> None:
    assert field(rows(num_samples=500), "limit") == "500"


def without_spans(node: Any) -> Any:
    if isinstance(node, tuple):
        return tuple(map(without_spans, node))
    if not isinstance(node, Record):
        return node
    fields = {k: without_spans(v) for k, v in node.__dict__.items()}
    kept = {k: v for k, v in fields.items() if k not in ("span", "head", "source")}
    return type(node).__name__, tuple(kept.items())


@pytest.mark.parametrize("entry", [*(e for e, _ in FORMATS), {"num_samples": 5}])
def test_the_nodes_are_those_of_the_same_words(entry: dict[str, Any]) -> None:
    (block,) = rows(**entry).tree.items
    tree, found = parse(SourceFile("x.ft", ft(block)))
    assert found == []
    assert without_spans(tree.items) == without_spans((block,))


def spans(node: Any) -> list[Span]:
    if isinstance(node, Span):
        return [node]
    inside = node if isinstance(node, tuple) else node.__dict__.values()
    return [s for v in inside if isinstance(v, tuple | Record | Span) for s in spans(v)]


def test_every_span_lies_in_the_entry() -> None:
    text = json.dumps({"before": {"file_name": "b"}, "x": {"file_name": "a", **FORMATS[-4][0]}})
    block = read(text).tree.items[1]
    start = text.index("x")
    assert all(start <= one.start < one.end < len(text) for one in spans(block))
    assert block.span.text.startswith('x": {') and block.span.text.endswith("}}")


def test_words_stand_where_the_json_has_them() -> None:
    (block,) = rows(columns={"prompt": "q", "response": "a"}).tree.items
    assert isinstance(block, ast.Block)
    source, format = block.body or ()
    assert source.span.text == 'file_name": "rows.json"'
    assert isinstance(format, ast.Attr) and isinstance(format.value, ast.Call)
    assert [k.span.text for k in format.value.keywords] == [
        'prompt": "q"',
        "columns",
        'response": "a"',
    ]


LEFT_OUT: list[tuple[dict[str, Any], str, str]] = [
    ({}, "x", "nothing says where its rows are"),
    ({"ms_hub_url": "a/b"}, "ms_hub_url", "its rows lie on ModelScope"),
    ({"om_hub_url": "a/b"}, "om_hub_url", "its rows lie on Modelers"),
    ({"script_url": "a", "file_name": "b"}, "script_url", "its rows come from a loading script"),
    ({"cloud_file_name": "s3://a/b.json"}, "cloud_file_name", "its rows lie in a bucket"),
    ({"hf_hub_url": "o/n", "folder": "python"}, "folder",
     "one folder of a repository cannot be named here"),
    ({"file_name": "a", "split": "test"}, '"test"', "files have one split, `train`"),
    ({"file_name": 5}, "5", "`file_name` needs a JSON string"),
    ({"file_name": "a", "ranking": "yes"}, '"yes"', "`ranking` needs `true` or `false`"),
    ({"file_name": "a", "columns": ["prompt"]}, '["prompt"]', "`columns` needs a JSON object"),
    ({"file_name": "a", "num_samples": "5"}, '"5"', "`num_samples` needs a JSON number"),
    ({"file_name": "a", "formatting": "sharegtp"}, '"sharegtp"',
     "there is no formatting `sharegtp`"),
    ({"file_name": "a", "columns": {"system": "s"}}, "columns",
     "`columns` names no `prompt`, so that its rows have none in LLaMA-Factory"),
    ({"file_name": "a", "columns": {"prompt": "p", "query": "q"}}, "query",
     "its rows have a `prompt` and a `query`, and no `response` to learn"),
    ({"file_name": "a", "ranking": True}, "ranking",
     "such rows need a `chosen` in `columns`, which has no default"),
    ({"file_name": "a", "columns": {"prompt": "p", "kto_tag": "k"}}, "kto_tag",
     "such rows need a `response` in `columns`, which has no default"),
    ({"file_name": "a", "formatting": "sharegpt", "tags": {"user_tag": "a", "assistant_tag": "a"}},
     '"a"', "`a` is the tag of two roles"),
]  # fmt: skip


@pytest.mark.parametrize(("entry", "place", "why"), LEFT_OUT)
def test_an_entry_that_cannot_be_said_is_left_out(
    entry: dict[str, Any], place: str, why: str
) -> None:
    text = json.dumps({"x": entry, "y": {"file_name": "y.json"}})
    got = read(text)
    assert said(got) == [("FT152", place, f"`x` is left out: {why}")]
    assert got.found == []
    assert [b.kind.text for b in got.tree.items if isinstance(b, ast.Block) and b.kind] == ["y"]


@pytest.mark.parametrize("value", ["a comment", 5, None, [], True])
def test_an_entry_that_is_no_object_is_left_out(value: Any) -> None:
    ((code, place, message),) = said(read(json.dumps({"_note": value})))
    assert (code, place) == ("FT152", json.dumps(value))
    assert message.startswith("`_note` is left out: an entry is a JSON object, not ")


UNUSED: list[tuple[dict[str, Any], str]] = [
    ({"hf_hub_url": "o/n"}, "file_name"),
    ({"subset": "en"}, "subset"),
    ({"folder": "en"}, "folder"),
    ({"tags": {"role_tag": "role"}}, "tags"),
    ({"frmatting": "sharegpt"}, "frmatting"),
    ({"columns": {"prompt": "p", "response": "r", "tools": "t"}}, "tools"),
    ({"columns": {"prompt": "p", "response": "r", "chosen": "c"}}, "chosen"),
    ({"columns": {"prompt": "p", "response": "r", "quary": "c"}}, "quary"),
    ({"columns": {"prompt": "p", "system": "s"}}, "system"),
    ({"formatting": "sharegpt", "columns": {"prompt": "p"}}, "prompt"),
    ({"formatting": "sharegpt", "tags": {"usr_tag": "user"}}, "usr_tag"),
    ({"ranking": True, "columns": {"prompt": "p", "response": "r", "kto_tag": "k"}}, "ranking"),
]


@pytest.mark.parametrize(("entry", "key"), UNUSED)
def test_a_key_that_is_not_used_is_told_of(entry: dict[str, Any], key: str) -> None:
    got = rows(**entry)
    ((code, place, message),) = said(got)
    assert (code, place) == ("FT153", key)
    assert message.startswith(f"`{key}` is not used: ")
    assert len(got.tree.items) == 1


def test_a_misspelt_key_gets_its_neighbour() -> None:
    (found,) = rows(columns={"prompt": "p", "responce": "r"}).remarks["x"]
    assert found.help == ("did you mean `response`?",)


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("my data/v1", "my_data_v1"),
        ("belle_0.5m", "belle_0_5m"),
        ("7b", "_7b"),
        ("a--b-", "a_b_"),
        ("", "_"),
        ('"', "_"),
    ],
)
def test_a_name_is_mended_with_a_note(key: str, name: str) -> None:
    got = read(json.dumps({key: {"file_name": "a"}}))
    (block,) = got.tree.items
    assert isinstance(block, ast.Block) and block.kind is not None and block.kind.text == name
    ((found,),) = got.remarks.values()
    assert (found.code, found.severity) == ("FT154", "note") and f"`{name}`" in found.message
    assert parse(SourceFile("x.ft", ft(block)))[1] == []


@pytest.mark.parametrize("key", ["données", "alpaca-gpt4_de", "none", "_a", "a1"])
def test_other_names_stay(key: str) -> None:
    got = read(json.dumps({key: {"file_name": "a"}}, ensure_ascii=False))
    assert said(got) == [] and got.tree.items[0].span.text.startswith(f'{key}"')


def test_two_names_that_fall_together() -> None:
    got = read('{"a b": {"file_name": "1"}, "a_b": {"file_name": "2"}}')
    (found,) = got.found
    assert (found.code, found.span.text) == ("FT151", "a_b")
    assert [label.span.text for label in found.labels] == ["a b"]


def test_a_folder_is_the_pattern_of_its_files(tmp_path: Path) -> None:
    here = tmp_path / "dataset_info.json"
    for name in ("good/a.jsonl", "good/b.jsonl", "good/README.md", "bad/a.csv", "bad/b.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "empty").mkdir()
    assert field(of(here, file_name="good/"), "source") == 'files("good/*.jsonl")'
    assert field(of(here, file_name="gone"), "source") == 'files("gone")'
    assert field(of(here, file_name=""), "source") == 'files("")'
    assert field(of(here, file_name="a\0"), "source") == 'files("a\0")'
    assert "of several kinds: .csv, .json" in said(of(here, file_name="bad"))[0][2]
    assert "of no kind that is read" in said(of(here, file_name="empty"))[0][2]


BROKEN = [
    ("", "1, column 1: a value should stand where the end of the file does"),
    ("{", "1, column 2: a key in double quotes should stand where the end of the file does"),
    ("{\n  'a': 1}", "2, column 3: a key in double quotes should stand where `'a':` does"),
    ('{"a" 1}', "1, column 6: `:` should stand where `1}` does"),
    ('{"a": 1,}', "1, column 9: a comma before `}`"),
    ('{"a": [1, ]}', "1, column 11: a comma before `]`"),
    ('{"a": 1 "b": 2}', '1, column 9: `,` or `}` should stand where `"b":` does'),
    ('{"a": [1 2]}', "1, column 10: `,` or `]` should stand where `2]}` does"),
    ('{"a": True}', "1, column 7: a value should stand where `True}` does"),
    ('{"a": NaN}', "1, column 7: a value should stand where `NaN}` does"),
    ('{"a": 01}', "1, column 7: a value should stand where `01}` does"),
    ('{"a": 1} x', "1, column 10: the end of the file should stand where `x` does"),
    ('{"a": 1, // b\n}', "1, column 10: a key in double quotes should stand where `//` does"),
    ('{"a', "1, column 2: unterminated string"),
    ('{"a": "\t"}', "1, column 8: invalid control character"),
    (r'{"a": "\x"}', r"1, column 8: invalid \escape"),
    (r'{"a": "\ud800"}', "1, column 7: half of a surrogate pair in a string"),
    ("[" * 66, "1, column 66: nested more than 64 deep"),
]


@pytest.mark.parametrize(("text", "expected"), BROKEN)
def test_text_that_is_not_json(text: str, expected: str) -> None:
    got = read(text)
    assert got.tree.items == ()
    (found,) = got.found
    assert found.code == "FT150"
    assert found.message.startswith(f"this file is not JSON: line {expected}")


def test_deep_values_that_are_allowed() -> None:
    assert [d.code for d in read("[" * 64 + "]" * 64).found] == ["FT150"]  # no object, but JSON
    assert "a list" in read("[" * 64 + "]" * 64).found[0].message


@pytest.mark.parametrize("text", ["[]", "5", '"x"', "null", "\ufeff[]"])
def test_a_top_that_is_no_object(text: str) -> None:
    (found,) = read(text).found
    assert (found.code, found.message.split(",")[0]) == (
        "FT150",
        "a registry is a JSON object of entries by name",
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"x": {"file_name": "1"}, "x": {"file_name": "2"}}',
        '{"x": {"file_name": "1", "file_name": "2"}}',
        r'{"x": {"file_name": "1", "file\u005fname": "2"}}',
        '{"x": {"file_name": "1", "columns": {"prompt": "a", "prompt": "b", "response": "c"}}}',
    ],
)
def test_a_key_that_stands_twice(text: str) -> None:
    (found,) = read(text).found
    assert found.code == "FT151"
    assert found.labels[0].span.start < found.span.start
    (block,) = read(text).tree.items
    assert '"1"' in block.span.text  # the first holds


@given(st.text() | st.text(alphabet='{}[]":,\\ \n01eE-+.truefalsn\ud800"ax'))
@settings(max_examples=400, deadline=None)
def test_no_text_raises(text: str) -> None:
    got = read(text)
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        assert [d.code for d in got.found] == ["FT150"]


@given(st.binary())
@settings(max_examples=200, deadline=None)
def test_no_bytes_raise(data: bytes) -> None:
    read(data.decode("utf-8", "replace"))


KEYS = st.sampled_from(["other", *(key for keys in REGISTRY_KEYS.values() for key in keys.split())])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["alpaca", "sharegpt", "a", "${"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=4), st.dictionaries(KEYS, VALUES, max_size=8)))
@settings(max_examples=300, deadline=None)
def test_any_entries_give_blocks_or_remarks(entries: dict[str, Any]) -> None:
    """Each entry is a block that reads back as it was made, or is told of."""
    text = json.dumps(entries)
    got = read(text)
    told = [*got.found, *(d for each in got.remarks.values() for d in each)]
    out = [d for d in told if d.code in ("FT151", "FT152")]
    assert len(got.tree.items) + len(out) == len(entries)
    for block in got.tree.items:
        tree, found = parse(SourceFile("x.ft", ft(block)))
        assert found == [] and without_spans(tree.items) == without_spans((block,))


def test_roles_that_need_no_word_are_known_to_the_rows() -> None:
    assert all(ROLES[name] == role for role, names in USUAL.items() for name in names)


@pytest.mark.parametrize(
    ("text", "alias", "codes"),
    [
        ("train = d.gone", "d", ["FT152"]),
        ("train = d . gone", "d", ["FT152"]),
        ("train = d.good, gone = 1", "d", []),
        ("train = gone", "", ["FT152"]),
        ("train = odd_name", "", []),
        ("train = other", "", ["FT153"]),
    ],
)
def test_only_who_names_an_entry_hears_of_it(text: str, alias: str, codes: list[str]) -> None:
    got = read(
        '{"gone": {}, "good": {"file_name": "a"}, "odd name": {"file_name": "b"},'
        ' "other": {"file_name": "c", "unknown": 1}}'
    )
    assert sorted(got.remarks) == ["gone", "odd_name", "other"]
    assert [d.code for d in remarked(got, text, alias)] == codes


def test_the_real_registry(shared: Callable[[str], Path]) -> None:
    """Every entry of LLaMA-Factory's own file is a data set, or said not to be."""
    path = shared("datasets/llamafactory_demo/dataset_info.json")
    text = path.read_text("utf-8")
    got = read(text, path)
    assert got.found == []
    out = {name for name, each in got.remarks.items() for d in each if d.code == "FT152"}
    names = {b.kind.text for b in got.tree.items if isinstance(b, ast.Block) and b.kind}
    assert not out & names and len(out | names) == len(json.loads(text))
    assert out == {"deepctrl", "nectar_rm", "orca_dpo_de", "starcoder_python"}
    for block in got.tree.items:
        tree, found = parse(SourceFile("x.ft", ft(block)))
        assert found == [] and without_spans(tree.items) == without_spans((block,))
