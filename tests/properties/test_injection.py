"""No text of a spec gets out of its quotes: any string gives the same code with other constants."""

from __future__ import annotations

import ast
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from ftlang.compile import Options, analyse
from ftlang.emit.python import literal
from ftlang.emit.render import render
from ftlang.plan.trl import lower
from ftlang.source import SourceFile

NASTY = [
    '"""',
    "'''",
    "\\",
    "\n",
    "\r",
    "\x00",
    "\ue000",
    "\ue001",
    "\u202e",
    '")\nimport os\n("',
    "{{",
    "{%",
    "${",
]
TEXT = st.text(max_size=40) | st.lists(st.sampled_from(NASTY) | st.text(max_size=5)).map("".join)


def quoted(text: str) -> str:
    """A string of the language that means the text."""
    out = []
    for char in text:
        if char in '"\\':
            out.append("\\" + char)
        elif char == "$":
            out.append("\\u{24}")
        elif char.isprintable():
            out.append(char)
        else:
            out.append(f"\\u{{{ord(char):x}}}")
    return '"' + "".join(out).replace("\\u{24}{", "$${").replace("\\u{24}", "$") + '"'


def script(*texts: str) -> str:
    about, base, rows, column, question, module = map(quoted, texts)
    spec = f"""run job {{
      about = {about}
      model {{ base = path({base}) }}
      tune lora {{ target_modules = [{module}, "x"] }}
      data {{ train = files({rows}), format = messages(column = {column}) }}
      method sft
      evaluate {{ samples = [{question}] }}
    }}
    """
    specs, found = analyse(SourceFile("job.ft", spec), Options())
    assert not found, found
    return render(lower(specs[0]), 2)["train.py"]


class Blank(ast.NodeTransformer):
    """Empties the strings; a long path is `ROOT.joinpath("…")` and a short one `ROOT / "…"`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if ast.unparse(node.func) == "ROOT.joinpath":
            return self.visit(ast.BinOp(ast.Name("ROOT", ast.Load()), ast.Div(), node.args[0]))
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant("") if isinstance(node.value, str) else node


def shape(text: str) -> str:
    return ast.dump(Blank().visit(ast.parse(text)))


PLAIN = shape(script("about", "base", "rows", "column", "question", "module"))


@settings(max_examples=60, deadline=None)
@given(st.tuples(TEXT, TEXT, TEXT, TEXT, TEXT, TEXT))
def test_any_text_is_only_text(texts: tuple[str, str, str, str, str, str]) -> None:
    _, base, rows, column, question, module = texts
    if any(t.startswith(("/", "~")) or not t.strip() for t in (base, rows)):
        return
    text = script(*texts)
    assert shape(text) == PLAIN
    constants = [n.value for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Constant)]
    for given_text in (base, rows, column, question, module):
        assert given_text in constants


@settings(max_examples=300, deadline=None)
@given(st.text() | st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.booleans())
def test_literals_read_back(value: object) -> None:
    text = literal(value)
    assert ast.literal_eval(text) == value
    assert text.isprintable()
    assert json.dumps(text)
