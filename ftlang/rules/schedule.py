"""Rules on how long a run trains, and how the learning rate rises in it."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.diagnostics import Diagnostic, Label, error, warning
from ftlang.rules.registry import rule
from ftlang.schema.batch import decay_steps, total_steps
from ftlang.schema.run import Spec
from ftlang.schema.schedules import MinLr, Warmed, WarmMinLr, WarmupStableDecay
from ftlang.schema.tune import Full
from ftlang.schema.units import Quantity, plain

# Times that every row is read, beyond which a number was mostly meant as steps.
MANY_EPOCHS = {"full": 20, "adapters": 50}


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


@rule("FT346", "warmup-over-half-the-run")
def warmup_over_half_the_run(spec: Spec) -> Iterator[Diagnostic]:
    """A warm-up that takes half of the run or more.

    Why:
        The learning rate reaches what was asked for only when most of the training is over.
        Recipes warm up for 3 to 10 %; a share such as `90%` is mostly a slip for `9%`.
    Wrong:
        schedule cosine { warmup = 60% }
    Right:
        schedule cosine { warmup = 6% }
    """
    steps = total_steps(spec)
    if not isinstance(spec.schedule, Warmed):
        return
    warmup = spec.schedule.warmup
    if isinstance(warmup, Quantity):
        late = steps is not None and steps > warmup.amount >= steps / 2 and steps >= 10
        shown = f"{warmup} of {steps}"
    else:
        late, shown = warmup >= 0.5, f"{warmup * 100:g}%"
    if late:
        yield warning(
            "FT346",
            f"the learning rate rises for {shown}, half of the run or more",
            spec.span_of("schedule.warmup"),
            labels=(Label(spec.span_of("training.duration"), "the run's length"),)
            if isinstance(warmup, Quantity)
            else (),
            help=("warm up for 3% to 10%",),
        )


@rule("FT306", "epochs-that-look-like-steps")
def epochs_that_look_like_steps(spec: Spec) -> Iterator[Diagnostic]:
    """More epochs than rows are worth reading.

    Why:
        An epoch reads every row.  Weights that are tuned whole know their rows by heart long
        before 20 epochs, adapters before 50; a large number was mostly meant as steps.  It is
        fine for learning a handful of rows by heart.
    Wrong:
        training { duration = 500 epochs }
    Right:
        training { duration = 500 steps }
    """
    duration = spec.training.duration
    limit = MANY_EPOCHS["full" if isinstance(spec.tune, Full) else "adapters"]
    if duration.unit != "epochs" or duration.amount <= limit:
        return
    span = spec.span_of("training.duration")
    whole = duration.amount == int(duration.amount)
    instead = Quantity(int(duration.amount), "steps")
    yield warning(
        "FT306",
        f"`{duration}` reads every row {plain(duration.amount)} times",
        span,
        help=(
            *((f"write `{instead}` if steps are meant",) if whole else ()),
            "or train for 1 to 5 epochs",
        ),
    )


@rule("FT347", "end-above-the-start")
def end_above_the_start(spec: Spec) -> Iterator[Diagnostic]:
    """A schedule that ends above the learning rate that it falls from.

    Why:
        A learning rate that is to fall would rise.  `polynomial` refuses it; the cosine with a
        lowest rate trains, at a rate that nobody asked for.
    Wrong:
        optimizer adamw_torch { learning_rate = 1e-4 }
        schedule polynomial { lr_end = 1e-3 }
    Right:
        optimizer adamw_torch { learning_rate = 1e-4 }
        schedule polynomial { lr_end = 1e-6 }
    """
    rate = spec.optimizer.learning_rate
    for name in ("lr_end", "min_lr"):
        end = spec.schedule.passed.get(name)
        if rate is None or not isinstance(end, int | float) or end < rate:
            continue
        if name == "min_lr" and end == rate:
            continue
        kind = error if name == "lr_end" else warning
        yield kind(
            "FT347",
            f"`{name}` of {plain(end)} is not below the learning rate of {plain(rate)}",
            spec.span_of(f"schedule.{name}"),
            labels=(Label(spec.span_of("optimizer.learning_rate"), "falls from here"),)
            if spec.written("optimizer.learning_rate")
            else (),
            help=(f"use a lower one, such as {plain(rate / 10)}",),
        )


@rule("FT349", "lowest-rate-not-said-once")
def lowest_rate_not_said_once(spec: Spec) -> Iterator[Diagnostic]:
    """A cosine with a lowest rate that is given twice, or not at all.

    Why:
        `min_lr` is the rate itself and `min_lr_rate` its share of the learning rate.  The
        library's schedule needs one of them, and refuses both.
    Wrong:
        schedule cosine_with_min_lr
    Right:
        schedule cosine_with_min_lr { min_lr_rate = 0.1 }
    """
    if not isinstance(spec.schedule, MinLr | WarmMinLr):
        return
    given = [n for n in ("min_lr", "min_lr_rate") if spec.schedule.passed.get(n) is not None]
    if len(given) == 1:
        return
    yield error(
        "FT349",
        "the lowest rate is given twice" if given else "the schedule has no lowest rate",
        spec.span_of("schedule.min_lr_rate" if given else "schedule"),
        labels=(Label(spec.span_of("schedule.min_lr"), "and here"),) if given else (),
        help=(
            "remove one of the two" if given else "add `min_lr_rate = 0.1`",
            *(() if given else ("or `min_lr`, such as 1e-5",)),
        ),
    )


@rule("FT357", "no-room-for-the-plateau")
def no_room_for_the_plateau(spec: Spec) -> Iterator[Diagnostic]:
    """A rise and a fall that are longer than the run together.

    Why:
        Between the rise and the fall the learning rate is to be stable.  Where the two leave no
        step, the fall is cut off by the end of the run and never reaches its end.
    Wrong:
        schedule warmup_stable_decay { warmup = 30 steps, decay = 80 steps }
        training { duration = 100 steps }
    Right:
        schedule warmup_stable_decay { warmup = 10 steps, decay = 20 steps }
        training { duration = 100 steps }
    """
    steps, schedule = total_steps(spec), spec.schedule
    if steps is None or not isinstance(schedule, WarmupStableDecay):
        return
    parts = (schedule.warmup, schedule.decay)
    rise, fall = (p.amount if isinstance(p, Quantity) else p * steps for p in parts)
    if rise < steps < rise + fall:
        yield warning(
            "FT357",
            f"a rise of {rise:g} steps and a fall of {fall:g} do not fit into {steps} steps",
            spec.span_of("schedule.decay"),
            labels=(Label(spec.span_of("training.duration"), "the run's length"),),
            help=(f"let them take less than {steps} steps together",),
        )
