"""TRL's SFTTrainer with the checks of `Checked`."""

from trl import SFTTrainer

from ftruntime.trainers.checked import Checked


class CheckedSFTTrainer(Checked, SFTTrainer):
    """A `trl.SFTTrainer` that is checked while it trains."""
