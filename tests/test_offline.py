"""The compiler needs no network and no training library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SPEC = """\
run a {
  model { base = hf("Qwen/Qwen3-0.6B", revision = "0123456789abcdef0123456789abcdef01234567") }
  tune lora
  data { train = files("rows.jsonl") }
  method sft
}
"""
# Whatever opens a socket or imports a training library ends the process with a traceback.
ISLAND = """
import importlib.abc, socket, sys

class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {
            "torch", "transformers", "trl", "peft", "datasets", "accelerate", "ftruntime",
            "huggingface_hub", "requests", "httpx",
        }:
            raise ImportError(f"island: {name}")

def refuse(*arguments, **named):
    raise OSError("island: no network")

class NoSocket(socket.socket):
    __init__ = refuse

sys.meta_path.insert(0, Refuse())
socket.socket, socket.getaddrinfo = NoSocket, refuse
"""


def on_island(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", ISLAND + program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.parametrize(
    "program",
    [
        "import torch",
        "import urllib.request as u; u.urlopen('http://127.0.0.1:9')",
        "socket.socket()",
    ],
)
def test_the_island_is_one(program: str) -> None:
    answer = on_island(program)
    assert answer.returncode != 0
    assert "island: " in answer.stderr


@pytest.mark.parametrize("command", [["check"], ["compile"], ["compile", "--stdout"]])
def test_specs_compile_on_the_island(command: list[str], tmp_path: Path) -> None:
    spec = tmp_path / "job.ft"
    spec.write_text(SPEC)
    (tmp_path / "rows.jsonl").write_text('{"prompt": "1 + 1?", "completion": "2"}\n')
    name, *options = command
    argv = [name, str(spec), "--debug", *options]
    answer = on_island(f"from ftlang.cli import main; sys.exit(main({argv!r}))")
    assert answer.returncode == 0, answer.stderr
    if "--stdout" in options:
        assert "def build_model" in answer.stdout
    assert (tmp_path / "generated/a/train.py").exists() is (command == ["compile"])
