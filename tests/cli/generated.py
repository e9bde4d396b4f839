"""Generated files as the contract has them, made without the code under test."""

from __future__ import annotations

import hashlib
import json


def script(body: str, run: str = "a") -> str:
    """A script with the header of the contract, its digest worked out independently."""
    body_ = hashlib.sha256(body.encode()).hexdigest()[:8]
    return f"# ftc 0.1.0 · job.ft › {run} · source 01234567 · body {body_}\n{body}"


def files(body: str = "print(1)\n", launch: str = "#!/bin/sh\n", run: str = "a") -> dict[str, str]:
    """The files of a run."""
    origin = {
        "path": "training.batch",
        "kind": "spec",
        "file": "job.ft",
        "line": 12,
        "column": 5,
        "end_line": 12,
        "end_column": 15,
        "text": "batch = 64",
    }
    default = {**origin, "path": "training.seed", "kind": "default", "line": 9, "column": 3}
    lines = {"2": [origin, default]}
    sections = {"3": "Training · a.training", "12": "main"}
    content = {"version": 1, "run": run, "lines": lines, "sections": sections}
    return {
        "train.py": script(body, run),
        "launch.sh": launch,
        "train.ftmap.json": json.dumps(content) + "\n",
    }
