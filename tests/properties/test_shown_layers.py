"""Jobs of random layers: what `ftc show` prints means the same, and names the right layer."""

from __future__ import annotations

import random
import re

import pytest

from ftlang import compile as compiler
from ftlang.compile import Options
from ftlang.diagnostics import has_errors
from ftlang.names.files import Loader
from ftlang.names.resolve import Asked
from ftlang.plan.digest import source_digest
from ftlang.show import text
from ftlang.source import SourceFile
from tests.properties.test_layers_of_a_run import BASE, ENTRIES, SEED, body, chosen

SHOWN = re.compile(r"^ +(\w+) += (.+?)  # (.+)$", re.MULTILINE)


@pytest.mark.parametrize("start", range(0, 120, 30))
def test_random_layers(start: int) -> None:
    compared = 0
    for number in range(start, start + 30):
        numbers = random.Random(SEED + number)
        job = (
            f"defaults x {{\n{BASE}}}\ndefaults y extends x {{\n{body(chosen(numbers))}}}\n"
            f"run z extends y {{\n{body(chosen(numbers))}}}\n"
            f"profile p {{\n{body(chosen(numbers))}}}\n"
        )
        asked = Asked(profiles=("p",), sets=(numbers.choice(ENTRIES),))
        module = Loader().text(SourceFile("job.ft", job))
        specs, found = compiler.analyse(module, Options(asked=asked))
        if has_errors(found):
            continue
        said = f"seed {SEED + number}: {asked}\n{job}"
        document = compiler.resolved(module, Options(asked=asked))
        for origins in (False, True):
            shown = text.shown(specs, document, origins)
            again, wrong = compiler.analyse(SourceFile("shown.ft", shown), Options())
            assert not has_errors(wrong), f"{said}{shown}"
            assert [source_digest(s) for s in again] == [source_digest(s) for s in specs], said
        compared += 1
        _check_lines(job, shown, said)
    assert compared >= 10


def _check_lines(job: str, shown: str, said: str) -> None:
    """Each place that is named is a line of the job that sets the field, in the layer named."""
    rows = job.split("\n")
    named = 0
    for name, _, comment in SHOWN.findall(shown):
        place = re.search(r"job\.ft:(\d+)", comment)
        if place is None or comment.startswith("--set"):
            assert comment.startswith(("default", "--set")), f"{said}{name}: {comment}"
            continue
        row = int(place[1])
        assert name in rows[row - 1], f"{said}{name}: {comment}"
        heads = [line for line in rows[:row] if line.endswith("{") and not line.startswith(" ")]
        layer = heads[-1].split()[1]
        if "unset" in comment:
            continue
        if layer == "p":
            assert comment.startswith("profile p, "), f"{said}{name}: {comment}"
        elif layer == "z":
            assert "from" not in comment, f"{said}{name}: {comment}"
        else:
            assert f"from `{layer}`" in comment, f"{said}{name}: {comment}"
        named += 1
    assert named
