"""Rules on precision: what is too coarse to learn in."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.diagnostics import Diagnostic, Label, error, warning
from ftlang.rules.registry import rule
from ftlang.schema.batch import on_cpu
from ftlang.schema.run import Spec
from ftlang.schema.tune import Full

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
    by_dtype = isinstance(spec.tune, Full) and spec.model.dtype == "bfloat16"
    pure = spec.training.precision == "bf16_pure"
    if not (pure or by_dtype) or rate is None or rate >= BF16_PURE_FROM:
        return
    rate_span = spec.span_of("optimizer.learning_rate")
    written = spec.written("optimizer.learning_rate")
    instead = "use `precision = bf16`" if pure else "remove `dtype`"
    yield warning(
        "FT330",
        f"at a learning rate of {rate:g}, weights stored in bfloat16 hardly change",
        spec.span_of("training.precision" if pure else "model.dtype"),
        labels=(Label(rate_span, "the learning rate"),) if written else (),
        notes=("a step below a 256th of a weight is rounded away",),
        help=(
            f"{instead}: float32 weights, bfloat16 arithmetic",
            "or raise the learning rate to 1e-4 or more",
        ),
    )


@rule("FT331", "bf16-pure-of-another-dtype")
def bf16_pure_of_another_dtype(spec: Spec) -> Iterator[Diagnostic]:
    """`precision = bf16_pure` beside weights of another type.

    Why:
        `bf16_pure` says that weights are stored in bfloat16, and `dtype` says how they are stored;
        where the two differ, one of them would silently not hold.
    Wrong:
        model { base = builtin("tiny-llama"), dtype = float32 }
        training { precision = bf16_pure }
        optimizer adamw_torch { learning_rate = 1e-4 }
    Right:
        model { base = builtin("tiny-llama") }
        training { precision = bf16_pure }
        optimizer adamw_torch { learning_rate = 1e-4 }
    """
    dtype = spec.model.dtype
    if spec.training.precision == "bf16_pure" and dtype not in (None, "bfloat16"):
        yield error(
            "FT331",
            f"`bf16_pure` stores weights in bfloat16, and `dtype` in {dtype}",
            spec.span_of("training.precision"),
            labels=(Label(spec.span_of("model.dtype"), f"stored in {dtype}"),),
            help=("remove `dtype`", "or use `precision = bf16`"),
        )


@rule("FT332", "fp16-without-float32-weights")
def fp16_without_float32_weights(spec: Spec) -> Iterator[Diagnostic]:
    """Full tuning in fp16 of weights that are stored in float16.

    Why:
        fp16 scales the loss and takes the scale out of the gradients again, which torch refuses to
        do in float16: on a GPU the first step fails with "Attempting to unscale FP16 gradients".
    Wrong:
        model { base = builtin("tiny-llama"), dtype = float16 }
        tune full
        training { precision = fp16 }
    Right:
        model { base = builtin("tiny-llama") }
        tune full
        training { precision = fp16 }
    """
    stored = isinstance(spec.tune, Full) and spec.model.dtype == "float16"
    if stored and spec.training.precision == "fp16" and not on_cpu(spec):
        yield error(
            "FT332",
            "`precision = fp16` trains float32 weights, not float16 ones",
            spec.span_of("model.dtype"),
            labels=(Label(spec.span_of("training.precision"), "computes in float16"),),
            help=("remove `dtype`: trained weights load in float32",),
        )
