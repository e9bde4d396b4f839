"""The script for machines with a GPU: its specs compile, and without a GPU it says so."""

from __future__ import annotations

import importlib.util
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from ftlang.compile import compile

SCRIPT = Path(__file__).parent / "device/run.py"


def test_every_case_compiles(tmp_path: Path) -> None:
    space = runpy.run_path(str(SCRIPT), run_name="device")
    assert len(space["CASES"]) >= 6
    for case in space["CASES"]:
        path = tmp_path / f"{case.name}.ft"
        path.write_text(space["spec"](case))
        result = compile(path)
        assert [d for d in result.found if d.severity == "error"] == [], case.name
        assert [output.run for output in result.outputs] == [case.name]


def test_without_a_gpu_nothing_is_claimed() -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    command = [sys.executable, str(SCRIPT)]
    hidden = {"CUDA_VISIBLE_DEVICES": "", "PATH": ""}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, env=hidden, check=False
    )
    assert done.returncode == 2
    assert "nothing was run" in done.stderr
