"""What a script looks up when it runs: environment variables, secrets, another run's result."""

import os
from pathlib import Path

from ftruntime.stops import Problem, RunStopped

CODE = "FT715"


def environment(name: str, *, default: str | None = None) -> str:
    """The value of an environment variable.

    Raises RunStopped where it is not set, or empty, and has no default.
    """
    value = os.environ.get(name, "") or default
    if value is None:
        raise _stopped(f"the environment variable {name} is not set; the spec's paths begin there")
    return value


def secret(name: str) -> str:
    """The secret that an environment variable holds; raises RunStopped where there is none.

    It is returned and nothing else: not printed, not kept.
    """
    value = os.environ.get(name, "")
    if not value:
        raise _stopped(f"the environment variable {name} is not set; it holds a secret of the spec")
    return value


def result_of(run: str, folder: Path) -> Path:
    """The folder, which the named run has to have left behind; raises RunStopped without it."""
    if not (folder / "config.json").is_file():
        raise _stopped(
            f"{folder} has no model: train the run `{run}` first, this one goes on from it"
        )
    return folder


def _stopped(message: str) -> RunStopped:
    return RunStopped([Problem(CODE, message)])
