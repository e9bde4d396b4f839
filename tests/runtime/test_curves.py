"""`curves.png` and the lines behind it: what is drawn, and what a killed run left half."""

import json
from pathlib import Path
from typing import Any

import pytest
from ftruntime.curves import write_curves
from ftruntime.progress import Lines, duration
from ftruntime.records import append_line, keep_lines_until, lines_of
from matplotlib.figure import Figure


def line(step: int, **given: float) -> dict[str, Any]:
    empty = dict.fromkeys(("loss", "learning_rate", "grad_norm", "eval_loss"))
    return {"step": step, **empty, **given}


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The figures that are written, as objects."""
    made: list[Any] = []
    save = Figure.savefig

    def kept(figure: Any, *args: Any, **kwargs: Any) -> None:
        made.append(figure)
        save(figure, *args, **kwargs)

    monkeypatch.setattr(Figure, "savefig", kept)
    return made


def test_three_panels_hold_what_was_logged(tmp_path: Path, figures: list[Any]) -> None:
    for step in range(1, 5):
        values = {"loss": 4.0 / step, "learning_rate": 0.1 * step, "grad_norm": float(step)}
        append_line(tmp_path / "metrics.jsonl", line(step, **values))
    for step, loss in ((2, 3.0), (4, 3.5)):
        append_line(tmp_path / "metrics.jsonl", line(step, eval_loss=loss, eval_own_loss=loss / 2))
    assert write_curves(tmp_path) == tmp_path / "curves.png"
    top, middle, bottom = figures[0].axes
    drawn = {curve.get_label(): list(curve.get_ydata()) for curve in top.lines}
    assert drawn == {
        "training": [4.0, 2.0, 4.0 / 3, 1.0],
        "evaluation, best 3 at step 2": [3.0, 3.5],
        "evaluation of own, best 1.5 at step 2": [1.5, 1.75],
    }
    assert list(middle.lines[0].get_ydata()) == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert list(bottom.lines[0].get_ydata()) == [1.0, 2.0, 3.0, 4.0]
    assert top.get_yscale() == "linear" and top.get_ylim()[0] == 0


def test_a_loss_that_falls_far_is_drawn_on_a_logarithmic_scale(
    tmp_path: Path, figures: list[Any]
) -> None:
    for step in range(1, 200):
        append_line(tmp_path / "metrics.jsonl", line(step, loss=4.0 * 0.95**step))
    write_curves(tmp_path)
    top = figures[0].axes[0]
    assert top.get_yscale() == "log"
    pale, smooth = top.lines
    assert pale.get_alpha() < 1 and smooth.get_label() == "training"
    assert list(smooth.get_ydata()) == pytest.approx(list(pale.get_ydata()))


def test_nothing_is_drawn_of_nothing(tmp_path: Path) -> None:
    assert write_curves(tmp_path) is None
    append_line(tmp_path / "metrics.jsonl", line(1))
    assert write_curves(tmp_path) is None and not (tmp_path / "curves.png").exists()


def test_half_a_line_of_a_killed_run_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    answers = [{"step": step, "answer": f"one\u2028two {step}"} for step in (1, 2, 3)]
    for answer in answers:
        append_line(file, answer)
    file.write_text(file.read_text(encoding="utf-8") + '{"step": 4, "ans', encoding="utf-8")
    assert lines_of(file) == answers
    keep_lines_until(file, 2)
    assert lines_of(file) == answers[:2]
    append_line(file, answers[2])
    assert [
        json.loads(row) for row in file.read_text(encoding="utf-8").split("\n") if row
    ] == answers


def test_lines_of_progress_are_few_and_end_with_the_last_loss(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    lines = Lines(40, 140)
    for step in range(41, 141):
        now += 0.5
        lines.step(step)
        if step % 20 == 0:
            lines.note(2.0 / step, 1234.5)
    lines.close()
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "step 41 of 140 (29%), 50 s left"
    assert told[1] == "step 61 of 140 (44%), loss 0.033, 1,234 tokens/s, 40 s left"
    assert told[-1] == "step 140 of 140 (100%), loss 0.014, 1,234 tokens/s, 50 s in all"
    assert len(told) == 6


@pytest.mark.parametrize(
    ("seconds", "text"), [(3.4, "3 s"), (59.6, "1:00"), (723, "12:03"), (3723, "1:02:03")]
)
def test_durations_are_written_as_people_do(seconds: float, text: str) -> None:
    assert duration(seconds) == text
