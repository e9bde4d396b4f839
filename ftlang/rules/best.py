"""Rules on the best checkpoint and on what evaluation takes: they need each other, in step."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.diagnostics import Diagnostic, Label, error, warning
from ftlang.rules.registry import rule
from ftlang.schema.batch import total_steps
from ftlang.schema.run import Spec
from ftlang.schema.units import Quantity

# How often checkpoints are written where the spec does not say.
SAVED = Quantity(500, "steps")
# The end of an epoch is a rhythm of its own; any other number of epochs is a share of the run.
EPOCH = Quantity(1, "epochs")
# What an evaluation measures, the last three by SFTTrainer alone; named sets have a loss each.
MEASURED = (
    *("loss", "runtime", "samples_per_second", "steps_per_second", "num_input_tokens_seen"),
    *("mean_token_accuracy", "entropy", "num_tokens"),
)


def _best(spec: Spec) -> bool:
    return spec.save.passed.get("load_best_model_at_end") is True


@rule("FT370", "best-without-evaluation")
def best_without_evaluation(spec: Spec) -> Iterator[Diagnostic]:
    """The best checkpoint of a run that evaluates nothing.

    Why:
        Which checkpoint is best is decided by evaluations.  Without an evaluation set the trainer
        refuses `load_best_model_at_end` when it starts.
    Wrong:
        save { load_best_model_at_end = true, every = 100 steps }
    Right:
        data { train = files("rows.jsonl"), eval = split(5%) }
        save { load_best_model_at_end = true, every = 100 steps }
        evaluate { every = 100 steps }
    """
    if _best(spec) and spec.eval is None:
        yield error(
            "FT370",
            "`load_best_model_at_end` has no evaluation to go by",
            spec.span_of("save.load_best_model_at_end"),
            help=("add a set to `data`: `eval = split(5%, seed = 42)`", "or remove it"),
        )


@rule("FT371", "best-out-of-step")
def best_out_of_step(spec: Spec) -> Iterator[Diagnostic]:
    """The best checkpoint where some checkpoints are not evaluated.

    Why:
        A checkpoint can be compared only if it is evaluated when it is written.  So both are
        counted in the same unit, and checkpoints come at multiples of evaluations; the trainer
        refuses anything else after the model is loaded.
    Wrong:
        data { train = files("rows.jsonl"), eval = split(5%) }
        save { load_best_model_at_end = true, every = 100 steps }
        evaluate { every = 30 steps }
    Right:
        data { train = files("rows.jsonl"), eval = split(5%) }
        save { load_best_model_at_end = true, every = 90 steps }
        evaluate { every = 30 steps }
    """
    if not _best(spec) or spec.eval is None:
        return
    save, evaluate = spec.save.every or SAVED, spec.evaluate.every or EPOCH
    if (save == EPOCH) != (evaluate == EPOCH) or save.unit != evaluate.unit:
        told = f"`save` is every {save}, `evaluate` every {evaluate}: the best cannot be told"
        ways = (f"set `save.every` to `{evaluate}`", f"or `evaluate.every` to `{save}`")
    elif _uneven(save, evaluate, spec.training.duration):
        told = f"checkpoints every {save} are not always evaluated, which is every {evaluate}"
        below = int(save.amount / evaluate.amount)
        near = [Quantity(n * evaluate.amount, save.unit) for n in (below, below + 1) if n]
        listed = " or ".join(f"`{one}`" for one in near)
        ways = (
            f"set `save.every` to a multiple of {evaluate.amount}: {listed}",
            f"or `evaluate.every` to `{save}`",
        )
    else:
        return
    at = [p for p in ("save.every", "evaluate.every") if spec.written(p)]
    yield error(
        "FT371",
        told,
        spec.span_of(at[0] if at else "save.load_best_model_at_end"),
        labels=(
            *(Label(spec.span_of(p), "evaluated") for p in at[1:]),
            Label(spec.span_of("save.load_best_model_at_end"), "compares them"),
        )
        if at
        else (),
        help=ways,
    )


def _uneven(save: Quantity, evaluate: Quantity, duration: Quantity) -> bool:
    """Whether the trainer finds that one interval is no multiple of the other.

    Parts of epochs reach it as shares of the run, which it compares to a millionth.
    """
    one, other = save.amount, evaluate.amount
    if save.unit == "epochs" and duration.unit == "epochs":
        one, other = one / duration.amount, other / duration.amount
    return one % other != 0 and (save.unit == "steps" or (one * 1e6) % (other * 1e6) != 0)


@rule("FT372", "metric-that-is-not-measured")
def metric_that_is_not_measured(spec: Spec) -> Iterator[Diagnostic]:
    """A metric for the best model that no evaluation gives.

    Why:
        An evaluation gives the loss and its speed.  A metric of another name stops the run at the
        first evaluation.
    Wrong:
        data { train = files("rows.jsonl"), eval = split(5%) }
        save { metric_for_best_model = "accuracy" }
    Right:
        data { train = files("rows.jsonl"), eval = split(5%) }
        save { metric_for_best_model = "loss" }
    """
    metric = spec.save.passed.get("metric_for_best_model")
    if not isinstance(metric, str) or spec.eval is None:
        return
    name = metric.removeprefix("eval_")
    if name not in MEASURED and not name.endswith("_loss"):
        yield error(
            "FT372",
            f"no evaluation measures `{metric}`",
            spec.span_of("save.metric_for_best_model"),
            help=("use `loss`", "or leave it out: the loss decides"),
        )


@rule("FT373", "worst-taken-for-best")
def worst_taken_for_best(spec: Spec) -> Iterator[Diagnostic]:
    """A loss of which the greatest is to be the best.

    Why:
        A loss is better when it is smaller.  With `greater_is_better = true` the checkpoint with
        the worst loss is loaded in the end.
    Wrong:
        data { train = files("rows.jsonl"), eval = split(5%) }
        save { load_best_model_at_end = true, every = 1 epoch, greater_is_better = true }
    Right:
        data { train = files("rows.jsonl"), eval = split(5%) }
        save { load_best_model_at_end = true, every = 1 epoch }
    """
    metric = spec.save.passed.get("metric_for_best_model") or "loss"
    greater = spec.save.passed.get("greater_is_better")
    if greater is True and isinstance(metric, str) and metric.endswith("loss"):
        yield warning(
            "FT373",
            f"the checkpoint with the greatest `{metric}` counts as the best",
            spec.span_of("save.greater_is_better"),
            help=("remove it: a smaller loss is better",),
        )


@rule("FT374", "evaluation-settings-without-a-set")
def evaluation_settings_without_a_set(spec: Spec) -> Iterator[Diagnostic]:
    """Settings of an evaluation where there is nothing to evaluate on.

    Why:
        Without an evaluation set nothing is evaluated, however it is set; `eval_on_start` even
        stops the run before its first step.
    Wrong:
        evaluate { eval_on_start = true }
    Right:
        data { train = files("rows.jsonl"), eval = split(5%) }
        evaluate { eval_on_start = true }
    """
    if spec.eval is not None:
        return
    for name in spec.evaluate.passed:
        fails = name == "eval_on_start" and spec.evaluate.passed.get(name) is True
        kind = error if fails else warning
        yield kind(
            "FT374",
            f"`{name}` is set, but there is no evaluation set",
            spec.span_of(f"evaluate.{name}"),
            help=("add one to `data`: `eval = split(5%, seed = 42)`", f"or remove `{name}`"),
        )


@rule("FT375", "evaluation-in-two-precisions")
def evaluation_in_two_precisions(spec: Spec) -> Iterator[Diagnostic]:
    """An evaluation in bfloat16 and in float16 at once.

    Why:
        Weights are turned into one of the two; the trainer's arguments refuse both.
    Wrong:
        data { train = files("rows.jsonl"), eval = split(5%) }
        evaluate { bf16_full_eval = true, fp16_full_eval = true }
    Right:
        data { train = files("rows.jsonl"), eval = split(5%) }
        evaluate { bf16_full_eval = true }
    """
    passed = spec.evaluate.passed
    if passed.get("bf16_full_eval") is True and passed.get("fp16_full_eval") is True:
        yield error(
            "FT375",
            "an evaluation cannot be in bfloat16 and in float16",
            spec.span_of("evaluate.fp16_full_eval"),
            labels=(Label(spec.span_of("evaluate.bf16_full_eval"), "in bfloat16"),),
            help=("remove one of the two",),
        )


@rule("FT376", "evaluation-after-the-end")
def evaluation_after_the_end(spec: Spec) -> Iterator[Diagnostic]:
    """A first evaluation that is put off beyond the last step.

    Why:
        Evaluations begin after `eval_delay` steps.  A delay as long as the run leaves none.
    Wrong:
        data { train = files("rows.jsonl"), eval = split(5%) }
        training { duration = 100 steps }
        evaluate { every = 10 steps, eval_delay = 200 }
    Right:
        data { train = files("rows.jsonl"), eval = split(5%) }
        training { duration = 100 steps }
        evaluate { every = 10 steps, eval_delay = 20 }
    """
    steps, every = total_steps(spec), spec.evaluate.every
    delay = spec.evaluate.passed.get("eval_delay")
    if steps is None or every is None or every.unit != "steps" or spec.eval is None:
        return
    if isinstance(delay, int | float) and delay > steps:
        yield warning(
            "FT376",
            f"evaluations begin after {delay:g} steps, and the run ends after {steps}",
            spec.span_of("evaluate.eval_delay"),
            labels=(Label(spec.span_of("training.duration"), "the run's length"),),
            help=(f"set it below {steps}, or remove it",),
        )
