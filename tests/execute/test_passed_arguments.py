"""Each library argument that passes on is one that the library takes, at a value of its type."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ftlang.compile import compile
from tests.execute.stack import Stack
from tests.fields import Case, cases

HERE = Path(__file__).resolve().parent
LOADED = ("model", "tokenizer")
# What cannot be constructed on this machine or with this value, and why.
KNOWN: dict[str, str] = {
    "tune lora loftq_config": "it needs a package that is not among the tested ones",
    "training tf32": "it asks for a GPU",
    "model use_kernels": "it needs a package that is not among the tested ones",
    "model subfolder": "the model at hand has no folder of that name",
    "model variant": "the model at hand has no weights of that name",
    "tokenizer subfolder": "the model at hand has no folder of that name",
    "tokenizer tokenizer_type": "the files at hand are not of another type",
    "tokenizer mistral_format": "it needs a package that is not among the tested ones",
}


def written(case: Case, folder: Path) -> Path:
    """The script of a run that has the field at the value that is not its default."""
    one, other = case.values
    default = case.field.default
    value = other if str(default).lower() == one.strip('"') else one
    spec = folder / f"{len(list(folder.iterdir()))}.ft"
    spec.write_text(case.run(value))
    result = compile(spec)
    assert [d for d in result.found if d.severity == "error"] == [], case.name
    script = folder / f"{spec.stem}.py"
    script.write_text(result.outputs[0].files["train.py"])
    return script


def problems(stack: Stack, chosen: list[Case], load: bool, folder: Path) -> dict[str, str]:
    """What went wrong, by the name of the field."""
    scripts = {str(written(case, folder)): case.name for case in chosen}
    mode = "--model" if load else "--config"
    done = stack.run(HERE / "construct_each.py", mode, *scripts, timeout=300)
    assert done.rc == 0, done.err
    [row] = [r for r in done.out.splitlines() if r.startswith("FOUND ")]
    found = json.loads(row.removeprefix("FOUND "))
    assert found.keys() == scripts.keys()
    return {scripts[script]: why for script, why in found.items() if why is not None}


def test_every_optimizer_and_schedule_is_made(stack: Stack, tmp_path: Path) -> None:
    """Each kind with each of its own settings; 8-bit and paged ones need no GPU to be made."""
    chosen = [case for case in cases(passed=False) if case.path in ("optimizer", "schedule")]
    assert len({case.kind for case in chosen}) > 25
    assert problems(stack, chosen, False, tmp_path) == {}


@pytest.mark.parametrize("load", [False, True], ids=["configs", "loaders"])
def test_every_passed_argument_is_taken(stack: Stack, tmp_path: Path, load: bool) -> None:
    chosen = [case for case in cases(passed=True) if (case.path in LOADED) == load]
    assert chosen
    found = problems(stack, chosen, load, tmp_path)
    known = {case.name: KNOWN[case.name] for case in chosen if case.name in KNOWN}
    assert {n: why for n, why in found.items() if n not in known} == {}
    assert {n for n in known if n not in found} == set(), "no longer fails"
