"""k broken entries in a valid spec give exactly k errors, each where the mistake is.

A kind of mistake is a correct entry and the same entry broken, where «…» marks the mutated words:
what is wrong, or next to which something is missing.  The rule for the place: the error's span
starts at a character of the marked words.

`KINDS` holds mistakes of the syntax, counted by `parse`.  `CHECKED` mixes some of them with those
that the schema finds (an unknown field, a wrong type), counted by `ftlang.compile.check`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ftlang import compile as compiler
from ftlang.diagnostics import Severity
from ftlang.source import SourceFile, Span
from ftlang.syntax import parse

SEED = 20260512
ROUNDS = 300


@dataclass(frozen=True)
class Kind:
    """One kind of mistake: the code, an entry of a run, and the entry broken.

    `block` is the block of the run that the entry belongs in, "" for the run itself; `top` says
    that it stands outside every run.
    """

    code: str
    right: str
    marked: str
    block: str = ""
    top: bool = False

    @property
    def wrong(self) -> str:
        """The broken entry, without the marks."""
        return self.marked.replace("«", "").replace("»", "")

    @property
    def changed(self) -> tuple[int, int]:
        """Start and end of the marked words in `wrong`."""
        return self.marked.index("«"), self.marked.index("»") - 1


KINDS = {
    "string not closed": Kind("FT004", 'about = "a run"', 'about = «"a run»'),
    "single quotes": Kind("FT005", 'about = "a run"', "about = «'a run'»"),
    "typographic quotes": Kind("FT005", 'about = "a run"', "about = «“a run”»"),
    "escaped last quote": Kind("FT004", r'output = "C:\\"', r'output = «"C:\"»'),
    "text not closed": Kind("FT006", 'system = """Be brief."""', 'system = «"""Be brief.»', "data"),
    "unknown escape": Kind("FT290", r'about = "a \\d"', r'about = «"a \d"»'),
    "prefix of a string": Kind("FT044", 'about = "a run"', 'about = «r"a run"»'),
    "quote inside": Kind("FT043", r'about = "a \"b\" c"', 'about = «"a "b" c"»'),
    "slashes": Kind("FT008", "max_length = 2Ki  # long", "max_length = 2Ki  «//» long", "data"),
    "list not closed": Kind("FT010", "loss_on = [user, tool]", "loss_on = «[»user, tool", "data"),
    "call not closed": Kind("FT010", 'base = hf("a/b")', 'base = hf«(»"a/b"', "model"),
    "wrong closer": Kind("FT011", "loss_on = [user, tool]", "loss_on = «[user, tool)»", "data"),
    "closer too many": Kind("FT012", "loss_on = [user]", "loss_on = [user]«]»", "data"),
    "no digit before the point": Kind("FT014", "beta = 0.5", "beta = «.5»", "training"),
    "no digit after the point": Kind("FT014", "beta = 1.0", "beta = «1.»", "training"),
    "two underscores": Kind("FT015", "seed = 1_000", "seed = «1__000»", "training"),
    "hexadecimal": Kind("FT016", "seed = 16", "seed = «0x10»", "training"),
    "path without quotes": Kind("FT017", 'name = "a-b/C-1"', "name = «a-b/C-1»", "model"),
    "version without quotes": Kind("FT017", 'name = "qwen2.5"', "name = «qwen2.5»", "model"),
    "value missing": Kind("FT019", "lora_alpha = 32", "lora_alpha «=»", "tune"),
    "equals missing": Kind("FT020", "lora_alpha = 32", "lora_alpha «32»", "tune"),
    "colon": Kind("FT021", "lora_alpha = 32", "lora_alpha«:» 32", "tune"),
    "two on a line": Kind("FT022", "r = 16, q = 32", "r = 16 «q» = 32", "tune"),
    "comma missing": Kind("FT023", "loss_on = [user, tool]", "loss_on = [user «tool»]", "data"),
    "comma missing in a call": Kind(
        "FT023", 'base = hf("a/b", name = "c")', 'base = hf("a/b" «name» = "c")', "model"
    ),
    "comma twice": Kind("FT024", "loss_on = [user, tool]", "loss_on = [user,«,» tool]", "data"),
    "tuple": Kind("FT025", "loss_on = [user, tool]", "loss_on = «(user, tool)»", "data"),
    "double equals": Kind("FT026", "r = 16", "r «==» 16", "tune"),
    "equals twice": Kind("FT026", "r = 16", "r = «=» 16", "tune"),
    "walrus": Kind("FT026", "r = 16", "r «:=» 16", "tune"),
    "arrow": Kind("FT026", "r = 16", "r «=>» 16", "tune"),
    "name alone": Kind("FT027", "shard fsdp2", "«shard»"),
    "third name": Kind("FT028", "schedule cosine { q = 3% }", "schedule cosine «x» { q = 3% }"),
    "field of two words": Kind("FT028", "max_length = 4", "«max length» = 4", "data"),
    "dotted block": Kind("FT029", "save { every = 2 }", "«model.save» { every = 2 }"),
    "quoted kind": Kind("FT030", "optimizer adamw { q = 1 }", 'optimizer «"adamw"» { q = 1 }'),
    "quoted field": Kind("FT032", "r = 16", '«"r"» = 16', "tune"),
    "unset with a value": Kind("FT035", "unset weight", "unset weight «=» 3", "tune"),
    "prefix apart": Kind("FT036", "duration = 2B tokens", "duration = «2 B tokens»", "training"),
    "key in a list": Kind("FT037", "to = [a]", "to = [«a = 1»]"),
    "arithmetic": Kind("FT038", "batch = 64", "batch = 8 «*» 8", "training"),
    "interpolation outside": Kind("FT039", "seed = $seed", "seed = «${seed}»", "training"),
    "value alone": Kind("FT040", "r = 16", "«16»", "tune"),
    "dash": Kind("FT041", "r = 16", "«-» r = 16", "tune"),
    "two values": Kind("FT042", "to = [a, b]", "to = a «b»"),
    "stray character": Kind("FT003", "r = 16", "r = 16 «~»", "tune"),
    "colon in a value": Kind("FT049", "save_steps = 12", "save_steps = 12«:»30", "training"),
    "unquoted use": Kind("FT033", 'use "more.ft"', "use «more.ft»", top=True),
    "let without equals": Kind("FT020", "let rate = 2e-4", "let rate «2e-4»", top=True),
    "param without type": Kind("FT034", "param n: int = 4", "param «n» = 4", top=True),
    "number as a name": Kind("FT018", "profile p7 { q = 1 }", "profile «7p» { q = 1 }", top=True),
    "extends without base": Kind(
        "FT031", "run c extends b { q = 1 }", "run c «extends» { q = 1 }", top=True
    ),
    "block not closed": Kind("FT010", "profile p { q = 1 }", "profile p «{» q = 1", top=True),
}

