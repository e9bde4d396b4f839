"""Layers: `--set x` is editing x, and a chain of bases is the same however it is cut."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ftlang.compile import Options, analyse
from ftlang.names.files import Loader
from ftlang.names.resolve import Asked
from ftlang.plan.digest import source_digest
from ftlang.source import SourceFile

SEED = 20261201

BASE = """\
  model { base = builtin("tiny-llama") }
  tune lora { r = 8, lora_alpha = 16, target_modules = [q_proj, v_proj] }
  data { train = files("rows.jsonl"), max_length = 256 }
  method sft
  optimizer adamw_torch { learning_rate = 1e-4, weight_decay = 0.01, adam_beta1 = 0.9 }
  schedule cosine { warmup = 5% }
  training { duration = 40 steps, batch = 8, micro_batch = 2, seed = 7 }
  hardware { gpus_per_node = 0 }
  save { every = 20 steps, save_total_limit = 3 }
  report { every = 5 steps }
"""

# Every field of BASE, with other values that it takes.
VALUES = {
    "model.base": ['builtin("tiny-llama")', 'path("weights")'],
    "tune.r": ["4", "16"],
    "tune.lora_alpha": ["32"],
    "tune.target_modules": ["all-linear", "[o_proj]"],
    "data.train": ['files("more/*.jsonl")'],
    "data.max_length": ["512", "1Ki"],
    "optimizer.learning_rate": ["2e-4", "0.0005"],
    "optimizer.weight_decay": ["0.1"],
    "optimizer.adam_beta1": ["0.8"],
    "schedule.warmup": ["10%", "4 steps"],
    "training.duration": ["60 steps", "2 epochs"],
    "training.batch": ["16", "4 seqs"],
    "training.micro_batch": ["1"],
    "training.seed": ["0", "123"],
    "hardware.gpus_per_node": ["1"],
    "save.every": ["10 steps", "1 epoch"],
    "save.save_total_limit": ["1"],
    "report.every": ["1 step"],
}
# Entries that a later layer may hold: fields, blocks of the same and of another kind, `unset`.
ENTRIES = [
    *(f"{path} = {value}" for path, values in VALUES.items() for value in values),
    "tune lora { lora_dropout = 5% }",
    "tune full",
    "tune lora",
    "optimizer adafactor",
    "optimizer sgd { learning_rate = 3e-4 }",
    "optimizer adamw_torch { adam_beta2 = 0.95 }",
    "schedule linear",
    "schedule constant",
    "training { micro_batch = 4 }",
    'evaluate { samples = ["Who?"] }',
    "unset save",
    "unset tune.lora_alpha",
    "unset report.every",
    "tune.target_modules += [k_proj]",
    'about = "a text"',
]


def outcome(text: str, asked: Asked = Asked()) -> tuple[list[str], list[str]]:
    """The digests of the runs, and the codes of what is wrong, notes left out."""
    module = Loader().text(SourceFile("job.ft", text))
    specs, found = analyse(module, Options(asked=asked))
    codes = [d.code for d in found if d.code != "FT134"]
    return [source_digest(s) for s in specs], sorted(codes)


@pytest.mark.parametrize("path", VALUES)
def test_set_is_editing(path: str) -> None:
    block, _, name = path.partition(".")
    row = next(r for r in BASE.split("\n") if r.startswith(f"  {block} "))
    for value in VALUES[path]:
        head, _, rest = row.partition(f"{name} = ")
        old = rest
        depth = 0
        for index, char in enumerate(rest):
            depth += (char in "([") - (char in ")]")
            if depth <= 0 and (char == "," or char == "}"):
                old = rest[:index].rstrip()
                break
        assert rest != "", path
        edited = BASE.replace(row, head + f"{name} = " + rest.replace(old, value, 1))
        plain = f"run job {{\n{BASE}}}\n"
        by_hand = outcome(f"run job {{\n{edited}}}\n")
        assert outcome(plain, Asked(sets=(f"{path} = {value}",))) == by_hand
        if edited != BASE:
            assert by_hand != outcome(plain)


def body(entries: list[str]) -> str:
    return "".join(f"  {entry}\n" for entry in entries)


def chosen(numbers: random.Random) -> list[str]:
    """Up to four entries, no two of them about the same thing."""
    entries: dict[str, str] = {}
    for entry in numbers.sample(ENTRIES, numbers.randint(1, 4)):
        words = entry.replace("unset ", "").split()
        family = words[0].split(".")[0]
        entries.setdefault(family, entry)
    return list(entries.values())


@pytest.mark.parametrize("start", range(0, 150, 25))
def test_a_chain_is_the_same_however_it_is_cut(start: int) -> None:
    """Bases one above the other, a run with profiles, and a mixture of both."""
    for number in range(start, start + 25):
        numbers = random.Random(SEED + number)
        second, third = body(chosen(numbers)), body(chosen(numbers))
        bases = outcome(
            f"defaults x {{\n{BASE}}}\ndefaults y extends x {{\n{second}}}\n"
            f"run z extends y {{\n{third}}}\n"
        )
        profiles = outcome(
            f"run z {{\n{BASE}}}\nprofile b {{\n{second}}}\nprofile c {{\n{third}}}\n",
            Asked(profiles=("b", "c")),
        )
        mixed = outcome(
            f"defaults x {{\n{BASE}}}\nrun z extends x {{\n{second}}}\nprofile c {{\n{third}}}\n",
            Asked(profiles=("c",)),
        )
        said = f"seed {SEED + number}:\n{second}--\n{third}"
        assert bases[0] == profiles[0] == mixed[0], said
        assert set(bases[1]) == set(profiles[1]) == set(mixed[1]), said


def test_the_order_of_entries_in_a_body_never_matters() -> None:
    for number in range(200):
        numbers = random.Random(SEED + number)
        entries = chosen(numbers)
        orders = {
            str(outcome(f"defaults x {{\n{BASE}}}\nrun z extends x {{\n{body(order)}}}\n"))
            for order in (entries, entries[::-1], sorted(entries))
        }
        assert len(orders) == 1, f"seed {SEED + number}: {entries}"


def test_a_broken_entry_hides_nothing_in_another_file(tmp_path: Path) -> None:
    (tmp_path / "base.ft").write_text(
        "defaults base {\n  training { sed = 1 }\n  report { every = }\n}\n"
    )
    (tmp_path / "job.ft").write_text(
        f'use "base.ft"\nuse "none.ft"\nrun job extends base {{\n{BASE}  save.evry = 1 step\n}}\n'
    )
    module, _ = Loader().entry(tmp_path / "job.ft", "job.ft")
    assert module is not None
    _, found = analyse(module, Options())
    places = [(d.span.source.name, d.span.line, d.code) for d in found if d.code != "FT134"]
    assert sorted(places) == [
        ("base.ft", 2, "FT201"),
        ("base.ft", 3, "FT019"),
        ("job.ft", 2, "FT101"),
        ("job.ft", 14, "FT201"),
    ]


def test_a_run_cut_short_from_outside_keeps_its_intervals() -> None:
    long = f"run job {{\n{BASE}}}\n"
    assert outcome(long, Asked(sets=("training.duration = 2 steps",)))[1] == []
    both = Asked(sets=("training.duration = 2 steps", "save.every = 9 steps"))
    assert outcome(long, both)[1] == ["FT350"]
