"""The files that a run writes while it trains: JSON lines, and the curve drawn from them."""

import json
from pathlib import Path
from typing import Any


def append_line(file: Path, line: dict[str, Any]) -> None:
    """Adds one JSON line and closes the file, so that a reader never sees half a line."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(line, ensure_ascii=False) + "\n")


def keep_lines_until(file: Path, step: int) -> None:
    """Drops the lines of later steps: all of an earlier run, those past a resumed checkpoint."""
    file.parent.mkdir(parents=True, exist_ok=True)
    old = file.read_text(encoding="utf-8").splitlines() if file.is_file() and step > 0 else []
    kept = [line for line in old if json.loads(line)["step"] <= step]
    file.write_text("".join(line + "\n" for line in kept), encoding="utf-8")


def write_loss_curve(folder: Path) -> None:
    """`loss.png` from `metrics.jsonl`: training and evaluation loss by optimizer step.

    Nothing is drawn of a run that has logged nothing.
    """
    import matplotlib

    text = (folder / "metrics.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    if not lines:
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), dpi=120)
    for name, label in (("loss", "training"), ("eval_loss", "evaluation")):
        points = [(line["step"], line[name]) for line in lines if line[name] is not None]
        if points:
            axes.plot(*zip(*points, strict=True), marker="o", markersize=2.5, label=label)
    axes.set_xlabel("optimizer step")
    axes.set_ylabel("loss per trained token")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    if axes.lines:
        axes.legend()
    figure.tight_layout()
    figure.savefig(folder / "loss.png")
    pyplot.close(figure)
