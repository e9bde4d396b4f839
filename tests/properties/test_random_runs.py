"""A random run without errors compiles: to Python in Black's form, twice to the same bytes.

Runs of sft with lora or full, a random optimizer, schedule and quantization, random fields with
random values, awkward strings, long names and paths.  60 in `make test`, 2,000 in
`make test-full`; FTC_SEED chooses others.
"""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from pathlib import Path

import black
import pytest

from ftlang.compile import Options, compile
from ftlang.diagnostics import Severity
from ftlang.rules.registry import codes
from tests.fields import BESIDE, NEEDED, Case, cases
from tests.properties.full import SEED, tries
from tests.properties.test_injection import NASTY, quoted
from tests.rules.stock import REQUIRED

# Whether a run trains well is not asked here.
WITHOUT_RULES = Options(disabled=frozenset(code for code, _ in codes()))
BLACK = black.Mode(line_length=88)
CASES = 20  # runs a test; most are right
FIELDS: dict[str, dict[str, list[Case]]] = defaultdict(lambda: defaultdict(list))
for _case in cases():
    FIELDS[_case.path][_case.kind].append(_case)
PATHS = {"output": "{}", "model base": "path({})", "data train": "files({})"}
ALWAYS = {"model", "data", "method", "tune"}


def string(numbers: random.Random) -> str:
    """A string of the language: plain, long, or with awkward characters."""
    pieces = [*NASTY, "a", "é", "模型", "😀", "'", '"', "x" * numbers.randint(1, 90), " ", "$", "#"]
    text = "".join(numbers.choices(pieces, k=numbers.randint(1, 5)))
    return quoted("t" + text)


def value(numbers: random.Random, case: Case) -> str:
    """One of the two values of a case, or a random one of the same form."""
    one = numbers.choice(case.values)
    if case.name in PATHS and numbers.random() < 0.5:
        return PATHS[case.name].format(string(numbers))
    if case.values == ('"one"', '"two"') and numbers.random() < 0.7:
        return string(numbers)
    if case.values in ((v, w) for v, w in [("3", "4"), ("3", "8"), ("4", "9")]):
        return numbers.choice([one, str(numbers.randint(4, 10**6))])
    if case.values == ("0.25", "0.5"):
        return numbers.choice([one, repr(numbers.uniform(1e-9, 0.9)), "3e-7"])
    return one


def entries(numbers: random.Random, path: str, kind: str) -> list[str]:
    """Entries of a block, no field twice."""
    given: dict[str, str] = {}
    block = FIELDS[path][kind]
    some = numbers.sample(block, numbers.randint(0, min(4, len(block))))
    required = REQUIRED.get(path, "")
    texts = []
    for case in some:
        field = f"{path}.{case.field.name}".lstrip(".")
        texts += [f"{case.field.name} = {value(numbers, case)}", BESIDE.get(field, "")]
    texts += [required, NEEDED.get(f"{path} {kind}", "")]
    for text in filter(None, texts):
        given.setdefault(text.split(" = ")[0], text)
    return list(given.values())


def block(numbers: random.Random, family: str) -> str:
    kind = numbers.choice(["lora", "full"] if family == "tune" else list(FIELDS[family]) or [""])
    inside = entries(numbers, family, kind)
    if family == "model" and numbers.random() < 0.3:
        inner = numbers.choice(list(FIELDS["model.quantize"]))
        rows = "\n".join(entries(numbers, "model.quantize", inner))
        inside.append(f"quantize {inner} {{\n{rows}\n}}")
    rows = "".join(f"    {row}\n" for row in inside)
    return f"  {family} {kind} {{\n{rows}  }}\n"


def run(numbers: random.Random) -> str:
    """The text of a run; not every one is right."""
    families = [f for f in FIELDS if f and "." not in f] + ["tune"]
    chosen = [f for f in dict.fromkeys(families) if f in ALWAYS or numbers.random() < 0.5]
    name = "r" + numbers.choice(["", "un-a", "é", "x" * 60, "_1"])
    head = f"run {name} {{\n" + "".join(f"  {row}\n" for row in entries(numbers, "", ""))
    return head + "".join(block(numbers, f) for f in chosen) + "}\n"


def compiled(folder: Path, text: str, name: str) -> dict[str, str] | None:
    """The files of a run, or None where the run is wrong."""
    (folder / name).write_text(text, "utf-8")
    result = compile(folder / name, WITHOUT_RULES)
    if any(d.severity is Severity.ERROR for d in result.found):
        assert result.outputs == []
        return None
    return result.outputs[0].files


@pytest.mark.parametrize("part", range(tries(60, 2000) // CASES))
def test_a_run_without_errors_compiles(part: int, tmp_path: Path) -> None:
    right = 0
    for number in range(part * CASES, (part + 1) * CASES):
        numbers = random.Random(SEED * 10_000 + number)
        text = run(numbers)
        name = numbers.choice(["a", "b c", "é'\"", "long-" * 20]) + ".ft"
        said = f"FTC_SEED={SEED}, run {number} of {name!r}:\n{text}"
        try:
            files = compiled(tmp_path, text, name)
        except Exception as problem:
            raise AssertionError(said) from problem
        if files is None:
            continue
        right += 1
        script = files["train.py"]
        ast.parse(script)
        assert black.format_str(script, mode=BLACK) == script, said
        assert compiled(tmp_path, text, name) == files, said
    assert right > CASES // 2, f"FTC_SEED={SEED}"
