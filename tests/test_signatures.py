"""The table of the libraries' arguments equals what is installed."""

from __future__ import annotations

import difflib
import importlib.util
import json
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
    program = f"import json, runpy; print(json.dumps(runpy.run_path({str(TOOL)!r})['texts']()))"
    fresh = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=200,
        check=True,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONHASHSEED": "7"},
    ).stdout
    stored = {
        path.name: path.read_text("utf-8")
        for path in (ROOT / "ftlang/schema/libraries").glob("*.json")
    }
    found = json.loads(fresh.splitlines()[-1])
    assert stored.keys() == found.keys()
    for name, text in found.items():
        old = stored[name]
        diff = difflib.unified_diff(old.splitlines(), text.splitlines(), "stored", "fresh", n=0)
        assert old == text, f"{name}: run tools/inspect_signatures.py:\n" + "\n".join(diff)


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


def test_a_config_resolves_what_it_extends() -> None:
    shared = signatures.arguments("TrainingArguments")
    assert set(shared) < set(signatures.arguments("GRPOConfig"))
    assert "num_generations" in signatures.own_arguments("GRPOConfig")
    assert not set(shared) & set(signatures.own_arguments("GRPOConfig"))
    assert signatures.default("DPOConfig", "learning_rate") == 1e-06
    assert signatures.default("TrainingArguments", "learning_rate") == 5e-05
    assert signatures.default("LoHaConfig", "inference_mode") is False


def test_all_that_is_known_of_an_argument() -> None:
    r = signatures.argument("LoraConfig", "r")
    assert (r.type, r.default, r.required, r.opaque) == ("int", 8, False, False)
    assert signatures.argument("SFTConfig", "report_to").both_nones
    assert not signatures.argument("LoraConfig", "bias").both_nones
    assert signatures.argument("GPTQConfig", "bits").required
    assert signatures.argument("AutoModelForCausalLM.from_pretrained", "attn_implementation").opaque
    with pytest.raises(KeyError, match="LoraConfig has no argument rank"):
        signatures.argument("LoraConfig", "rank")


def test_kinds_name_classes_that_were_inspected() -> None:
    assert signatures.tuners()["loha"] == "LoHaConfig"
    assert signatures.quantizations()["gptq"] == "GPTQConfig"
    kinds = (*signatures.tuners().values(), *signatures.quantizations().values())
    assert set(kinds) <= set(signatures.classes())
    for name in signatures.classes():
        signatures.arguments(name)


def test_arguments_of_schedulers() -> None:
    found = {argument.name for argument in signatures.scheduler_arguments("warmup_stable_decay")}
    assert {"num_decay_steps", "decay_type"} < found
    assert not {"optimizer", "num_warmup_steps", "last_epoch"} & found
    plateau = {a.name: a for a in signatures.scheduler_arguments("reduce_lr_on_plateau")}
    assert plateau["mode"].choices == ("min", "max")
    assert signatures.scheduler_arguments("linear") == ()


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
