"""A pasted YAML file is one mistake; a spec with a few colons is none of it."""

import pytest

from ftlang.source import SourceFile
from ftlang.syntax import parse

AXOLOTL = """\
# a fine-tune
base_model: Qwen/Qwen3
load_in_4bit: true
datasets:
  - path: a/b
    type: alpaca
lora_target_modules:
- q_proj
learning_rate: 2e-4
chat_template: "{% set x = 1 %}{{ x }}"
"""
RUN = "run a:\n  model:\n    base: x/y\n  method: sft\n  seed: 7\n"


def found(text: str) -> list[tuple[str, int]]:
    return [(d.code, d.span.line) for d in parse(SourceFile("a.ft", text))[1]]


@pytest.mark.parametrize(("text", "line"), [(AXOLOTL, 2), (RUN, 1), ("---\n" + AXOLOTL, 3)])
def test_yaml_is_one_error_at_its_first_line(text: str, line: int) -> None:
    assert found(text) == [("FT052", line)]


@pytest.mark.parametrize(
    "text",
    [
        "run a {\n  seed: 7\n  about: x\n  output: y\n}\n",
        "seed: 7\nabout: x\n",
        'a: 1\nb: 2\nc: 3\nx = "y"\n',
        "param a: int\nparam b: int\nparam c: int\nrun a { x: 1 }\n",
    ],
)
def test_a_spec_with_colons_is_no_yaml(text: str) -> None:
    assert found(text) and "FT052" not in dict(found(text))


def test_a_block_with_a_colon_needs_braces() -> None:
    text = "defaults { }\nrun a:\n  x = 1\n"
    assert found(text)[0] == ("FT021", 2)
