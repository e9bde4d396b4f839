"""Emitted scripts, unaltered, on the tiny model: they learn, save, and reload."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.execute.stack import Completed, Stack

LORA = """
  model { base = builtin("tiny-llama") }
  tune lora { r = 32, lora_alpha = 64 }
  data { train = files("rows.jsonl"), max_length = 256 }
  method sft
  optimizer adamw_torch { learning_rate = 1e-2 }
  schedule linear { warmup = 3% }
  training { duration = 150 epochs, batch = 4 seqs, micro_batch = 4 seqs }
  hardware { gpus_per_node = 0 }
"""
FULL = LORA.replace("tune lora { r = 32, lora_alpha = 64 }", "tune full").replace("1e-2", "3e-3")
SFT_TRAINER = LORA.replace("max_length = 256", "max_length = 256, packing = bfd").replace(
    "batch = 4 seqs, micro_batch = 4 seqs", "batch = 1 rows, micro_batch = 1 rows"
)

CASES = {"lora": LORA, "full": FULL, "packed": SFT_TRAINER}


def ok(done: Completed) -> Completed:
    assert done.rc == 0, done.err + done.out
    return done


def losses(output: Path) -> list[float]:
    rows = [json.loads(r) for r in (output / "metrics.jsonl").read_text().splitlines()]
    return [r["loss"] for r in rows if r["loss"] is not None]


@pytest.mark.parametrize("case", list(CASES))
def test_it_memorises_and_reloads(
    case: str, stack: Stack, emitted: Callable[..., Path], tmp_path: Path
) -> None:
    script = emitted(CASES[case] + "\n  report { every = 1 steps }")
    ok(stack.run(script))
    output = tmp_path / "out" / "job"
    seen = losses(output)
    assert seen[-1] < 0.1 * seen[0]
    ok(stack.run(Path(__file__).with_name("recall.py"), str(output / "final"), "0.9"))
    assert (output / "curves.png").read_bytes()[:4] == b"\x89PNG"
