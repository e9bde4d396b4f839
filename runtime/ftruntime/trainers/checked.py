"""What every trainer here adds to its library's: a log of the run, and checks while it trains."""

from pathlib import Path
from typing import Any

from transformers import ProgressCallback

from ftruntime.callbacks import RunLog
from ftruntime.checkpoints import mark_of_run, require_steps_left


class Checked:
    """Mixed in before a Trainer class."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        trainer: Any = self
        trainer.remove_callback(ProgressCallback)  # RunLog shows the progress
        trainer.callback_handler.callbacks.insert(0, RunLog(Path(trainer.args.output_dir)))

    def _init_training_state(self, max_steps: int, *args: Any) -> tuple[int, int]:
        """After a resume the intervals are those of this run, not of the one that saved."""
        trainer: Any = super()
        begun: tuple[int, int] = trainer._init_training_state(max_steps, *args)
        state = self.__dict__["state"]
        state.compute_steps(self.__dict__["args"], max_steps)
        require_steps_left(state)
        return begun

    def _save_rng_state(self, output_dir: str) -> None:
        """The last file before the trainer's state, after which older checkpoints may go."""
        trainer: Any = super()
        trainer._save_rng_state(output_dir)
        mark_of_run(self, Path(output_dir))
