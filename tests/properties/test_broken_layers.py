"""Broken entries of a whole job, each told of at its own line, once, whatever else is broken.

They stand in the entry file and in a file that it uses: in defaults, data sets, profiles (applied
or not), constants, and two runs that inherit the same base.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ftlang.compile import Options, analyse
from ftlang.diagnostics import Severity, in_order
from ftlang.names.files import Loader
from ftlang.names.resolve import Asked
from tests.properties.full import SEED, tries

JOB = """\
use "base.ft"
let rate = 2e-4
dataset own {
  source = files("own.jsonl")
  format = alpaca
}
defaults near extends far {
  optimizer adamw_torch {
    learning_rate = $rate
    weight_decay = 0.01
  }
  training {
    seed = 7
  }
}
profile smoke {
  training.duration = 3 steps
  training.batch = 8
}
run one extends near {
  about = "One."
  data { train = own }
  report {
    every = 5 steps
  }
}
run two extends near {
  tune lora {
    lora_alpha = 32
  }
  data { train = theirs }
  save {
    every = 20 steps
  }
}
"""

BASE = """\
dataset theirs {
  source = files("theirs.jsonl")
  format = messages(column = "chat")
}
defaults far {
  model { base = builtin("tiny-llama") }
  tune lora {
    r = 16
  }
  method sft
  training {
    duration = 40 steps
    micro_batch = 2
  }
}
"""

# An entry, the entry broken, and the code that tells of it.
BREAKS = {
    "job.ft": [
        ("let rate = 2e-4", "let rate = 2e-4 3", "FT042"),
        ('  source = files("own.jsonl")', '  source = fles("own.jsonl")', "FT206"),
        ("  format = alpaca", "  fromat = alpaca", "FT201"),
        ("    learning_rate = $rate", "    learning_rate = $rate, learning_rat = 1", "FT201"),
        ("    weight_decay = 0.01", "    weight_decay = .1", "FT014"),
        ("    seed = 7", "    seed =", "FT019"),
        ("  training.duration = 3 steps", "  training.duration = 3", "FT204"),
        ("  training.batch = 8", "  training.bacth = 8", "FT201"),
        ('  about = "One."', "  about = 3", "FT203"),
        ("    every = 5 steps", "    evry = 5 steps", "FT201"),
        ("    lora_alpha = 32", "    lora_alpha = thirty", "FT203"),
        ("    every = 20 steps", "    every = 20 stps", "FT204"),
    ],
    "base.ft": [
        ('  source = files("theirs.jsonl")', "  source = 'theirs.jsonl'", "FT005"),
        ('  format = messages(column = "chat")', "  format = mesages()", "FT206"),
        ("    r = 16", "    rr = 16", "FT201"),
        ("    duration = 40 steps", "    duration = 40 lobsters", "FT204"),
        ("    micro_batch = 2", "    micro_batch: 2", "FT021"),
    ],
}
ALL = [(name, *one) for name, some in BREAKS.items() for one in some]


def errors(folder: Path, texts: dict[str, str], profiles: tuple[str, ...]) -> list[str]:
    """`file:line code` of each error, in order."""
    for name, text in texts.items():
        (folder / name).write_text(text)
    module, _ = Loader().entry(folder / "job.ft", "job.ft")
    assert module is not None
    _, found = analyse(module, Options(asked=Asked(profiles=profiles)))
    wrong = [d for d in in_order(found) if d.severity is Severity.ERROR]
    return sorted(f"{d.span.source.name}:{d.span.line} {d.code}" for d in wrong)


def broken(chosen: list[tuple[str, str, str, str]]) -> tuple[dict[str, str], list[str]]:
    """The files with some entries broken, and the errors that there must be."""
    rows = {"job.ft": JOB.split("\n"), "base.ft": BASE.split("\n")}
    expected = []
    for name, right, wrong, code in chosen:
        at = rows[name].index(right)
        rows[name][at] = wrong
        expected.append(f"{name}:{at + 1} {code}")
    return {name: "\n".join(lines) for name, lines in rows.items()}, sorted(expected)


@pytest.mark.parametrize("profiles", [(), ("smoke",)])
def test_the_job_is_right_before_it_is_broken(profiles: tuple[str, ...], tmp_path: Path) -> None:
    assert errors(tmp_path, broken([])[0], profiles) == []


@pytest.mark.parametrize("entry", ALL, ids=lambda e: e[2].strip())
def test_one_broken_entry(entry: tuple[str, str, str, str], tmp_path: Path) -> None:
    texts, expected = broken([entry])
    assert errors(tmp_path, texts, ()) == expected
    assert errors(tmp_path, texts, ("smoke",)) == expected


def test_broken_entries_do_not_hide_each_other(tmp_path: Path) -> None:
    for number in range(tries(150, 3000)):
        numbers = random.Random(SEED + number)
        texts, expected = broken(numbers.sample(ALL, numbers.randint(2, len(ALL))))
        profiles = numbers.choice([(), ("smoke",)])
        assert errors(tmp_path, texts, profiles) == expected, f"FTC_SEED={SEED}, job {number}"
