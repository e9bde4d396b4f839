"""No text makes the parser raise, and its tokens lose nothing."""

import gc
import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ftlang.names.load import load
from ftlang.source import SourceFile
from ftlang.syntax import parse, tokens

SPEC = """\
use "base.ft" as b
param seed: int = 42

run a extends b.base {
  about = "A run, with ${run.name}."
  model { base = hf("org/name", revision = "0e9e39f"), dtype = bfloat16 }
  tune lora { r = 16, lora_alpha = 32, target_modules = all-linear, lora_dropout = 5% }
  data {
    train = { x.train = 80%, "y z" = 20% }  # a mixture
    max_length = 4Ki
    system = \"\"\"
      Answer in \\d words.
    \"\"\"
  }
  method sft
  unset optimizer.weight_decay
  training { duration = 3 epochs, batch = 64 rows, seed = $seed }
}
"""
PIECES = [
    *"{}[]()=,\n:;.\"'-~@#%$\\\0?é“”` ", "+=", '"""', "${x}", "..", "//", "/*", "*/", "use", "let",
    "param", "extends", "unset", "true", "none", "as", "x", "a.b", "1", ".5", "1.", "0x1", "5%",
    "3 epochs", '"s"', "meta/x", "\u2028", "\r", "q2.5", "2 B tokens", 'r"x"', "$x", "==", ":=",
]  # fmt: skip


def holds(text: str) -> None:
    """Reads the text; its tokens are lossless and every diagnostic lies in it."""
    source = SourceFile("any.ft", text)
    pieces = tokens(source)
    assert "".join(piece.text for piece in pieces) == text
    assert all(piece.text == text[piece.start : piece.end] for piece in pieces)
    _, found = parse(source)
    assert all(0 <= each.span.start <= each.span.end <= len(text) for each in found)
    assert all(each.message and "\n" not in each.message for each in found)
    assert parse(source)[1] == found


@settings(max_examples=500, deadline=None)
@given(st.text())
def test_any_text(text: str) -> None:
    holds(text)


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60), st.sampled_from(["", " "]))
def test_any_pieces(pieces: list[str], glue: str) -> None:
    holds(glue.join(pieces))


@settings(max_examples=500, deadline=None)
@given(st.randoms(use_true_random=False))
def test_any_mutation_of_a_spec(source: random.Random) -> None:
    text = list(SPEC)
    for _ in range(source.randint(1, 8)):
        at = source.randrange(len(text))
        text[at : at + source.choice([0, 0, 1, 1, 5])] = source.choice(
            [[], [source.choice(PIECES)]]
        )
    holds("".join(text))


def test_the_spec_itself_is_right() -> None:
    assert parse(SourceFile("spec.ft", SPEC))[1] == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bytes")


@settings(max_examples=500, deadline=None)
@given(data=st.one_of(st.binary(), st.text().map(str.encode)))
def test_any_bytes(data: bytes, folder: Path) -> None:
    file = folder / "any.ft"
    file.write_bytes(data)
    source, found = load(file)
    if source is None:
        assert [each.code for each in found] == ["FT001"]
        assert found[0].span.start <= len(found[0].span.source.text)
    else:
        assert source.text.encode() == data
        parse(source)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert [each.code for each in load(tmp_path / "none.ft")[1]] == ["FT101"]
    assert [each.code for each in load(tmp_path)[1]] == ["FT102"]
    assert [each.code for each in load(Path("a\0b"))[1]] == ["FT102"]


LARGE = {
    "entries": lambda n: "run a {\n" + " x = 1\n" * n + "}\n",
    "blocks": lambda n: "run a { x = 1 }\n" * n,
    "list": lambda n: "x = [" + "1, " * n + "]\n",
    "no commas": lambda n: "x = [" + "a " * n + "]\n",
    "deep lists": lambda n: "x = " + "[" * n + "]" * n,
    "open lists": lambda n: "x = " + "[" * n,
    "deep blocks": lambda n: "a {" * n + "}" * n,
    "open blocks": lambda n: "a {\n" * n,
    "crossed": lambda n: "{[}" * (n // 2),
    "closers": lambda n: "}\n" * n,
    "entries without values": lambda n: "run a {\n" + " x =\n" * n + "}",
    "one line": lambda n: "x = 1 y = 2 " * (n // 4),
    "bodies on one line": lambda n: "m { x = 1 } " * (n // 4),
    "names": lambda n: "a " * n,
    "dots": lambda n: "." * n,
    "tildes": lambda n: "~" * n,
    "dotted name": lambda n: "x = " + "a." * n + "b/c",
    "open strings": lambda n: 'x = "a\n' * n,
    "open texts": lambda n: 'x = """a\n' * n + '"',
    "open comments": lambda n: "/* a\n" * (n // 4),
    "comments before a brace": lambda n: "run a" + "# c\n" * n + "{ }",
    "escapes": lambda n: 'x = "' + "\\d" * n + '"',
}


@pytest.mark.parametrize("kind", LARGE)
def test_large_inputs_take_linear_time(kind: str) -> None:
    """Four times the text takes about four times the time; quadratic would be sixteen times.

    The least of three runs each, in CPU seconds without the garbage collector, because the
    machine is shared.
    """
    times = []
    for size in (1000, 4000):
        source = SourceFile("large.ft", LARGE[kind](size))
        times.append(min(parse_seconds(source) for _ in range(3)))
    assert times[1] < 9 * times[0] + 0.1


def parse_seconds(source: SourceFile) -> float:
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        parse(source)
        return time.process_time() - start
    finally:
        gc.enable()