BLOCKS = ("model", "tune", "data", "training")


def spec(entries: list[tuple[Kind, str]]) -> tuple[str, list[tuple[int, int]]]:
    """A text of several blocks with each entry in its place, and where each of them lies."""
    text, spans = "", {}

    def put(chosen: Callable[[Kind], bool], indent: str) -> None:
        nonlocal text
        for index, (kind, entry) in enumerate(entries):
            if chosen(kind):
                start = len(text) + len(indent)
                text += f"{indent}{entry}\n"
                spans[index] = (start, start + len(entry))

    put(lambda kind: kind.top, "")
    for name in ("first", "second"):
        text += f'run {name} {{\n  output = "out/{name}"\n'
        if name == "first":
            put(lambda kind: not kind.top and not kind.block, "  ")
        for block in BLOCKS:
            text += f"  {block}{' lora' if block == 'tune' else ''} {{\n    x_{block} = 1\n"
            if name == "first":
                put(lambda kind, block=block: kind.block == block, "    ")  # type: ignore[misc]
            text += f"    y_{block} = [1, 2]\n  }}\n"
        text += "  method sft\n}\n"
    return text, [spans[index] for index in range(len(entries))]


def syntax_errors(text: str) -> list[tuple[str, Span]]:
    return [(each.code, each.span) for each in parse(SourceFile("broken.ft", text))[1]]


def all_errors(text: str, folder: Path) -> list[tuple[str, Span]]:
    file = folder / "broken.ft"
    file.write_text(text, encoding="utf-8")
    found = compiler.check(file).found
    return [(each.code, each.span) for each in found if each.severity is Severity.ERROR]


def misses(kinds: list[Kind], errors: Callable[[str], list[tuple[str, Span]]]) -> list[str]:
    """What is not as it should be for these kinds, broken together in one text."""
    text, spans = spec([(kind, kind.wrong) for kind in kinds])
    found = errors(text)
    wrong = [] if len(found) == len(kinds) else [f"{len(found)} errors for {len(kinds)}"]
    for kind, (start, _) in zip(kinds, spans, strict=True):
        first, last = kind.changed
        if not any(
            code == kind.code and start + first <= span.start < start + last for code, span in found
        ):
            wrong.append(f"{kind.code} not at `{kind.wrong}`")
    if wrong:
        wrong += [f"{code} at {span.line}: {span.text!r}" for code, span in found] + [text]
    return wrong


def test_there_are_enough_kinds() -> None:
    assert len(KINDS) >= 25
    assert len({kind.code for kind in KINDS.values()}) >= 20


@pytest.mark.parametrize("name", KINDS)
def test_the_entry_is_right_before_it_is_broken(name: str) -> None:
    text, _ = spec([(KINDS[name], KINDS[name].right)])
    assert syntax_errors(text) == []


@pytest.mark.parametrize("name", KINDS)
def test_one_broken_entry(name: str) -> None:
    assert misses([KINDS[name]], syntax_errors) == []


@pytest.mark.parametrize("k", range(2, 9))
def test_broken_entries(k: int) -> None:
    """Drawn with a fixed seed, so that a failure names the kinds that caused it."""
    source = random.Random(SEED + k)
    for _ in range(ROUNDS):
        names = source.sample(sorted(KINDS), k)
        wrong = misses([KINDS[name] for name in names], syntax_errors)
        assert wrong == [], f"seed {SEED + k}: {names}\n" + "\n".join(wrong)


