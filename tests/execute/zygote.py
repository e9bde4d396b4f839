"""Imports the training stack once and forks a child for each script that a test wants to run.

Importing the stack takes longer than most runs.  The parent starts this file as a process, writes
one JSON object a line to its standard input, and reads one JSON object a line back.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any


def _child(job: dict[str, Any]) -> int:
    """Runs the job's script as `__main__`, or a function of a file, with its own output files."""
    os.setsid()
    for stream, name in ((1, "stdout"), (2, "stderr")):
        handle = os.open(job[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(handle, stream)
    os.environ.update(job["env"])
    os.chdir(job["cwd"])
    sys.argv = [job["script"], *job["args"]]
    sys.path.insert(0, str(Path(job["script"]).parent))
    try:
        if job["function"]:
            runpy.run_path(job["script"])[job["function"]](*job["args"])
        else:
            runpy.run_path(job["script"], run_name="__main__")
    except SystemExit as stop:
        if stop.code is None or isinstance(stop.code, int):
            return stop.code or 0
        print(stop.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _finished(pid: int, timeout: float) -> int:
    """The exit code of a child; 124 after killing its whole group when it takes too long."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return 124


def main() -> None:
    """Imports everything that emitted scripts import, then serves jobs until its input ends."""
    import datasets  # noqa: F401
    import matplotlib.pyplot  # noqa: F401
    import peft  # noqa: F401
    import torch
    import transformers  # noqa: F401
    from transformers import LlamaForCausalLM, Trainer  # noqa: F401
    from trl import SFTTrainer  # noqa: F401

    torch.set_num_threads(1)
    print(json.dumps({"ready": True}), flush=True)
    for row in sys.stdin:
        job = json.loads(row)
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                code = _child(job)
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        print(json.dumps({"rc": _finished(pid, job["timeout"])}), flush=True)


if __name__ == "__main__":
    main()
