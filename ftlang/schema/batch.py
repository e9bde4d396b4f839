"""Arithmetic of batches and steps that rules and plan share: pure functions of the Spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ftlang.record import Record
from ftlang.schema.run import Spec
from ftlang.schema.schedules import WarmupStableDecay
from ftlang.schema.units import Quantity

if TYPE_CHECKING:
    from fractions import Fraction


class Batch(Record):
    """One optimizer step in rows of the tensor: `size = micro × devices × accumulation`.

    `devices` and `accumulation` are None where the script takes what it finds.
    `unit` is what a row is: seqs (a conversation) or rows (several packed).
    """

    size: int
    micro: int
    unit: str
    devices: int | None
    accumulation: int | None


def packed(spec: Spec) -> bool:
    """Whether a row of the tensor holds several conversations."""
    return spec.data.packing is not False


def devices(spec: Spec) -> int | None:
    """Data-parallel ranks: 1 on a CPU, None where the script takes what it finds."""
    gpus = spec.hardware.gpus_per_node
    return max(1, gpus) if gpus is not None else None


def on_cpu(spec: Spec) -> bool:
    """Whether the spec says that there is no GPU."""
    return spec.hardware.gpus_per_node == 0


def rows_per_step(spec: Spec) -> Fraction | int | None:
    """Rows of one optimizer step; tokens count as rows of `max_length`, None without one."""
    batch = spec.training.batch
    if batch.unit == "tokens":
        from fractions import Fraction  # dear to import, and rarely needed

        return Fraction(int(batch.amount), spec.data.max_length) if spec.data.max_length else None
    return int(batch.amount)


def batch_of(spec: Spec) -> Batch:
    """The batch that the plan emits; the spec must have passed the rules (divisible, whole)."""
    rows = rows_per_step(spec)
    size = int(rows) if rows is not None else 0
    micro = int(spec.training.micro_batch.amount)
    ranks = devices(spec)
    accumulation = size // (micro * ranks) if ranks is not None else None
    return Batch(size, micro, "rows" if packed(spec) else "seqs", ranks, accumulation)


def nearest_multiples(size: int, step: int) -> tuple[int, ...]:
    """The multiples of `step` around `size`, the lower one left out when it is 0."""
    low = size // step * step
    return tuple(n for n in (low, low + step) if n)


def total_steps(spec: Spec) -> int | None:
    """Optimizer steps of the run where the spec alone tells them, else None."""
    duration = spec.training.duration
    return int(duration.amount) if duration.unit == "steps" else None


def decay_steps(spec: Spec) -> int | None:
    """Steps of the fall of a `warmup_stable_decay`; None where the spec alone does not tell."""
    schedule = spec.schedule
    if not isinstance(schedule, WarmupStableDecay):
        return None
    if isinstance(schedule.decay, Quantity):
        return int(schedule.decay.amount)
    steps = total_steps(spec)
    return round(schedule.decay * steps) if steps is not None else None
