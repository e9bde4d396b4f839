"""A run that was stopped goes on, bit for bit; a finished one stays; what differs is refused."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.execute.stack import ROOT, Completed, Stack
from tests.properties.full import FULL, SEED

BODY = """
  model { base = builtin("tiny-llama") }
  tune lora { r = 4, lora_dropout = 10% }
  data { train = files("rows.jsonl"), max_length = 256 }
  method sft
  optimizer adamw_torch { learning_rate = 1e-3 }
  training { duration = 9 steps, batch = 4 seqs, micro_batch = 2 seqs }
  save { every = 3 steps RESUME }
  report { every = 1 steps }
  hardware { gpus_per_node = 0 }
"""
SHORT = BODY.replace(" RESUME", "")
Emit = Callable[..., Path]


def weights(folder: Path) -> bytes:
    [file] = folder.glob("*.safetensors")
    return file.read_bytes()


def ok(done: Completed) -> Completed:
    assert done.rc == 0, done.err
    return done


def without_result(out: Path) -> None:
    """As if the run had been stopped before its result was saved."""
    shutil.rmtree(out / "final")


@pytest.mark.parametrize("tune", ["tune lora { r = 4, lora_dropout = 10% }", "tune full"])
def test_a_stopped_run_ends_with_the_same_bits(
    tune: str, stack: Stack, emitted: Emit, tmp_path: Path
) -> None:
    script = emitted(SHORT.replace("tune lora { r = 4, lora_dropout = 10% }", tune))
    out = tmp_path / "out/job"
    ok(stack.run(script))
    straight, lines = weights(out / "final"), (out / "metrics.jsonl").read_text().splitlines()
    losses = [json.loads(line)["loss"] for line in lines]
    without_result(out)
    shutil.rmtree(out / "checkpoint-9")
    shutil.rmtree(out / "checkpoint-6")
    done = ok(stack.run(script))
    assert "going on from step 3 of 9" in done.err
    assert weights(out / "final") == straight
    again = [json.loads(line)["loss"] for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert again == losses  # each step once, the first after the resume included


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_killed_run_ends_with_the_same_bits(stack: Stack, emitted: Emit, tmp_path: Path) -> None:
    """SIGKILL at a random moment, in `make test` once and in `make test-full` ten times."""
    import random

    script = emitted(SHORT.replace("9 steps", "60 steps").replace("3 steps", "5 steps"))
    out = tmp_path / "out/job"
    ok(stack.run(script))
    straight = weights(out / "final")
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'runtime'}",
        "FTC_CACHE": str(stack.log / "cache"),
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
    }
    drawn = random.Random(SEED)
    for _ in range(10 if FULL else 1):
        shutil.rmtree(out)
        with (tmp_path / "log").open("wb") as log:
            running = subprocess.Popen(
                [sys.executable, str(script)], env=environment, stdout=log, stderr=log
            )
            end = time.monotonic() + 120
            while not list(out.glob("checkpoint-*")) and running.poll() is None:
                assert time.monotonic() < end
                time.sleep(0.01)
            assert running.poll() in (None, 0), (tmp_path / "log").read_text()
            time.sleep(drawn.random())
            running.send_signal(signal.SIGKILL)
            running.wait(60)
        if not (out / "final/run.json").is_file():  # else it was faster than the signal
            done = ok(stack.run(script))
            assert "going on from step" in done.err or "skipping checkpoint" in done.err
        assert weights(out / "final") == straight


BROKEN: dict[str, Callable[[Path], object]] = {
    "empty": lambda at: [shutil.rmtree(at), at.mkdir()],
    "no optimizer": lambda at: (at / "optimizer.pt").unlink(),
    "weights cut off": lambda at: cut(at / "adapter_model.safetensors"),
    "state cut off": lambda at: cut(at / "trainer_state.json"),
    "no state": lambda at: (at / "trainer_state.json").unlink(),
    "no record": lambda at: (at / "run.json").unlink(),
}


def cut(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


def test_half_written_checkpoints_are_skipped_aloud(
    stack: Stack, emitted: Emit, tmp_path: Path
) -> None:
    script = emitted(SHORT)
    out = tmp_path / "out/job"
    ok(stack.run(script))
    straight = weights(out / "final")
    for what, spoil in BROKEN.items():
        without_result(out)
        spoil(out / "checkpoint-9")
        done = ok(stack.run(script))
        assert "skipping checkpoint-9: it" in done.err, what
        assert "going on from step 6 of 9" in done.err, what
        assert weights(out / "final") == straight, what


def test_a_finished_run_stays(stack: Stack, emitted: Emit, tmp_path: Path) -> None:
    script = emitted(SHORT)
    out = tmp_path / "out/job"
    ok(stack.run(script))
    before = (out / "final/run.json").read_bytes()
    done = stack.run(script)
    assert done.rc == 1
    assert "holds a finished run" in done.err and "FT717" in done.err
    assert (out / "final/run.json").read_bytes() == before
    ok(stack.run(script, env={"FTC_RESUME": "fresh"}))
    assert (tmp_path / "out/job.1/final/run.json").read_bytes() == before
    assert weights(tmp_path / "out/job.1/final") == weights(out / "final")


def test_a_run_whose_result_was_not_saved_saves_it(
    stack: Stack, emitted: Emit, tmp_path: Path
) -> None:
    script = emitted(SHORT)
    out = tmp_path / "out/job"
    ok(stack.run(script))
    straight = weights(out / "final")
    without_result(out)
    assert "going on from step 9 of 9" in ok(stack.run(script)).err
    assert weights(out / "final") == straight


CHANGES = {
    "learning_rate: 0.001 → 0.002": ("1e-3", "2e-3"),
    "max_steps: 9 → 12": ("9 steps", "12 steps"),
    "LoraConfig.r: 4 → 8": ("r = 4", "r = 8"),
}


def test_another_training_does_not_go_on(stack: Stack, emitted: Emit, tmp_path: Path) -> None:
    out = tmp_path / "out/job"
    ok(stack.run(emitted(SHORT)))
    without_result(out)
    for said, (old, new) in CHANGES.items():
        done = stack.run(emitted(SHORT.replace(old, new)))
        assert done.rc == 1
        assert said in done.err and "FT719" in done.err
        assert "Loading weights" not in done.err
    rows = (tmp_path / "rows.jsonl").read_text()
    (tmp_path / "rows.jsonl").write_text("".join(rows.splitlines(keepends=True)[1:]))
    done = stack.run(emitted(SHORT))
    assert done.rc == 1
    assert "the training data: 12 rows" in done.err
    forced = emitted(BODY.replace(" RESUME", ", resume = force"))
    done = ok(stack.run(forced))
    assert "`resume = force` goes on" in done.err and "the training data" in done.err


def test_what_only_tells_or_saves_may_change(stack: Stack, emitted: Emit, tmp_path: Path) -> None:
    out = tmp_path / "out/job"
    ok(stack.run(emitted(SHORT)))
    without_result(out)
    other = SHORT.replace("every = 3 steps", "every = 4 steps").replace("1 steps", "2 steps")
    assert "going on from step 9" in ok(stack.run(emitted(other))).err


def test_never_moves_aside_and_a_path_names_the_checkpoint(
    stack: Stack, emitted: Emit, tmp_path: Path
) -> None:
    out = tmp_path / "out/job"
    ok(stack.run(emitted(SHORT)))
    straight = weights(out / "final")
    without_result(out)
    named = BODY.replace(" RESUME", ', resume = path("out/job/checkpoint-3")')
    assert "going on from step 3" in ok(stack.run(emitted(named))).err
    assert weights(out / "final") == straight
    without_result(out)
    missing = BODY.replace(" RESUME", ', resume = path("out/job/checkpoint-5")')
    done = stack.run(emitted(missing))
    assert done.rc == 1 and "there is no such folder" in done.err and "FT718" in done.err
    ok(stack.run(emitted(BODY.replace(" RESUME", ", resume = never"))))
    assert (tmp_path / "out/job.1/checkpoint-9").is_dir()
    assert weights(out / "final") == straight


def test_an_output_that_cannot_be_written_stops_before_the_data(
    stack: Stack, emitted: Emit, tmp_path: Path
) -> None:
    (tmp_path / "out").write_text("in the way")
    (tmp_path / "rows.jsonl").write_text("not rows")
    done = stack.run(emitted(SHORT))
    assert done.rc == 1
    assert "cannot be written" in done.err and "FT716" in done.err
    assert (tmp_path / "out").read_text() == "in the way"


def test_only_goes_on_or_stops(stack: Stack, emitted: Emit) -> None:
    done = stack.run(emitted(SHORT), env={"FTC_RESUME": "only"})
    assert done.rc == 1 and "no whole checkpoint" in done.err
