"""The output folder of a run: who may write there, and where training goes on."""

from pathlib import Path
from typing import Any


class Run:
    """One run and its output folder; `checkpoint` is where training goes on, None at the start."""

    def __init__(self, folder: Path, script: Path, checkpoint: Path | None) -> None:
        self.folder = folder
        self.script = script
        self.checkpoint = checkpoint

    def check(self, tokenizer: Any, datasets: dict[str, Any]) -> None:
        """Raises RunStopped where the checkpoint belongs to another script, data or template."""


def open_run(folder: Path, script: str) -> Run:
    """The run of a script, its output folder made where it is not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    return Run(folder, Path(script).resolve(), None)
