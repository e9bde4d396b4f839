"""The same training in one process and in two: one log, the same tokens, the same losses."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import ftruntime
import pytest

SCRIPT = """
import sys
from pathlib import Path
import torch
from datasets import Dataset
from ftruntime.callbacks import RunLog, SampleAnswers
from ftruntime.finish import save_result
from ftruntime.launch import accumulation_steps, require_processes
from ftruntime.models import builtin_model
from ftruntime.preflight import preflight
from transformers import AutoModelForCausalLM, AutoTokenizer, ProgressCallback, Trainer
from transformers import TrainingArguments
from trl.trainer.sft_trainer import DataCollatorForLanguageModeling

torch.set_num_threads(1)
output = Path(sys.argv[1])
require_processes(int(sys.argv[2]))
tokenizer = AutoTokenizer.from_pretrained(builtin_model("tiny-llama"))
model = AutoModelForCausalLM.from_pretrained(builtin_model("tiny-llama"), dtype=torch.float32)
ids = [tokenizer("x" * (3 + 2 * n))["input_ids"] for n in range(8)]
trainer = Trainer(
    model=model,
    args=TrainingArguments(
        str(output), per_device_train_batch_size=2, max_steps=4, learning_rate=1e-3,
        gradient_accumulation_steps=accumulation_steps(batch=4, micro_batch=2),
        logging_steps=1, use_cpu=True, report_to="none", save_strategy="no",
        include_num_input_tokens_seen="non_padding",
    ),
    train_dataset=Dataset.from_list([{"input_ids": row, "labels": row} for row in ids]),
    processing_class=tokenizer,
    data_collator=DataCollatorForLanguageModeling(pad_token_id=tokenizer.pad_token_id),
    callbacks=[RunLog(output), SampleAnswers(tokenizer, ["x?"], output, max_new_tokens=4)],
)
trainer.remove_callback(ProgressCallback)
preflight(trainer)
trainer.train()
save_result(trainer, tokenizer, output / "final", base="tiny-llama")
"""


def lines_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.slow
def test_two_processes_train_like_one(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    env = {
        **os.environ,
        "PYTHONPATH": str(Path(ftruntime.__file__).parents[1]),
        "FTC_CACHE": str(tmp_path / "cache"),
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
    }
    env.pop("WORLD_SIZE", None)
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node"]
    commands = {"one": [sys.executable], "two": [*launch, "2"]}
    printed = {}
    for count, (name, command) in enumerate(commands.items(), start=1):
        done = subprocess.run(
            [*command, str(script), str(tmp_path / name), str(count)],
            env=env,
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert done.returncode == 0, done.stderr
        printed[name] = done.stdout
    assert "2 rows × 1 process × 2 passes = 4 rows a step" in printed["one"]
    assert "2 rows × 2 processes × 1 pass = 4 rows a step" in printed["two"]
    assert printed["two"].count("after training") == 1
    one, two = (lines_of(tmp_path / name / "metrics.jsonl") for name in commands)
    assert [line["step"] for line in two] == [1, 2, 3, 4]
    tokens = sum(3 + 2 * n for n in range(8))
    assert two[1]["tokens_seen"] == tokens and two[3]["tokens_seen"] == 2 * tokens
    for first, second in zip(one, two, strict=True):
        assert second["loss"] == pytest.approx(first["loss"], rel=1e-5)
        assert second["tokens_seen"] == first["tokens_seen"]
    assert len(lines_of(tmp_path / "two" / "samples.jsonl")) == 2
    assert (tmp_path / "two" / "final" / "base.json").is_file()
