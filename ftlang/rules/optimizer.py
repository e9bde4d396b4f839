"""Rules on the optimizer and its schedule."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.diagnostics import Diagnostic, Label, error, warning
from ftlang.rules.registry import rule
from ftlang.schema.batch import decay_steps, total_steps
from ftlang.schema.run import Spec
from ftlang.schema.schedules import Warmed, WarmupStableDecay
from ftlang.schema.tune import Full
from ftlang.schema.units import Quantity

# Learning rates outside these bands are almost always a slip (a copied value, a lost exponent).
BANDS = {"full": (1e-7, 2e-4), "lora": (1e-6, 5e-3)}


@rule("FT340", "warmup-longer-than-the-run")
def warmup_longer_than_the_run(spec: Spec) -> Iterator[Diagnostic]:
    """A warm-up that is longer than the run.

    Why:
        The learning rate then never reaches what was asked for, and training ends where it
        should begin.
    Wrong:
        schedule cosine { warmup = 200 steps }
        training { duration = 100 steps }
    Right:
        schedule cosine { warmup = 10 steps }
        training { duration = 100 steps }
    """
    steps = total_steps(spec)
    if not isinstance(spec.schedule, Warmed) or steps is None:
        return
    warmup = spec.schedule.warmup
    if isinstance(warmup, Quantity) and warmup.amount >= steps:
        yield error(
            "FT340",
            f"a warm-up of {warmup} does not end within {steps} steps",
            spec.span_of("schedule.warmup"),
            labels=(Label(spec.span_of("training.duration"), "the run's length"),),
            help=(f"warm up for less, such as `3%` or `{max(1, steps // 20)} steps`",),
        )


@rule("FT348", "decay-of-unknown-length")
def decay_of_unknown_length(spec: Spec) -> Iterator[Diagnostic]:
    """A fall at the end that is a share of a run whose steps are not known yet.

    Why:
        The library's schedule takes the fall in steps.  How many steps an epoch has is known only
        when the rows are read, and the spec alone does not tell.
    Wrong:
        schedule warmup_stable_decay { decay = 10% }
        training { duration = 1 epoch }
    Right:
        schedule warmup_stable_decay { decay = 200 steps }
        training { duration = 1 epoch }
    """
    if isinstance(spec.schedule, WarmupStableDecay) and decay_steps(spec) is None:
        yield error(
            "FT348",
            "a fall over a share of the run needs the run's length in steps",
            spec.span_of("schedule.decay"),
            labels=(Label(spec.span_of("training.duration"), "the run's length"),),
            help=(
                "write `decay` in steps, such as `decay = 200 steps`",
                "or `duration` in steps, such as `duration = 2000 steps`",
            ),
        )


@rule("FT341", "learning-rate-out-of-band")
def learning_rate_out_of_band(spec: Spec) -> Iterator[Diagnostic]:
    """A learning rate far from what its kind of tuning takes.

    Why:
        Adapters start at zero and take 1e-6 to 5e-3; weights that are tuned whole take a
        hundredth of that and are destroyed by an adapter's rate.
    Wrong:
        tune full
        optimizer adamw_torch { learning_rate = 1e-2 }
    Right:
        tune full
        optimizer adamw_torch { learning_rate = 1e-5 }
    """
    rate, tuning = spec.optimizer.learning_rate, spec.tune.kind
    low, high = BANDS["full" if isinstance(spec.tune, Full) else "lora"]
    if spec.optimizer.kind == "sgd" or rate is None or low <= rate <= high:
        return
    which = "high" if rate > high else "low"
    usual = "1e-5" if isinstance(spec.tune, Full) else "1e-4"
    yield warning(
        "FT341",
        f"a learning rate of {rate:g} is very {which} for `tune {tuning}`",
        spec.span_of("optimizer.learning_rate"),
        notes=(f"rates from {low:g} to {high:g} are usual",),
        help=(f"start from {usual}",),
    )
