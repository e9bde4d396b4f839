"""Every line that comes from the spec says so: the map leads from each keyword to its value."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MAPS = sorted(ROOT.glob("tests/golden/*/expected/*/train.ftmap.json"))

# The spec path behind a line of the script, by what the line sets.
LINES = {
    r"OUTPUT = ": "output",
    r"MODEL = ": "model.base",
    r"QUESTIONS = ": "evaluate.samples",
    r"(num_train_epochs|max_steps)=": "training.duration",
    r"per_device_train_batch_size=": "training.micro_batch",
    r"gradient_accumulation_steps=": "training.batch",
    r"optim=": "optimizer.kind",
    r"learning_rate=": "optimizer.learning_rate",
    r"adam_beta2=": "optimizer.adam_beta2",
    r"lr_scheduler_type=": "schedule.kind",
    r"warmup_steps=": "schedule.warmup",
    r"(bf16|fp16)=": "training.precision",
    r"seed=": "training.seed",
    r"set_seed\(": "training.seed",
    r"eval_steps=": "evaluate.every",
    r"save_steps=": "save.every",
    r"save_total_limit=": "save.save_total_limit",
    r"logging_steps=": "report.every",
    r"dtype=": "model.dtype",
    r"attn_implementation=": "model.attn_implementation",
    r"bnb_4bit_quant_type=": "model.quantize.kind",
    r"r=": "tune.r",
    r"lora_alpha=": "tune.lora_alpha",
    r"lora_dropout=": "tune.lora_dropout",
    r"target_modules=": "tune.target_modules",
    r"train = ": "data.train",
    r"evaluation = ": "data.eval",
    r"parts = ": "data.eval",
    r"use_cpu=": "hardware.gpus_per_node",
    r"require_(processes|gpus)\(": "hardware.gpus_per_node",
}


@pytest.mark.parametrize("path", MAPS, ids=lambda p: p.parent.name)
def test_lines_lead_to_their_values(path: Path) -> None:
    mapped = json.loads(path.read_text())["lines"]
    script = path.with_name("train.py").read_text().splitlines()
    seen = 0
    for number, row in enumerate(script, 1):
        for pattern, expected in LINES.items():
            if re.match(rf"\s*{pattern}", row):
                assert expected in [o["path"] for o in mapped.get(str(number), [])], row
                seen += 1
    assert seen >= 12


@pytest.mark.parametrize("path", MAPS, ids=lambda p: p.parent.name)
def test_origins_are_places_of_the_spec(path: Path) -> None:
    """What is `spec` covers exactly the value; what is a default points at the block around it."""
    spec = (path.parents[2] / "spec.ft").read_text().splitlines()
    for origins in json.loads(path.read_text())["lines"].values():
        for origin in origins:
            row = spec[origin["line"] - 1]
            assert origin["text"] == row.strip()
            assert origin["file"] == "spec.ft"
            covered = row[origin["column"] - 1 :]
            name = origin["path"].rpartition(".")[2]
            if origin["kind"] == "spec" and name not in ("kind", "method"):
                assert re.search(rf"\b{name}\s*=\s*$", row[: origin["column"] - 1]), origin
            assert covered
