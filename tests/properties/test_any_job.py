"""Whatever bytes a job's files and the command line hold, nothing raises and every span is inside.

500 jobs in `make test`, 10,000 in `make test-full`; FTC_SEED chooses others.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ftlang.compile import Options, Result, check, compile
from ftlang.diagnostics import Diagnostic
from ftlang.names.resolve import Asked
from ftlang.report import json, short, text
from tests.properties.full import SEED, tries

ROOT = Path(__file__).resolve().parents[2]
JOBS = ROOT / "tests/spec/jobs"
SPECS = [p.read_bytes() for p in sorted(JOBS.glob("*.ft"))]
SPECS += [p.read_bytes() for p in sorted(ROOT.glob("tests/golden/*/spec.ft"))]
REGISTRIES = [p.read_bytes() for p in sorted(JOBS.rglob("*.json"))]
PYTHON = [p.read_bytes() for p in sorted(JOBS.glob("*.py"))]
SOUP = """
run a extends base { use "base.ft" as b let x = $x param p : int = 1 } defaults dataset d
profile smoke template tune lora full training . batch = 8 seqs , [ ( ) ] += unset none hf path
py("rows.py:f", n = 1) env("A") secret("B") result(a) files($x) "${x}" "${run.name}" 5% 2Ki
1e999 -1 .5 é 😀 \u202e \\ # ; ' “ model base method sft
"""
WORDS = [*SOUP.split(), "\n", "\r", "\t", "\x00", "\ufeff", '"' * 3]
CASES = 25  # jobs a test


def soup(numbers: random.Random) -> bytes:
    return " ".join(numbers.choices(WORDS, k=numbers.randint(0, 60))).encode("utf-8", "ignore")


def noise(numbers: random.Random) -> bytes:
    return numbers.randbytes(numbers.randint(0, 400))


def mutated(numbers: random.Random, sources: list[bytes]) -> bytes:
    """A real file with some pieces cut, doubled, or replaced by noise or by a piece of another."""
    data = numbers.choice(sources)
    for _ in range(numbers.randint(0, 4)):
        a = numbers.randrange(len(data) + 1)
        b = min(len(data), a + numbers.randint(0, 40))
        other = numbers.choice(sources)
        c = numbers.randrange(len(other) + 1)
        piece = numbers.choice(
            [b"", data[a:b] * 2, numbers.randbytes(3), other[c : c + 40], soup(numbers)[:30]]
        )
        data = data[:a] + piece + data[b:]
    return data


def some(numbers: random.Random, sources: list[bytes]) -> bytes:
    kind = numbers.random()
    if kind < 0.1:
        return noise(numbers)
    return soup(numbers) if kind < 0.3 else mutated(numbers, sources)


def option(numbers: random.Random) -> str:
    source = numbers.choice(
        [
            "seed=7",
            "rank=x",
            "=",
            "smoke",
            "cpu",
            "training.batch = 8",
            "tune full",
            "unset save",
            "data { max_length = 2k }",
            "method.reward.a.weight = 1",
        ]
    )
    cut = numbers.randrange(len(source) + 1)
    return source if numbers.random() < 0.5 else source[:cut] + soup(numbers).decode()[:20]


def spans_inside(found: list[Diagnostic]) -> bool:
    spans = [s for d in found for s in (d.span, *(label.span for label in d.labels))]
    edits = [d.fix.span for d in found if d.fix is not None]
    return all(0 <= s.start <= s.end <= len(s.source.text) for s in (*spans, *edits))


def tried(folder: Path, numbers: random.Random) -> Result:
    """One job of random files, checked, compiled, and reported in every format."""
    (folder / "job.ft").write_bytes(
        (b'use "base.ft"\nuse "r.json" as r\n' if numbers.random() < 0.7 else b"")
        + some(numbers, SPECS)
    )
    for name in ("base.ft", "registry.ft", "models.ft", "corpora.ft"):
        (folder / name).write_bytes(some(numbers, SPECS))
    (folder / "r.json").write_bytes(some(numbers, REGISTRIES))
    for name in ("rows.py", "rewards.py", "hooks.py"):
        (folder / name).write_bytes(some(numbers, PYTHON))
    options = [tuple(option(numbers) for _ in range(numbers.randrange(3))) for _ in range(3)]
    asked = Options(asked=Asked(*options))
    result = check(folder / "job.ft", asked)
    assert spans_inside(result.found)
    for report in (text, short):
        report.render(result.found)
    json.render(result.found, ["job.ft"], "L1")
    compile(folder / "job.ft", asked)
    return result


@pytest.mark.parametrize("part", range(tries(500, 10_000) // CASES))
def test_no_job_raises(part: int, tmp_path: Path) -> None:
    for number in range(part * CASES, (part + 1) * CASES):
        numbers = random.Random(SEED * 100_000 + number)
        try:
            tried(tmp_path, numbers)
        except Exception as problem:
            files = {p.name: p.read_bytes() for p in tmp_path.iterdir() if p.is_file()}
            raise AssertionError(f"FTC_SEED={SEED}, job {number}: {files}") from problem
