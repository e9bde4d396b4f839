"""Rules on precision: what is too coarse to learn in."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.diagnostics import Diagnostic, Label, warning
from ftlang.rules.registry import rule
from ftlang.schema.run import Spec

# Share of weights that 20 steps of AdamW move at all when they are stored in bfloat16: 15 % at a
# learning rate of 1e-5, 1 % at 5e-7; from 1e-4 on nearly all.
BF16_PURE_FROM = 1e-4


@rule("FT330", "bf16-pure-hardly-moves")
def bf16_pure_hardly_moves(spec: Spec) -> Iterator[Diagnostic]:
    """Weights stored in bfloat16 with a small learning rate.

    Why:
        bfloat16 keeps 8 bits: a step much smaller than a 256th of a weight rounds to nothing.
        With AdamW at 1e-5, 15 % of the weights change at all in 20 steps.  `precision = bf16`
        computes in bfloat16 and keeps float32 weights.
    Wrong:
        tune full
        optimizer adamw_torch { learning_rate = 1e-5 }
        training { precision = bf16_pure }
    Right:
        tune full
        optimizer adamw_torch { learning_rate = 1e-5 }
        training { precision = bf16 }
    """
    rate = spec.optimizer.learning_rate
    if spec.training.precision == "bf16_pure" and rate is not None and rate < BF16_PURE_FROM:
        yield warning(
            "FT330",
            f"at a learning rate of {rate:g}, weights stored in bfloat16 hardly change",
            spec.span_of("training.precision"),
            labels=(Label(spec.span_of("optimizer.learning_rate"), "the learning rate"),),
            notes=("a step below a 256th of a weight is rounded away",),
            help=(
                "use `precision = bf16`: float32 weights, bfloat16 arithmetic",
                "or raise the learning rate to 1e-4 or more",
            ),
        )
