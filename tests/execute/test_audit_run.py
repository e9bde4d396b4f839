"""`ftc audit` reports what trains: its ids and labels are those of the first collated batch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.execute.stack import Stack

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BODY = """
  model { base = builtin("tiny-llama") }
  tune lora
  data { train = files("rows.jsonl"), max_length = 256 }
  method sft
  training { batch = 8, micro_batch = 4 }
  hardware { gpus_per_node = 0 }
"""


def audited(script: Path, **environment: str) -> dict[str, Any]:
    spec = script.parents[2] / f"{script.parent.name}.ft"
    command = [
        sys.executable,
        "-m",
        "ftlang",
        "audit",
        str(spec),
        "--format",
        "json",
        "--rows",
        "all",
    ]
    env = {
        **os.environ,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'runtime'}",
        "HF_HUB_OFFLINE": "1",
        **environment,
    }
    done = subprocess.run(
        command, capture_output=True, text=True, env=env, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.parametrize("trainer", ["Trainer", "SFTTrainer"])
def test_the_report_is_the_first_batch(
    trainer: str, stack: Stack, emitted: Callable[..., Path], tmp_path: Path
) -> None:
    body = BODY
    if trainer == "SFTTrainer":
        (tmp_path / "make.py").write_text(
            "import shutil\nfrom ftruntime.models import builtin_model\n"
            f"shutil.copytree(builtin_model('tiny-llama'), {str(tmp_path / 'model')!r})\n"
        )
        stack.run(tmp_path / "make.py")
        body = body.replace('builtin("tiny-llama")', 'path("model")')
        body = body.replace("hardware { gpus_per_node = 0 }", "")
    script = emitted(body)
    assert f"-> Checked{trainer}:" in script.read_text()
    samples = audited(script)["samples"]
    done = stack.run(HERE / "collated.py", str(script))
    assert done.rc == 0, done.err
    batch = json.loads(done.out.split("BATCH ")[1].splitlines()[0])
    assert len(batch) == 8
    for row, sample in zip(batch, samples, strict=False):
        assert row["input_ids"] == sample["input_ids"]
        assert row["labels"] == sample["labels"]
        assert row["padding"] in ([], [-100])
    assert any(row["padding"] for row in batch)


def test_a_spec_for_eight_gpus_audits_on_this_cpu(
    stack: Stack, emitted: Callable[..., Path]
) -> None:
    """In bfloat16, and with a launcher's variables in the environment."""
    del stack  # the training packages are there
    script = emitted(
        BODY.replace("gpus_per_node = 0", "gpus_per_node = 8")
        .replace("batch = 8, micro_batch = 4", "batch = 64, micro_batch = 4, precision = bf16")
        .replace(
            'builtin("tiny-llama")',
            'builtin("tiny-llama"), attn_implementation = flash_attention_2',
        )
    )
    report = audited(script, WORLD_SIZE="2", RANK="0", LOCAL_RANK="0")
    assert report["level"] == "L2"
    assert report["rows"] | {"by_reason": {}} == {
        "read": 12,
        "kept": 12,
        "dropped": 0,
        "truncated": 0,
        "by_reason": {},
    }
    assert report["template"]["parity"] == "equal"
    assert report["samples"][0]["trained_text"] == ["Blue.<|im_end|>", "Yes, Blue.<|im_end|>"]
    assert report["diagnostics"] == []
