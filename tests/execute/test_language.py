"""Constructs of the language whose meaning shows only when the script runs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from ftlang.compile import Options, compile
from ftlang.names.resolve import Asked
from tests.execute.stack import Stack
from tests.execute.test_runs import BODY, ROOT, metrics, ok

LONG = BODY.replace("duration = 4 steps", "duration = 2 epochs")


def numbered(count: int) -> str:
    """Rows of one question and answer each."""
    rows = [
        {"prompt": f"What is {n}?", "completion": f"It is the number {n}, of course."}
        for n in range(count)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_half_an_epoch_is_where_it_says(
    stack: Stack, emitted: Callable[..., Path], tmp_path: Path
) -> None:
    """Sixteen rows in batches of four: four steps an epoch, eight in all."""
    (tmp_path / "rows.jsonl").write_text(numbered(16))
    (tmp_path / "test.jsonl").write_text(numbered(3))
    body = LONG.replace('"rows.jsonl")', '"rows.jsonl"), eval = files("test.jsonl")')
    body += "\n evaluate { every = 0.5 epochs }\n save { every = 0.75 epochs }"
    ok(stack.run(emitted(body, name="parts")))
    rows = metrics(tmp_path / "out/parts")
    evaluated = [row["step"] for row in rows if row.get("eval_loss") is not None]
    assert evaluated == [2, 4, 6, 8]
    saved = sorted(int(p.name.partition("-")[2]) for p in (tmp_path / "out/parts").glob("check*"))
    assert saved == [3, 6, 8]  # the last step is always saved


def test_a_result_is_gone_on_from_and_demanded(stack: Stack, tmp_path: Path) -> None:
    """The second run starts from what the first has left, and says so where there is nothing."""
    first = BODY.replace("tune lora", "tune full")
    second = first.replace('builtin("tiny-llama")', "result(first)")
    spec = tmp_path / "job.ft"
    spec.write_text(
        f"run first {{\n{first}}}\nrun second {{\n{second}"
        '  output = path(env("FTC_TEST_OUT", default = "elsewhere"), "two")\n}\n'
    )
    (tmp_path / "rows.jsonl").write_text(numbered(8))
    result = compile(spec)
    assert [d for d in result.found if d.severity == "error"] == []
    for output in result.outputs:
        output.folder.mkdir(parents=True)
        (output.folder / "train.py").write_text(output.files["train.py"])
    script = tmp_path / "generated/second/train.py"
    before = stack.run(script)
    assert before.rc == 1
    assert "train the run `first` first" in before.err + before.out
    ok(stack.run(tmp_path / "generated/first/train.py"))
    ok(stack.run(script, env={"FTC_TEST_OUT": str(tmp_path / "scratch")}))
    ok(stack.run(script))
    assert (tmp_path / "scratch/two/final/config.json").is_file()
    assert (tmp_path / "elsewhere/two/final/config.json").is_file()
    started = metrics(tmp_path / "scratch/two")[0]["loss"]
    assert started < metrics(tmp_path / "out/first")[0]["loss"]


def test_the_team_s_runs_train_under_their_smoke_profile(stack: Stack, tmp_path: Path) -> None:
    team = tmp_path / "team"
    shutil.copytree(ROOT / "examples/team", team, ignore=shutil.ignore_patterns("generated", "out"))
    result = compile(team / "support.ft", Options(asked=Asked(profiles=("smoke",))))
    assert [d for d in result.found if d.severity == "error"] == []
    assert len(result.outputs) == 2
    for output in result.outputs:
        output.folder.mkdir(parents=True)
        (output.folder / "train.py").write_text(output.files["train.py"])
        ok(stack.run(output.folder / "train.py"))
        assert [row["step"] for row in metrics(team / "out" / output.run)] == [1, 2, 3, 4]
        assert (team / "out" / output.run / "final").is_dir()
