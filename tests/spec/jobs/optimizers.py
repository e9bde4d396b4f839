"""An optimizer that the trainer does not name."""

from __future__ import annotations

import torch


def muon(
    model: torch.nn.Module,
    learning_rate: float,
    weight_decay: float = 0.0,
    momentum: float = 0.95,
) -> torch.optim.Optimizer:
    """Muon over the trained matrices; adapters have nothing else.

    Raises ValueError where a trained tensor is no matrix: Muon is not defined for it.
    """
    trained = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    others = [name for name, p in trained if p.ndim != 2]
    if others:
        raise ValueError(f"Muon takes matrices only, and {others[0]} is none")
    return torch.optim.Muon(
        [p for _, p in trained], lr=learning_rate, weight_decay=weight_decay, momentum=momentum
    )
