"""The Python that trains: which one it is, what it lacks, and running something in it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ftlang.cli.refusal import Refusal

PACKAGES = ("torch", "transformers", "trl", "peft", "datasets", "accelerate", "ftruntime")
_LACKING = (
    "import sys, importlib.util as u; print(*[n for n in sys.argv[1:] if u.find_spec(n) is None])"
)


def python() -> str:
    """The interpreter that trains: `PYTHON` of the environment, or the one that runs ftc.

    Raises Refusal, with the line that installs them, if it lacks the training packages.
    """
    interpreter = os.environ.get("PYTHON") or sys.executable
    if os.sep in interpreter:  # launch.sh changes its folder; a name without one is on PATH
        interpreter = str(Path(interpreter).absolute())
    try:
        answer = subprocess.run(
            [interpreter, "-c", _LACKING, *PACKAGES],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as failed:
        raise Refusal(f"the interpreter `{interpreter}` does not run: {failed}") from failed
    if lacking := answer.stdout.split():
        raise Refusal(
            f"`{interpreter}` lacks packages that training needs: {', '.join(lacking)}\n"
            "  install them:       pip install 'ftlang[train]'\n"
            "  or name a Python:   PYTHON=path/to/python ftc ..."
        )
    return interpreter


def exit_code(
    command: Sequence[str], interpreter: str, variables: Mapping[str, str] | None = None
) -> int:
    """Run a command with `PYTHON` set to the interpreter, and further variables, and wait.

    An interrupt from the keyboard reaches the command too, which may want to save; so we wait.
    A command that a signal ended gives 128 + its number, as in a shell.
    """
    environment = {**os.environ, "PYTHON": interpreter, **(variables or {})}
    try:
        child = subprocess.Popen(command, env=environment)
    except OSError as failed:
        raise Refusal(f"`{command[0]}` does not start: {failed.strerror}") from failed
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        code = child.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return 128 - code if code < 0 else code
