"""Rules on checkpoints and evaluations: when they come, how many stay, and where."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.diagnostics import Diagnostic, Label, error, warning
from ftlang.rules.registry import rule
from ftlang.schema.batch import total_steps
from ftlang.schema.patterns import place
from ftlang.schema.run import Spec
from ftlang.schema.sources import LocalPath
from ftlang.schema.units import Quantity

# Checkpoints of one run beyond which a disk is more often filled than they are read.
MANY_CHECKPOINTS = 50

_FROM_OUTSIDE = ("profile", "set")


@rule("FT350", "interval-longer-than-the-run")
def interval_longer_than_the_run(spec: Spec) -> Iterator[Diagnostic]:
    """A checkpoint, an evaluation or a line of metrics that never comes.

    Why:
        An interval beyond the last step never comes round: the option is dead, and whoever set
        it counts on something that does not happen.  A run that a profile or `--set` cuts short
        for a trial keeps the intervals of the long one, and draws no warning.
    Wrong:
        training { duration = 100 steps }
        save { every = 200 steps }
    Right:
        training { duration = 100 steps }
        save { every = 50 steps }
    """
    steps = total_steps(spec)
    if steps is None:
        return
    short = spec.origin("training.duration").kind in _FROM_OUTSIDE
    intervals = {"save.every": spec.save.every, "evaluate.every": spec.evaluate.every}
    for path, every in (intervals | {"report.every": spec.report.every}).items():
        if every is None or every.unit != "steps" or not spec.written(path):
            continue
        if short and spec.origin(path).kind not in _FROM_OUTSIDE:
            continue
        if every.amount > steps:
            yield warning(
                "FT350",
                f"`{path}` is {every}, but the run ends after {steps}",
                spec.span_of(path),
                labels=(Label(spec.span_of("training.duration"), "the run's length"),),
                help=(f"set it to {steps} steps or less, or remove it",),
            )


@rule("FT353", "epochs-of-a-run-in-steps")
def epochs_of_a_run_in_steps(spec: Spec) -> Iterator[Diagnostic]:
    """An interval of part of an epoch, or of several, in a run that is counted in steps.

    Why:
        The libraries know the end of an epoch, and shares of the whole run.  How many steps a
        quarter of an epoch takes is known only where the run is counted in epochs as well.
    Wrong:
        training { duration = 500 steps }
        save { every = 0.5 epochs }
    Right:
        training { duration = 4 epochs }
        save { every = 0.5 epochs }
    """
    duration = spec.training.duration
    for path, every in (("save.every", spec.save.every), ("evaluate.every", spec.evaluate.every)):
        if every is None or every.unit != "epochs" or every.amount == 1:
            continue
        span, length = spec.span_of(path), Label(spec.span_of("training.duration"), "its length")
        if duration.unit != "epochs":
            yield error(
                "FT353",
                f"`{path}` is {every}, but the run is counted in {duration.unit}",
                span,
                labels=(length,),
                help=("count it in steps, or write `1 epoch`", "or count the run in epochs"),
            )
        elif every.amount >= duration.amount:
            yield error(
                "FT353",
                f"`{path}` is {every}, but the run has only {duration}",
                span,
                labels=(length,),
                help=("set it to less than the run, or remove it: the result is always saved",),
            )


@rule("FT351", "checkpoints-without-end")
def checkpoints_without_end(spec: Spec) -> Iterator[Diagnostic]:
    """More than fifty checkpoints, all of them kept.

    Why:
        A checkpoint holds the trained weights and twice as much of the optimizer's, so a disk
        fills long before the run is done.  It is fine for small adapters and long disks.
    Wrong:
        training { duration = 1000 steps }
        save { every = 10 steps }
    Right:
        training { duration = 1000 steps }
        save { every = 10 steps, save_total_limit = 3 }
    """
    every, duration = spec.save.every, spec.training.duration
    if every is None or every.unit != duration.unit or spec.save.save_total_limit is not None:
        return
    count = int(duration.amount / every.amount)
    if count <= MANY_CHECKPOINTS:
        return
    rare = Quantity(max(1, int(duration.amount // 10)), duration.unit)
    yield warning(
        "FT351",
        f"a checkpoint every {every} keeps {count} of them",
        spec.span_of("save.every"),
        labels=(Label(spec.span_of("training.duration"), "the run's length"),),
        help=(
            "keep the last few: `save_total_limit = 3`",
            f"or save less often, such as every {rare}",
        ),
    )


@rule("FT352", "base-among-its-own-results")
def base_among_its_own_results(spec: Spec) -> Iterator[Diagnostic]:
    """A base that lies in the folder that the run writes to.

    Why:
        The run writes its result and its checkpoints there and removes old ones, perhaps the
        very weights that it starts from; started twice, it trains another model each time.
    Wrong:
        output = "out/chat"
        model { base = path("out/chat/final") }
    Right:
        output = "out/chat_2"
        model { base = path("out/chat/final") }
    """
    if not isinstance(spec.model.base, LocalPath):
        return
    base, output = place(spec.model.base), spec.output_folder
    if base == output or base.startswith(output + "/"):
        yield warning(
            "FT352",
            f"the base `{spec.model.base.path}` lies in the folder that the run writes to",
            spec.span_of("model.base"),
            labels=(Label(spec.span_of("output"), "the run writes below this folder"),)
            if spec.written("output")
            else (),
            notes=(f"the run writes below `{output}`",),
            help=("give the run an `output` of its own",),
        )
