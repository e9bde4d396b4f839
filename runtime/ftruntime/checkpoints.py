"""Checkpoints of a run: which are whole, and what marks them so.

A checkpoint is whole when it holds run.json with the names and sizes of its files, all of them are
there at their size, and trainer_state.json, which the trainer writes last, can be read.
"""

import json
import re
from pathlib import Path
from typing import Any

from ftruntime.provenance import RUN_FILE, write_record
from ftruntime.stops import Problem, RunStopped

STATE = "trainer_state.json"
OPTIMIZER = ("optimizer.pt", "optimizer.bin")
_NAME = re.compile(r"checkpoint-(\d+)")


def checkpoints(folder: Path) -> list[Path]:
    """The folders `checkpoint-N` of an output folder, the latest step first."""
    found = [
        (int(match.group(1)), path)
        for path in (folder.iterdir() if folder.is_dir() else ())
        if path.is_dir() and (match := _NAME.fullmatch(path.name))
    ]
    return [path for _, path in sorted(found, reverse=True)]


def mark(checkpoint: Path, record: dict[str, Any]) -> None:
    """Writes run.json into a checkpoint whose files, but trainer_state.json, are all written."""
    files = {
        path.relative_to(checkpoint).as_posix(): path.stat().st_size
        for path in sorted(checkpoint.rglob("*"))
        if path.is_file() and path.name not in (STATE, RUN_FILE)
    }
    write_record(checkpoint / RUN_FILE, {**record, "files": files})


def mark_of_run(trainer: Any, checkpoint: Path) -> None:
    """Marks a checkpoint with its run's run.json, once every process has written its part.

    Nothing is marked where no run was opened.
    """
    trainer.accelerator.wait_for_everyone()
    folder = Path(trainer.args.output_dir)
    if trainer.args.should_save and (folder / RUN_FILE).is_file():
        mark(checkpoint, record_in(folder))


def fault_of(checkpoint: Path) -> str:
    """Why nothing can go on from a checkpoint, or nothing if it is whole."""
    if not any(checkpoint.iterdir()):
        return "it is empty"
    for name in (STATE, RUN_FILE):
        if not (checkpoint / name).is_file():
            return f"it has no {name}"
        try:
            json.loads((checkpoint / name).read_text(encoding="utf-8"))
        except ValueError:
            return f"its {name} is cut off"
    sizes: dict[str, int] = record_in(checkpoint).get("files", {})
    for name, size in sizes.items():
        file = checkpoint / name
        if not file.is_file():
            return f"its {name} is missing"
        if file.stat().st_size != size:
            return f"its {name} has {file.stat().st_size:,} bytes of {size:,}"
    if not any((checkpoint / name).exists() for name in OPTIMIZER):
        return "it holds weights without the optimizer (save_only_model)"
    return ""


def record_in(folder: Path) -> dict[str, Any]:
    """What run.json in a folder says."""
    record: dict[str, Any] = json.loads((folder / RUN_FILE).read_text(encoding="utf-8"))
    return record


def step_of(checkpoint: Path) -> tuple[int, int]:
    """Optimizer steps done, and planned."""
    state = json.loads((checkpoint / STATE).read_text(encoding="utf-8"))
    return int(state["global_step"]), int(state["max_steps"])


def require_steps_left(state: Any) -> None:
    """Raises RunStopped where training would go on from a step behind the last one.

    At the last step itself nothing is trained and the result is saved.
    """
    if state.global_step > state.max_steps:
        message = (
            f"the checkpoint is at step {state.global_step:,} and this run ends at step "
            f"{state.max_steps:,}: no step is left; train longer with `training.duration`, or "
            "start anew with `ftc run --fresh`"
        )
        raise RunStopped([Problem("FT718", message)])
