"""No dead knob: changing any field changes the emitted files, or the field is listed as fixed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ftlang.compile import compile
from ftlang.schema.block import Block, declared
from ftlang.schema.numbers import Amount, Float, Int, Share
from ftlang.schema.run import Run
from ftlang.schema.words import Choice, Flag, ListOf, Text
from tests.rules.stock import REQUIRED, STOCK

# Two values for the fields whose type does not give them.
VALUES = {
    "requires": ('["one"]', '["two"]'),
    "model.base": ('builtin("tiny-llama")', 'path("model")'),
    "data.train": ('files("rows.jsonl")', 'files("more.jsonl")'),
    "data.eval": ("split(5%)", 'files("test.jsonl")'),
    "data.format": ("alpaca", 'messages(column = "chat")'),
    "output": ('"out/a"', '"out/b"'),
    "tune.target_modules": ("all-linear", "[q_proj]"),
    "tune.exclude_modules": ("[lm_head]", "[q_proj, k_proj]"),
    "tune.modules_to_save": ("[lm_head]", "[embed_tokens]"),
    "training.batch": ("8 seqs", "16 seqs"),
    "training.micro_batch": ("2 seqs", "4 seqs"),
    "training.precision": ("fp32", "bf16"),
    "hardware.gpus_per_node": ("4", "8"),
    "data.packing": ("false", "bfd"),
    "schedule.warmup": ("5%", "20 steps"),
    "schedule.decay": ("30 steps", "20 steps"),
    "evaluate.every": ("10 steps", "1 epoch"),
    "save.every": ("10 steps", "1 epoch"),
}
# Their one value is all that this release takes; the others are answered by FT501.
FIXED = {"data.too_long", "data.loss_on", "report.to"}
# What else a field needs to be legal.
WITH = {"evaluate.every": "eval = split(5%)"}


def fields() -> list[tuple[str, str, str, object]]:
    """Family, kind, field and type of every field of the language, nested blocks included."""
    found: list[tuple[str, str, str, object]] = []

    def collect(block: type[Block], family: str, kind: str) -> None:
        for name, field in declared(block).items():
            if not field.doc.planned and not field.doc.check_only:
                found.append((family, kind, name, field.type))
        for inner in block.families.values():
            for inner_kind, cls in () if inner.planned else inner.kinds.items():
                collect(cls, f"{family}.{inner.name}", inner_kind)

    for name, field in declared(Run).items():
        if not field.doc.planned:
            found.append(("", "", name, field.type))
    for family in Run.families.values():
        for kind, cls in () if family.planned else family.kinds.items():
            collect(cls, family.name, kind)
    return found


def values(path: str, kind: object) -> tuple[str, str]:
    """Two values of a type, as they are written."""
    if path in VALUES:
        return VALUES[path]
    match kind:
        case Int():
            low = kind.at_least or 0
            return str(low + 3), str(low + 8)
        case Float():
            return "0.25", "0.5"
        case Share():
            return "5%", "10%"
        case Flag():
            return "true", "false"
        case Choice():
            return kind.members[0], kind.members[1]
        case Amount():
            return f"3 {kind.units[0]}", f"4 {kind.units[0]}"
        case Text():
            return '"one"', '"two"'
        case ListOf():
            return '["one"]', '["two"]'
    raise AssertionError(f"no values for {path}")


def spec(family: str, kind: str, name: str, value: str) -> str:
    body = dict(STOCK, training="training { duration = 100 steps }")
    field = f"{name} = {value}"
    if not family:
        return "run a {\n" + "\n".join([*body.values(), field]) + "\n}\n"
    outer, _, inner = family.partition(".")
    given = [f"{inner} {kind} {{ {field} }}"] if inner else [field]
    required = REQUIRED.get(outer)
    if required and required.split(" = ")[0] != name:
        given.insert(0, required)
    head = outer if inner or not kind else f"{outer} {kind}"
    body[outer] = f"{head} {{ {', '.join(given)} }}"
    if extra := WITH.get(f"{family}.{name}"):
        body["data"] = f"data {{ {REQUIRED['data']}, {extra} }}"
    return "run a {\n" + "\n".join(body.values()) + "\n}\n"


def emitted(text: str, folder: Path) -> dict[str, str]:
    path = folder / "a.ft"
    path.write_text(text)
    result = compile(path)
    assert [d for d in result.found if d.severity == "error"] == [], text
    files = dict(result.outputs[0].files)
    del files["train.ftmap.json"]
    files["train.py"] = files["train.py"].split("\n", 1)[1]  # the header's digest always changes
    return files


CASES = [case for case in fields() if f"{case[0]}.{case[2]}".lstrip(".") not in FIXED]


@pytest.mark.parametrize(
    ("family", "kind", "name", "type_"), CASES, ids=[f"{f} {k} {n}".strip() for f, k, n, _ in CASES]
)
def test_a_field_changes_the_output(
    family: str, kind: str, name: str, type_: object, tmp_path: Path
) -> None:
    one, other = values(f"{family}.{name}".lstrip("."), type_)
    first = emitted(spec(family, kind, name, one), tmp_path)
    second = emitted(spec(family, kind, name, other), tmp_path)
    assert first != second


@pytest.mark.parametrize("family", list(Run.families.values()), ids=lambda f: f.name)
def test_a_kind_changes_the_output(family: object, tmp_path: Path) -> None:
    """Every two kinds of a family emit different scripts."""
    kinds = [k for k in family.kinds if k]  # type: ignore[attr-defined]
    seen = set()
    for kind in kinds:
        body = dict(STOCK, training="training { duration = 100 steps }")
        body[family.name] = f"{family.name} {kind}"  # type: ignore[attr-defined]
        seen.add(emitted("run a {\n" + "\n".join(body.values()) + "\n}\n", tmp_path)["train.py"])
    assert len(seen) == len(kinds)
