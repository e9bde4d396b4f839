"""Rules on the optimizer: rates, moments and decay that do not train."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.diagnostics import Diagnostic, Label, error, warning
from ftlang.rules.registry import rule
from ftlang.schema.optimizers import Adam, Moments, Sgd
from ftlang.schema.run import Spec
from ftlang.schema.tune import Full
from ftlang.schema.units import plain

# Learning rates outside these bands are almost always a slip (a copied value, a lost exponent).
BANDS = {"full": (1e-7, 2e-4), "lora": (1e-6, 5e-3)}

# Without the moments of Adam a step is rate × gradient, and a gradient's norm is clipped to 1.
SGD_FROM = 1e-3
DECAY = 0.5
EPSILON = 1e-3


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
        f"a learning rate of {plain(rate)} is very {which} for `tune {tuning}`",
        spec.span_of("optimizer.learning_rate"),
        notes=(f"rates from {plain(low)} to {plain(high)} are usual",),
        help=(f"start from {usual}",),
    )


@rule("FT342", "sgd-at-a-rate-of-adam")
def sgd_at_a_rate_of_adam(spec: Spec) -> Iterator[Diagnostic]:
    """Plain gradient descent at a learning rate that suits Adam.

    Why:
        Adam moves every weight by about the learning rate in each step; `sgd` by the learning rate
        times the gradient, which is thousands of times smaller.  The default rates are Adam's.
    Wrong:
        optimizer sgd { learning_rate = 1e-4 }
    Right:
        optimizer sgd { learning_rate = 0.1 }
    """
    rate = spec.optimizer.learning_rate
    if spec.optimizer.kind == "sgd" and rate is not None and rate < SGD_FROM:
        written = spec.written("optimizer.learning_rate")
        yield warning(
            "FT342",
            f"`sgd` hardly moves the weights at a learning rate of {plain(rate)}",
            spec.span_of("optimizer.learning_rate"),
            notes=() if written else ("that is the default, which suits Adam",),
            help=("start from 0.1", "or use `optimizer adamw_torch_fused`"),
        )


@rule("FT343", "betas-turned-round")
def betas_turned_round(spec: Spec) -> Iterator[Diagnostic]:
    """A first moment that is remembered longer than the second.

    Why:
        The second moment measures how large gradients usually are and must outlast the first, as
        0.999 does beside 0.9; the other way round the steps are noise divided by noise.  It is
        fine where the two are equal and short on purpose.
    Wrong:
        optimizer adamw_torch { adam_beta1 = 0.999, adam_beta2 = 0.9 }
    Right:
        optimizer adamw_torch { adam_beta1 = 0.9, adam_beta2 = 0.999 }
    """
    optimizer = spec.optimizer
    if isinstance(optimizer, Moments) and optimizer.adam_beta1 > optimizer.adam_beta2:
        one, two = "optimizer.adam_beta1", "optimizer.adam_beta2"
        first, second = (one, two) if spec.written(one) else (two, one)
        yield warning(
            "FT343",
            f"`adam_beta1` ({plain(optimizer.adam_beta1)}) is above `adam_beta2`"
            f" ({plain(optimizer.adam_beta2)})",
            spec.span_of(first),
            labels=(Label(spec.span_of(second), "the other moment"),)
            if spec.written(second)
            else (),
            notes=("the second moment must outlast the first",),
            help=("exchange the two", "or leave them out: 0.9 and 0.999"),
        )


@rule("FT344", "epsilon-above-the-moments")
def epsilon_above_the_moments(spec: Spec) -> Iterator[Diagnostic]:
    """An `adam_epsilon` that outweighs what it is added to.

    Why:
        Adam divides by √v + epsilon, where √v is the usual size of a gradient: for language models
        far below 1e-3.  A larger epsilon turns Adam into slow gradient descent.
    Wrong:
        optimizer adamw_torch { adam_epsilon = 0.1 }
    Right:
        optimizer adamw_torch { adam_epsilon = 1e-8 }
    """
    optimizer = spec.optimizer
    if isinstance(optimizer, Adam) and (epsilon := optimizer.adam_epsilon) > EPSILON:
        yield warning(
            "FT344",
            f"an `adam_epsilon` of {plain(epsilon)} outweighs the gradients beside it",
            spec.span_of("optimizer.adam_epsilon"),
            help=("use 1e-8, or up to 1e-5 for stability",),
        )


@rule("FT345", "decay-of-more-than-half")
def decay_of_more_than_half(spec: Spec) -> Iterator[Diagnostic]:
    """A weight decay far beyond what recipes use.

    Why:
        Each step takes learning rate × decay off every trained weight, whatever the data say.
        Recipes use 0 to 0.1; numbers from 1 on are mostly a learning rate or a percentage in the
        wrong place.
    Wrong:
        optimizer adamw_torch { weight_decay = 10 }
    Right:
        optimizer adamw_torch { weight_decay = 0.1 }
    """
    decay = spec.optimizer.weight_decay
    if decay > DECAY:
        yield warning(
            "FT345",
            f"a `weight_decay` of {plain(decay)} is far above what recipes use",
            spec.span_of("optimizer.weight_decay"),
            help=("use 0 to 0.1",),
        )


@rule("FT354", "nesterov-without-momentum")
def nesterov_without_momentum(spec: Spec) -> Iterator[Diagnostic]:
    """`nesterov` without a momentum, or with dampening.

    Why:
        Nesterov's step looks ahead by the momentum.  torch refuses it where there is none, and
        where dampening would take part of it away.
    Wrong:
        optimizer sgd { learning_rate = 0.1, nesterov = true }
    Right:
        optimizer sgd { learning_rate = 0.1, nesterov = true, momentum = 0.9 }
    """
    optimizer = spec.optimizer
    if not isinstance(optimizer, Sgd) or not optimizer.nesterov:
        return
    if not optimizer.momentum or optimizer.dampening:
        damped = bool(optimizer.momentum)
        yield error(
            "FT354",
            "`nesterov` does not go with `dampening`" if damped else "`nesterov` needs a momentum",
            spec.span_of("optimizer.nesterov"),
            labels=(Label(spec.span_of("optimizer.dampening"), "dampened"),) if damped else (),
            help=("remove `dampening`" if damped else "add `momentum = 0.9`",),
        )
