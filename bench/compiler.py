"""What the compiler costs: CPU time of whole processes, as ratios, in one interleaved run.

    python bench/compiler.py [--rounds N]

Budgets: `check` on a 40-line spec ≤ 1.6 × `python -c "import lark"`, `compile` ≤ 4.5 ×; a thousand
specs in one call ≤ 12 × parsing the same text alone.  Exits 1 where a median is over its budget.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

SPEC = """\
# A run as people write them: forty lines, most of them values.
param seed: int = 42

dataset support {
  source = files("data/support/*.jsonl")
  format = alpaca(system = "system")
}

run support_lora {
  about = "An adapter on the support rows."
  model {
    base  = hf("Qwen/Qwen2.5-1.5B-Instruct", revision = "989aa7980e4cf806f80c7fef2b1adb7bc71aa306")
    dtype = bfloat16
  }
  tune lora {
    r              = 16
    lora_alpha     = 32
    lora_dropout   = 5%
    target_modules = [q_proj, k_proj, v_proj, o_proj]
  }
  data {
    train      = support
    eval       = split(5%, seed = 7)
    max_length = 2Ki
  }
  method sft
  optimizer adamw_torch_fused { learning_rate = 2e-4, weight_decay = 0.01 }
  schedule cosine { warmup = 3% }
  training {
    duration    = 3 epochs
    batch       = 64 seqs
    micro_batch = 8 seqs
    precision   = bf16
    seed        = $seed
  }
  hardware { gpus_per_node = 1 }
  save { every = 200 steps, save_total_limit = 2 }
  evaluate { every = 200 steps, samples = ["Who are you?"] }
  report { every = 10 steps }
}
"""
THOUSAND = 1000


def cpu_seconds(command: list[str], environment: dict[str, str]) -> float:
    """User and system time of one process; raises CalledProcessError where it fails."""
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    said = process.stderr.read() if process.stderr is not None else b""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command, stderr=said)
    return usage.ru_utime + usage.ru_stime


def commands(folder: Path) -> dict[str, list[str]]:
    """The processes that are compared, by name."""
    python = sys.executable
    spec = folder / "job.ft"
    spec.write_text(SPEC)
    assert len(SPEC.splitlines()) == 40, len(SPEC.splitlines())
    many = folder / "many"
    many.mkdir()
    for number in range(THOUSAND):
        (many / f"job{number}.ft").write_text(SPEC.replace("support_lora", f"run_{number}"))
    parse = (
        "import sys, pathlib\n"
        "from ftlang.source import SourceFile\n"
        "from ftlang.syntax import parse\n"
        "for p in sorted(pathlib.Path(sys.argv[1]).glob('*.ft')):"
        " parse(SourceFile(p.name, p.read_text()))"
    )
    ftc = [python, "-m", "ftlang"]
    return {
        "import lark": [python, "-c", "import lark"],
        "check": [*ftc, "check", str(spec)],
        "compile": [*ftc, "compile", str(spec), "--stdout"],
        "parse 1000": [python, "-c", parse, str(many)],
        "check 1000": [*ftc, "check", str(many)],
    }


def main() -> int:
    """0 where every median ratio is within its budget."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rounds", type=int, default=11)
    rounds = arguments.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONPYCACHEPREFIX": str(folder / "pyc"),
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        timed = commands(folder)
        seconds: dict[str, list[float]] = {one: [] for one in timed}
        for number in range(rounds + 1):
            for one, command in timed.items():
                if one.endswith("1000") and number > 3:
                    continue
                spent = cpu_seconds(command, environment)
                if number:  # the first round writes the byte code
                    seconds[one].append(spent)
    within = True
    for one, base, budget in (
        ("check", "import lark", 1.6),
        ("compile", "import lark", 4.5),
        ("check 1000", "parse 1000", 12.0),
    ):
        ratios = [a / b for a, b in zip(seconds[one], seconds[base], strict=True)]
        ratio = statistics.median(ratios)
        within = within and ratio <= budget
        print(
            f"{one:12} {ratio:5.2f} × {base:12} (budget {budget}, n = {len(ratios)},"
            f" {min(ratios):.2f} to {max(ratios):.2f})"
        )
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
