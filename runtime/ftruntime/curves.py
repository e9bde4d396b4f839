"""`curves.png`: loss, learning rate and gradient norm of a run over its optimizer steps."""

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from ftruntime.records import lines_of

EVALUATIONS = ("#d1495b", "#edae49", "#66a182", "#8d6a9f", "#7a5c3e")
TRAINING = "#2e6f9e"
# From here on a curve is drawn pale, with its moving median over a twentieth of it on top.
MANY = 60
# A range this many times as wide as it is low is read better on a logarithmic scale.
WIDE = 20.0
Points = list[tuple[int, float]]


def write_curves(folder: Path, title: str = "") -> Path | None:
    """Draws `metrics.jsonl` below `folder`; None where nothing is logged yet."""
    lines = lines_of(folder / "metrics.jsonl")
    losses = _points(lines, "loss")
    evaluations = {name: _points(lines, name) for name in evaluation_losses(lines)}
    if not losses and not evaluations:
        return None
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(8, 7), dpi=130, layout="constrained")
    top, middle, bottom = figure.subplots(3, 1, sharex=True, height_ratios=[2.4, 1, 1])
    _draw(top, losses, TRAINING, "training")
    for color, (name, points) in zip(_colors(len(evaluations)), evaluations.items(), strict=True):
        step, best = min(points, key=lambda point: point[1])
        label = f"{_evaluation(name)}, best {best:.3g} at step {step:,}"
        top.plot(*_columns(points), color=color, marker="o", markersize=4, label=label)
    top.set_ylabel("loss per trained token")
    top.legend(frameon=False)
    _scale(top, [losses, *evaluations.values()])
    rates = _points(lines, "learning_rate")
    middle.plot(*_columns(rates), color=TRAINING, **_dots(rates))
    middle.set_ylabel("learning rate")
    middle.set_ylim(0, 1.1 * max((rate for _, rate in rates), default=0) or None)
    middle.ticklabel_format(axis="y", style="sci", scilimits=(-2, 3), useMathText=True)
    norms = _points(lines, "grad_norm")
    _draw(bottom, norms, TRAINING, "gradient norm")
    bottom.set_ylabel("gradient norm")
    _scale(bottom, [norms])
    for axes in (top, middle, bottom):
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        axes.yaxis.set_label_coords(-0.085, 0.5)
    bottom.set_xlabel("optimizer step")
    bottom.set_xlim(0, 1.02 * max(line["step"] for line in lines) or 1)
    bottom.xaxis.set_major_locator(MaxNLocator(integer=True))
    top.set_title(title, loc="left", fontsize=11)
    picture = folder / "curves.png"
    figure.savefig(picture)
    return picture


def evaluation_losses(lines: Sequence[dict[str, Any]]) -> list[str]:
    """The names under which evaluation losses are logged, `eval_loss` or `eval_NAME_loss`."""
    found = dict.fromkeys(name for line in lines for name in line if is_evaluation_loss(name))
    return [name for name in found if _points(lines, name)]


def is_evaluation_loss(name: str) -> bool:
    """Whether a logged value is the loss on an evaluation set, named or not."""
    return name == "eval_loss" or (name.startswith("eval_") and name.endswith("_loss"))


def _evaluation(name: str) -> str:
    named = name.removeprefix("eval_").removesuffix("loss").removesuffix("_")
    return f"evaluation of {named}" if named else "evaluation"


def _colors(count: int) -> list[str]:
    return [EVALUATIONS[n % len(EVALUATIONS)] for n in range(count)]


def _points(lines: Sequence[dict[str, Any]], name: str) -> Points:
    return [(line["step"], line[name]) for line in lines if line.get(name) is not None]


def _columns(points: Points) -> tuple[list[int], list[float]]:
    return [step for step, _ in points], [value for _, value in points]


def _draw(axes: Any, points: Points, color: str, label: str) -> None:
    """A curve; where it has many points a pale one below its moving median."""
    if len(points) < MANY:
        axes.plot(*_columns(points), color=color, label=label, **_dots(points))
        return
    axes.plot(*_columns(points), color=color, alpha=0.3, linewidth=0.8)
    axes.plot(*_columns(_smoothed(points)), color=color, label=label)


def _dots(points: Points) -> dict[str, Any]:
    return {"marker": "o", "markersize": 2.5} if len(points) < MANY else {}


def _smoothed(points: Points) -> Points:
    """Each value's median with its neighbours, as many on either side."""
    reach = len(points) // 40
    medians = []
    for index, (step, _) in enumerate(points):
        near = min(reach, index, len(points) - 1 - index)
        values = [value for _, value in points[index - near : index + near + 1]]
        medians.append((step, median(values)))
    return medians


def _scale(axes: Any, curves: list[Points]) -> None:
    """Logarithmic where the values are far apart; from zero up otherwise."""
    values = [value for points in curves for _, value in points]
    if values and min(values) > 0 and max(values) > WIDE * min(values):
        from matplotlib.ticker import LogLocator, NullFormatter

        axes.set_yscale("log")
        close = max(values) < 100 * min(values)
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if close else (1,)))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(bottom=min([0.0, *values]))