RIGHT = """\
run first {
  about = "A run."
  model {
    base = builtin("tiny-llama")
    dtype = bfloat16
  }
  tune lora {
    r = 16
    lora_alpha = 32
    lora_dropout = 5%
  }
  data {
    train = files("rows.jsonl")
    max_length = 1Ki
    too_long = error
  }
  method sft
  optimizer adamw_torch { learning_rate = 2e-4 }
  training {
    duration = 3 epochs
    batch = 16
    seed = 7
    precision = fp32
  }
}
"""

# Each is a line of the text above and the line broken; a line is broken once at a time.
CHECKED = {
    "unknown field": Kind("FT201", "r = 16", "«rr» = 16"),
    "wrong type": Kind("FT203", "r = 16", 'r = «"x"»'),
    "wrong unit": Kind("FT204", "r = 16", "r = «3 epochs»"),
    "no value": Kind("FT019", "r = 16", "r «=»"),
    "two on a line": Kind("FT022", "lora_alpha = 32", "lora_alpha = 32 «bias» = none"),
    "set twice": Kind("FT208", "lora_alpha = 32", "lora_alpha = 32, «lora_alpha» = 8"),
    "no equals": Kind("FT020", "lora_alpha = 32", "lora_alpha «32»"),
    "bad member": Kind("FT206", "dtype = bfloat16", "dtype = «bfloat61»"),
    "colon": Kind("FT021", "dtype = bfloat16", "dtype«:» bfloat16"),
    "no constructor": Kind(
        "FT206", 'base = builtin("tiny-llama")', 'base = «bultin»("tiny-llama")'
    ),
    "no base": Kind("FT019", 'base = builtin("tiny-llama")', "base «=»"),
    "base with a colon": Kind(
        "FT021", 'base = builtin("tiny-llama")', 'base«:» builtin("tiny-llama")'
    ),
    "no train": Kind("FT020", 'train = files("rows.jsonl")', 'train «files»("rows.jsonl")'),
    "open call": Kind("FT010", 'train = files("rows.jsonl")', 'train = files«(»"rows.jsonl"'),
    "no unit": Kind("FT204", "duration = 3 epochs", "duration = «3»"),
    "duration twice": Kind("FT042", "duration = 3 epochs", "duration = 3 epochs «4»"),
    "third name": Kind("FT028", "tune lora {", "tune lora «fast» {"),
    # Not of `tune`: where the kind is unknown, so are the fields, and nothing can be said of them.
    "unknown kind": Kind(
        "FT210",
        "optimizer adamw_torch { learning_rate = 2e-4 }",
        "optimizer «adamw_tocrh» { learning_rate = 2e-4 }",
    ),
    "quoted block": Kind("FT030", "model {", '«"model"» {'),
    "single quotes": Kind("FT005", 'about = "A run."', "about = «'A run.'»"),
    "not a string": Kind("FT203", 'about = "A run."', "about = «3»"),
    "open string": Kind("FT004", 'about = "A run."', 'about = «"A run.»'),
    "hexadecimal": Kind("FT016", "seed = 7", "seed = «0x7»"),
    "misspelt field": Kind("FT201", "seed = 7", "«sed» = 7"),
    "arithmetic": Kind("FT038", "batch = 16", "batch = 4 «*» 4"),
    "point": Kind("FT014", "lora_dropout = 5%", "lora_dropout = «.5»"),
    "bad precision": Kind("FT206", "precision = fp32", "precision = «fp23»"),
    "bad policy": Kind("FT206", "too_long = error", "too_long = «dorp»"),
}


def test_the_text_is_right_before_it_is_broken(tmp_path: Path) -> None:
    assert all_errors(RIGHT, tmp_path) == []
    assert all(RIGHT.count(f" {kind.right}\n") == 1 for kind in CHECKED.values())


@pytest.mark.parametrize("k", range(1, 9))
def test_broken_entries_through_the_whole_check(k: int, tmp_path: Path) -> None:
    source = random.Random(SEED + 100 + k)
    for _ in range(60):
        by_line = {CHECKED[name].right: CHECKED[name] for name in shuffled(CHECKED, source)}
        kinds = [by_line[line] for line in shuffled(by_line, source)[:k]]
        text = RIGHT
        for kind in kinds:
            text = text.replace(f" {kind.right}\n", f" {kind.wrong}\n")
        found = all_errors(text, tmp_path)
        assert len(found) == k, (kinds, found)
        for kind in kinds:
            start = text.index(f" {kind.wrong}\n") + 1
            first, last = kind.changed
            places = [span.start for code, span in found if code == kind.code]
            assert any(start + first <= place < start + last for place in places), (kind, found)


def shuffled(names: Iterable[str], source: random.Random) -> list[str]:
    ordered = sorted(names)
    source.shuffle(ordered)
    return ordered
