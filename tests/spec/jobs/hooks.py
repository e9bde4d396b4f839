"""Own code at the trainer's places: a callback, a loss, a metric and a look before the start."""

from __future__ import annotations

from typing import Any

import torch
from transformers import (
    EvalPrediction,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)

IGNORED = -100


class Watchdog(TrainerCallback):
    """Stops a run whose loss stays above `limit` for `patience` lines of the log."""

    def __init__(self, limit: float, patience: int = 3) -> None:
        self.limit = limit
        self.patience = patience
        self.above = 0

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, float] | None = None,
        **kwargs: object,
    ) -> None:
        """Count the lines above the limit in a row."""
        loss = (logs or {}).get("loss")
        if loss is None:
            return
        self.above = self.above + 1 if loss > self.limit else 0
        if self.above >= self.patience:
            control.should_training_stop = True


def focal_loss(
    outputs: Any,
    labels: torch.Tensor,
    num_items_in_batch: torch.Tensor | int | None = None,
    gamma: float = 2.0,
) -> torch.Tensor:
    """Cross-entropy in which sure tokens count less (arXiv:1708.02002, equation 4).

    `outputs.logits` is (rows, tokens, vocabulary), `labels` (rows, tokens).
    """
    logits = outputs["logits"][:, :-1].float()
    targets = labels[:, 1:]
    kept = targets != IGNORED
    surprise = torch.nn.functional.cross_entropy(logits[kept], targets[kept], reduction="none")
    weighed = (1 - torch.exp(-surprise)) ** gamma * surprise
    return weighed.sum() / (kept.sum() if num_items_in_batch is None else num_items_in_batch)


def token_accuracy(prediction: EvalPrediction) -> dict[str, float]:
    """The share of trained tokens that the model would have chosen."""
    chosen = prediction.predictions.argmax(-1)[:, :-1]
    targets = prediction.label_ids[:, 1:]
    kept = targets != IGNORED
    return {"token_accuracy": float((chosen == targets)[kept].mean())}


def print_trainable(trainer: Any) -> None:
    """How many weights are trained, once, before the first step."""
    weights = [p.numel() for p in trainer.model.parameters() if p.requires_grad]
    print(f"{sum(weights):,} weights in {len(weights)} tensors are trained")
