"""transformers' Trainer with the checks of `Checked`."""

from transformers import Trainer

from ftruntime.trainers.checked import Checked


class CheckedTrainer(Checked, Trainer):
    """A `transformers.Trainer` that is checked while it trains."""
