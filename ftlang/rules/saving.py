"""Rules on checkpoints and evaluations: intervals that a run never reaches."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.diagnostics import Diagnostic, Label, warning
from ftlang.rules.registry import rule
from ftlang.schema.batch import total_steps
from ftlang.schema.run import Spec


@rule("FT350", "interval-longer-than-the-run")
def interval_longer_than_the_run(spec: Spec) -> Iterator[Diagnostic]:
    """A checkpoint, an evaluation or a line of metrics that never comes.

    Why:
        An interval beyond the last step never comes round: the option is dead, and whoever set
        it counts on something that does not happen.
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
    intervals = {"save.every": spec.save.every, "evaluate.every": spec.evaluate.every}
    for path, every in (intervals | {"report.every": spec.report.every}).items():
        if every is None or every.unit != "steps" or not spec.written(path):
            continue
        if every.amount > steps:
            yield warning(
                "FT350",
                f"`{path}` is {every}, but the run ends after {steps}",
                spec.span_of(path),
                labels=(Label(spec.span_of("training.duration"), "the run's length"),),
                help=(f"set it to {steps} steps or less, or remove it",),
            )
