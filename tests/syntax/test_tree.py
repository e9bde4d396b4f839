"""The tree of correct texts: nodes, values and spans."""

from __future__ import annotations

import pytest

from ftlang.source import SourceFile
from ftlang.syntax import ast, parse


def items(text: str) -> tuple[ast.Item, ...]:
    file, found = parse(SourceFile("x.ft", text))
    assert found == []
    return file.items


def value(text: str) -> ast.Value:
    (attr,) = items(f"x = {text}\n")
    assert isinstance(attr, ast.Attr)
    assert attr.value.span.text == text
    return attr.value


@pytest.mark.parametrize(
    ("written", "text", "unit"),
    [
        ("16", "16", ""),
        ("-1", "-1", ""),
        ("+2", "+2", ""),
        ("1_003_520", "1003520", ""),
        ("2e-4", "2e-4", ""),
        ("1E+5", "1E+5", ""),
        ("0.9", "0.9", ""),
        ("5%", "5", "%"),
        ("5 %", "5", "%"),
        ("4Ki", "4", "Ki"),
        ("4 Ki", "4", "Ki"),
        ("80GiB", "80", "GiB"),
        ("3 epochs", "3", "epochs"),
        ("3epochs", "3", "epochs"),
        ("0.25 epochs", "0.25", "epochs"),
        ("2B tokens", "2", "B tokens"),
        ("12h", "12", "h"),
    ],
)
def test_numbers(written: str, text: str, unit: str) -> None:
    number = value(written)
    assert isinstance(number, ast.Number)
    assert (number.text, number.unit) == (text, unit)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('"a\\n\\t\\r\\"\\\\"', 'a\n\t\r"\\'),
        ('"\\u{1F600}\\u{e9}"', "😀é"),
        ('"${run.name} $${x}"', "${run.name} $${x}"),
        ('""', ""),
        ('"""a\\d"""', "a\\d"),
        ('"""  a  """', "  a  "),
        ('"""\n    a\n      b\n\n    c\n    """', "a\n  b\n\nc\n"),
        ('"""\r\n  a\r\n  b"""', "a\nb"),
        ('"""say "hi""""', 'say "hi"'),
    ],
)
def test_strings(written: str, expected: str) -> None:
    string = value(written)
    assert isinstance(string, ast.Str)
    assert string.value == expected
    assert string.triple == written.startswith('"""')


def test_other_values() -> None:
    assert isinstance(value("none"), ast.Nothing)
    assert isinstance(yes := value("true"), ast.Bool) and yes.value
    assert isinstance(var := value("$d.rate"), ast.Var) and var.name == "d.rate"
    assert isinstance(path := value("d.ultra-chat.train"), ast.Path)
    assert path.text == "d.ultra-chat.train"
    assert isinstance(found := value("[a, [1], ]"), ast.ListValue)
    assert [type(each) for each in found.items] == [ast.Path, ast.ListValue]
    assert isinstance(mapped := value('{ "a.0" = 1, b.c = 2\n d = 3 }'), ast.MapValue)
    assert [type(pair.key) for pair in mapped.pairs] == [ast.Str, ast.Path, ast.Path]


def test_calls() -> None:
    call = value('path(env("S", default = "o"), x, k = [1])')
    assert isinstance(call, ast.Call)
    assert call.path.text == "path"
    assert [each.span.text for each in call.args] == ['env("S", default = "o")', "x"]
    assert [(each.name.text, each.span.text) for each in call.keywords] == [("k", "k = [1]")]


def test_declarations() -> None:
    text = 'use "a.ft" as d\nuse "b.ft"\nlet r = 1e-4\nparam s: int = 42\nparam t: string\n'
    first, second, let, param, bare = items(text)
    assert isinstance(first, ast.Use) and isinstance(second, ast.Use)
    assert (first.path.value, first.alias and first.alias.text) == ("a.ft", "d")
    assert second.alias is None
    assert isinstance(let, ast.Let) and let.name.text == "r"
    assert isinstance(param, ast.Param) and param.type.text == "int"
    assert param.value is not None
    assert isinstance(bare, ast.Param) and bare.value is None


def test_blocks_and_entries() -> None:
    text = 'run b extends d.a {\n  tune full\n  x."q.0" += [1]\n  unset y.z\n  m { }\n}\n'
    (run,) = items(text)
    assert isinstance(run, ast.Block)
    assert run.span.text == text.strip()
    assert run.head.text == "run b extends d.a"
    assert run.extends is not None and run.extends.text == "d.a"
    assert run.body is not None
    tune, attr, unset, inner = run.body
    assert isinstance(tune, ast.Block) and tune.body is None and tune.span.text == "tune full"
    assert isinstance(attr, ast.Attr) and attr.op == "+=" and attr.path.text == 'x."q.0"'
    assert isinstance(unset, ast.Unset) and unset.path.text == "y.z"
    assert isinstance(inner, ast.Block) and inner.kind is None and inner.body == ()
