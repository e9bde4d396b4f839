"""Rules on precision: what is too coarse to learn in."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.diagnostics import Diagnostic, Label, error, warning
from ftlang.rules.registry import rule
from ftlang.schema.batch import on_cpu
from ftlang.schema.model import Bnb4Bit
from ftlang.schema.optimizers import Adam
from ftlang.schema.run import Spec
from ftlang.schema.tune import Full
from ftlang.schema.units import plain

# Share of weights that 20 steps of AdamW move at all when they are stored in bfloat16: 15 % at a
# learning rate of 1e-5, 1 % at 5e-7; from 1e-4 on nearly all.
BF16_PURE_FROM = 1e-4
# torch's AdamW on float16 weights: at 1e-7 and 1e-8 the weights are NaN after a step or two, at
# 1e-6 they learn.
FLOAT16_EPSILON = 1e-6


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
        f"at a learning rate of {plain(rate)}, weights stored in bfloat16 hardly change",
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


@rule("FT333", "float16-weights-in-adamw")
def float16_weights_in_adamw(spec: Spec) -> Iterator[Diagnostic]:
    """AdamW on weights that are stored in float16.

    Why:
        torch keeps AdamW's moments as the weights are stored.  Squares of small gradients are zero
        in float16, and so is an `adam_epsilon` of 1e-8: the step divides by zero, and every weight
        is NaN after the first one.  The fused form adds epsilon in float32, and takes steps that
        are far too large.
    Wrong:
        model { base = builtin("tiny-llama"), dtype = float16 }
        tune full
        optimizer adamw_torch
    Right:
        model { base = builtin("tiny-llama") }
        tune full
        optimizer adamw_torch
    """
    kind, optimizer = spec.optimizer.kind, spec.optimizer
    refused = spec.training.precision == "fp16" and not on_cpu(spec)  # FT332
    if not isinstance(spec.tune, Full) or spec.model.dtype != "float16" or refused:
        return
    if not isinstance(optimizer, Adam) or not kind.startswith("adamw_torch"):
        return
    if optimizer.adam_epsilon >= FLOAT16_EPSILON:
        return
    found = error if kind == "adamw_torch" else warning
    yield found(
        "FT333",
        f"`{kind}` cannot train weights stored in float16"
        if kind == "adamw_torch"
        else f"`{kind}` takes steps that are far too large on weights stored in float16",
        spec.span_of("model.dtype"),
        labels=(Label(spec.span_of("optimizer"), "the optimizer"),)
        if spec.written("optimizer")
        else (),
        notes=("squares of small gradients are zero in float16, and the step divides by them",),
        help=("remove `dtype`: trained weights load in float32",),
    )


@rule("FT334", "products-in-another-precision")
def products_in_another_precision(spec: Spec) -> Iterator[Diagnostic]:
    """A `bnb_4bit_compute_dtype` that is not what the steps compute in.

    Why:
        Products are computed in what the steps compute in, whatever stands here: a float32 product
        is not had in a run of 16 bits, and a float16 one takes every input through float16, where
        bfloat16's large numbers overflow.  Left out, it is what the steps compute in.
    Wrong:
        model { base = builtin("tiny-llama"), quantize nf4 { bnb_4bit_compute_dtype = float32 } }
        training { precision = bf16 }
    Right:
        model { base = builtin("tiny-llama"), quantize nf4 }
        training { precision = bf16 }
    """
    quantize = spec.model.quantize
    given = quantize.bnb_4bit_compute_dtype if isinstance(quantize, Bnb4Bit) else None
    usual = None if on_cpu(spec) else "bf16"
    precision = spec.training.precision or usual
    steps = {"bf16": "bfloat16", "fp16": "float16"}.get(precision or "")
    if given is None or steps is None or given == steps:
        return
    path = "training.precision"
    yield warning(
        "FT334",
        f"4-bit weights are to be multiplied in {given}, but the steps compute in {steps}",
        spec.span_of("model.quantize.bnb_4bit_compute_dtype"),
        labels=(Label(spec.span_of(path), f"{steps} here"),) if spec.written(path) else (),
        help=(f"leave it out: it is {steps} then",),
    )
