"""Which trainer: TRL's SFTTrainer, or transformers' Trainer where that costs less."""

from __future__ import annotations

from dataclasses import dataclass

from ftlang.schema.batch import on_cpu, packed
from ftlang.schema.constructors import Builtin
from ftlang.schema.run import Spec


@dataclass(frozen=True, slots=True)
class Choice:
    """The classes of trainer and arguments; the script shows `reason`, "" for the default."""

    trainer: str
    arguments: str
    reason: str


SFT = Choice("SFTTrainer", "SFTConfig", "")


def trainer_of(spec: Spec) -> Choice:
    """SFTTrainer, unless the logits of a micro batch are small enough to be kept.

    TRL 1.16 computes the loss in chunks and never keeps the logits: memory saved on a GPU, time
    lost on a CPU and on small vocabularies (docs/decisions.md has the measurement).
    """
    if packed(spec):
        return SFT
    if isinstance(spec.model.base, Builtin):
        return Choice("Trainer", "TrainingArguments", "the vocabulary is small")
    if on_cpu(spec):
        return Choice("Trainer", "TrainingArguments", "on a CPU")
    return SFT
