"""What only a machine with a GPU can show, in one script: `python tests/device/run.py`.

Each case compiles a spec for the builtin model, starts its `launch.sh`, and looks at what the run
left: a finite loss that fell, the kind of weights and device that the summary names.  Exit code 0
when every case that applies passed, 1 otherwise, 2 without a GPU.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROWS = ROOT / "tests/execute/rows.jsonl"


@dataclass(frozen=True)
class Case:
    """A run's body; `says` are words of the printed summary, `needs` a package, `gpus` how many."""

    name: str
    body: str
    says: tuple[str, ...]
    needs: str = ""
    gpus: int = 1


def body(tune: str, model: str = "", data: str = "", more: str = "") -> str:
    """A run of the builtin model with the given parts."""
    return f"""
  model {{ base = builtin("tiny-llama"){model} }}
  tune {tune}
  data {{ train = files("rows.jsonl"), max_length = 256{data} }}
  method sft
  report {{ every = 1 steps }}
  {more}
"""


STEPS = "training { duration = 40 steps, batch = 8, micro_batch = 4 }"
ONE = "hardware { gpus_per_node = 1 }"


def rate(kind: str, value: str) -> str:
    """An optimizer with its learning rate."""
    return f"optimizer {kind} {{ learning_rate = {value} }}"


def steps(precision: str) -> str:
    """The length of a run, at a precision."""
    return STEPS.replace(" }", f", precision = {precision} }}")


DOUBLE = ", quantize nf4 { bnb_4bit_use_double_quant = true }"
FLASH = ", attn_implementation = flash_attention_2"
ROWS_OF = "training { duration = 40 steps, batch = 2 rows, micro_batch = 1 rows }"
CASES = [
    Case(
        "lora_found",
        body("lora", more=f"{STEPS}\n{rate('adamw_torch', '5e-3')}"),
        ("cuda", "bfloat16"),
    ),
    Case(
        "full_bf16",
        body("full", more=f"{steps('bf16')}\n{rate('adamw_torch', '1e-4')}\n{ONE}"),
        ("trained float32", "bfloat16"),
    ),
    Case(
        "full_fp16",
        body("full", more=f"{steps('fp16')}\n{rate('adamw_torch', '1e-4')}\n{ONE}"),
        ("float16",),
    ),
    Case(
        "qlora_paged",
        body("lora", DOUBLE, more=f"{STEPS}\n{rate('paged_adamw_8bit', '1e-3')}\n{ONE}"),
        ("cuda",),
        needs="bitsandbytes",
    ),
    Case(
        "int8",
        body("lora", ", quantize int8", more=f"{STEPS}\n{rate('adamw_8bit', '1e-3')}\n{ONE}"),
        ("cuda",),
        needs="bitsandbytes",
    ),
    Case(
        "packed_flash",
        body("lora", FLASH, ", packing = bfd", f"{ROWS_OF}\n{ONE}"),
        ("cuda",),
        needs="flash_attn",
    ),
    Case(
        "two_gpus",
        body("lora", more=f"{STEPS}\n{ONE.replace('1', '2')}"),
        ("2 processes",),
        gpus=2,
    ),
]


def spec(case: Case) -> str:
    """The whole text of a case's spec."""
    return f"run {case.name} {{{case.body}}}\n"


def verdict(case: Case, folder: Path) -> str:
    """ "" when the case passed, else what went wrong."""
    (folder / "rows.jsonl").write_text(ROWS.read_text())
    path = folder / f"{case.name}.ft"
    path.write_text(spec(case))
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'runtime'}"}
    done = subprocess.run(
        [sys.executable, "-m", "ftlang", "run", str(path)],
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode != 0:
        return done.stderr[-800:]
    missing = [word for word in case.says if word not in done.stdout]
    if missing:
        return f"the summary lacks {missing}: {done.stdout[-800:]}"
    rows = (folder / "out" / case.name / "metrics.jsonl").read_text().splitlines()
    losses = [loss for row in rows if (loss := json.loads(row)["loss"]) is not None]
    if not all(map(math.isfinite, losses)) or losses[-1] >= losses[0]:
        return f"the loss did not fall: {losses[0]} to {losses[-1]}"
    return ""


def main() -> int:
    """Runs every case that applies and prints a line each."""
    import torch

    if not torch.cuda.is_available():
        print("no GPU here: nothing was run", file=sys.stderr)
        return 2
    failed = 0
    for case in CASES:
        if torch.cuda.device_count() < case.gpus:
            print(f"SKIP {case.name}: needs {case.gpus} GPUs")
        elif case.needs and importlib.util.find_spec(case.needs) is None:
            print(f"SKIP {case.name}: needs {case.needs}")
        else:
            with tempfile.TemporaryDirectory() as folder:
                problem = verdict(case, Path(folder))
            print(f"{'FAIL' if problem else 'PASS'} {case.name} {problem}", flush=True)
            failed += bool(problem)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
