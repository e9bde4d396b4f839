"""Runs emitted scripts, their bytes unaltered, in children of one warm process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Completed:
    """How a script ended: its exit code and what it said."""

    rc: int
    out: str
    err: str


class Stack:
    """A process that has imported the training libraries; `run` forks it."""

    def __init__(self, cache: Path, log: Path) -> None:
        self.log = log
        env = {
            **os.environ,
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'runtime'}",
            "HF_HUB_OFFLINE": "1",
            "OMP_NUM_THREADS": "1",
            "TOKENIZERS_PARALLELISM": "false",
            "FTC_CACHE": str(cache),
        }
        for name in ("WORLD_SIZE", "RANK", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"):
            env.pop(name, None)
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("zygote.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=(log / "zygote.err").open("w"),
            text=True,
            env=env,
        )
        self._answer()

    def _answer(self) -> dict[str, int]:
        assert self.process.stdout is not None
        row = self.process.stdout.readline()
        if not row:
            raise RuntimeError((self.log / "zygote.err").read_text())
        answer: dict[str, int] = json.loads(row)
        return answer

    def run(
        self,
        script: Path,
        *args: str,
        function: str = "",
        env: dict[str, str] | None = None,
        timeout: float = 120,
    ) -> Completed:
        """Runs a script as `__main__`, or one function of it with the arguments."""
        assert self.process.stdin is not None
        out, err = self.log / "stdout", self.log / "stderr"
        job = {
            "script": str(script),
            "args": args,
            "function": function,
            "cwd": str(script.parent),
            "env": env or {},
            "stdout": str(out),
            "stderr": str(err),
            "timeout": timeout,
        }
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        rc = self._answer()["rc"]
        return Completed(rc, out.read_text(errors="replace"), err.read_text(errors="replace"))

    def close(self) -> None:
        """Ends the process."""
        self.process.kill()
        self.process.wait()
