"""Which trainer: TRL's SFTTrainer, or transformers' Trainer where that costs less."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.record import Record
from ftlang.schema.batch import on_cpu, packed
from ftlang.schema.run import Spec
from ftlang.schema.signatures import has
from ftlang.schema.sources import Builtin


class Choice(Record):
    """The classes of trainer and arguments; the script shows `reason`, "" for the default."""

    trainer: str
    arguments: str
    reason: str


SFT = Choice("SFTTrainer", "SFTConfig", "")
OWN = "transformers' own instead of SFTTrainer: "
TINY = Choice("Trainer", "TrainingArguments", OWN + "its chunked loss pays for large vocabularies")
CPU = Choice("Trainer", "TrainingArguments", OWN + "its chunked loss is slower on a CPU")

# The spec does not know the vocabulary, so the largest in common use stands in for it (ids).
VOCABULARY = 2**18
# float32 logits of one micro batch that may be kept, in bytes: as much as one of TRL's tiles, 4096
# tokens × 32768 ids, so that the chunked loss would save nothing.
LOGITS = 2**29


def trainer_of(spec: Spec) -> Choice:
    """The trainer that costs less, of those that take every argument that the spec passes on.

    What only SFTConfig has, such as `loss_type`, decides for SFTTrainer.
    """
    choice = _by_cost(spec)
    alone = next((name for name in _passed(spec) if not has(choice.arguments, name)), None)
    if alone is None:
        return choice
    return Choice(SFT.trainer, SFT.arguments, f"SFTTrainer, which alone takes `{alone}`")


def _by_cost(spec: Spec) -> Choice:
    """SFTTrainer, unless the logits of a micro batch are small enough to be kept.

    TRL 1.16 computes the loss in chunks and never holds all logits: memory saved on a GPU, time
    lost on a CPU and on small vocabularies (docs/decisions.md has the measurement).
    """
    if packed(spec):
        return SFT
    if isinstance(spec.model.base, Builtin):
        return TINY
    length = spec.data.max_length
    if not on_cpu(spec) or length is None:
        return SFT
    logits = 4 * VOCABULARY * length * int(spec.training.micro_batch.amount)
    return CPU if logits <= LOGITS else SFT


def _passed(spec: Spec) -> Iterator[str]:
    """Names of the arguments that blocks pass to the trainer's configuration."""
    for block in (spec.method, spec.training, spec.data, spec.save, spec.evaluate, spec.report):
        yield from block.passed
