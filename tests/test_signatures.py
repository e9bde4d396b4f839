"""The table of the libraries' arguments equals what is installed."""

from __future__ import annotations

import difflib
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ftlang.schema import signatures

ROOT = Path(__file__).resolve().parents[1]
TOOL = ROOT / "tools" / "inspect_signatures.py"

needs_stack = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="torch is not installed"
)


@needs_stack
@pytest.mark.timeout(240)
def test_the_table_is_a_fresh_inspection() -> None:
    program = f"import runpy; print(runpy.run_path({str(TOOL)!r})['text'](), end='')"
    fresh = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=200,
        check=True,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONHASHSEED": "7"},
    ).stdout
    stored = (ROOT / "ftlang/schema/signatures.json").read_text("utf-8")
    diff = difflib.unified_diff(stored.splitlines(), fresh.splitlines(), "stored", "fresh", n=0)
    assert stored == fresh, "run tools/inspect_signatures.py:\n" + "\n".join(diff)


def test_defaults_and_names() -> None:
    assert signatures.default("SFTConfig", "max_length") == 1024
    assert signatures.default("TrainingArguments", "optim") == "adamw_torch_fused"
    assert signatures.default("LoraConfig", "target_modules") is None
    assert signatures.default("AutoModelForCausalLM.from_pretrained", "revision") == "main"
    assert signatures.has("SFTConfig", "learning_rate")
    assert not signatures.has("TrainingArguments", "max_length")
    assert not signatures.has("SFTTrainer", "self")


def test_choices_of_enums_and_literals() -> None:
    assert signatures.choices("LoraConfig", "bias") == ("none", "all", "lora_only")
    assert "cosine" in signatures.choices("SFTConfig", "lr_scheduler_type")
    assert signatures.choices("SFTConfig", "seed") == ()
    assert "paged_adamw_8bit" in signatures.optimizers()
    assert "cosine" in signatures.schedulers()


def test_unknown_names_raise() -> None:
    with pytest.raises(KeyError, match="SFTConfig has no argument nonsense"):
        signatures.default("SFTConfig", "nonsense")
    with pytest.raises(KeyError):
        signatures.has("NoSuchConfig", "seed")


def test_the_tested_versions_are_the_pinned_ones() -> None:
    pins = dict(
        re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text("utf-8"), re.M)
    )
    assert {name: pins.get(name) for name in signatures.versions()} == signatures.versions()
