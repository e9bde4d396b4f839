"""Failures of saving and resuming that users of other tools reported, each run for real."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.execute.stack import Completed, Stack

BODY = """
  model { base = path("model") }
  tune full
  data { train = files("rows.jsonl"), max_length = 256 }
  method sft
  training { duration = 2 steps, batch = 2 seqs, micro_batch = 2 seqs }
  save { every = 1 steps }
  hardware { gpus_per_node = 0 }
"""
RESUMED = """
  model { base = builtin("tiny-llama") }
  tune lora { r = 4 }
  data { train = files("rows.jsonl"), max_length = 256 }
  method sft
  training { duration = 1 epochs, batch = 2 seqs, micro_batch = 2 seqs }
  save { every = 3 steps }
  report { every = 1 steps }
  hardware { gpus_per_node = 0 }
"""
Emit = Callable[..., Path]

# Copies a builtin model and changes its generation config.
COPY = """
import json, shutil, sys
from pathlib import Path
from ftruntime.models import builtin_model

folder = Path(sys.argv[1])
shutil.copytree(builtin_model("tiny-llama"), folder, dirs_exist_ok=True)
file = folder / "generation_config.json"
config = {**json.loads(file.read_text()), **json.loads(sys.argv[2])}
file.write_text(json.dumps(config))
"""

# Runs a script and writes the row ids of each batch, found by their token ids.
ORDER = """
import json, runpy, sys
import transformers

seen = []
before = transformers.Trainer.training_step


def step(self, model, inputs, *rest, **more):
    rows = [list(ids) for ids in self.train_dataset["input_ids"]]
    for ids, mask in zip(inputs["input_ids"], inputs["attention_mask"]):
        seen.append(rows.index(ids[mask.bool()].tolist()))
    return before(self, model, inputs, *rest, **more)


transformers.Trainer.training_step = step
runpy.run_path(sys.argv[1], run_name="__main__")
print("ORDER", json.dumps(seen))
"""


def ok(done: Completed) -> Completed:
    assert done.rc == 0, done.err
    return done


def model_with(stack: Stack, folder: Path, generation: dict[str, object]) -> None:
    copy = folder / "copy.py"
    copy.write_text(COPY)
    ok(stack.run(copy, str(folder / "model"), json.dumps(generation)))


SAMPLING = ("temperature", "top_p", "top_k", "min_p")
REPAIRED: dict[str, tuple[dict[str, object], str]] = {
    "temperature": ({"temperature": 0.9, "do_sample": False}, "do_sample turned on"),
    "top_p and top_k": ({"top_p": 0.8, "top_k": 20}, "top_p is 0.8, top_k is 20"),
    "min_p": ({"min_p": 0.1}, "do_sample turned on"),
    "beams": ({"length_penalty": 2.0, "early_stopping": True}, "length_penalty is 2.0: taken out"),
    "scores": ({"output_scores": True, "temperature": 0.5}, "output_scores is True: taken out"),
    "cache": ({"use_cache": False, "cache_implementation": "static"}, "static: taken out"),
}


@pytest.mark.parametrize("tune", ["full", "lora"])
@pytest.mark.parametrize("what", list(REPAIRED))
def test_a_generation_config_that_cannot_be_saved_is_repaired_at_the_start(
    what: str, tune: str, stack: Stack, emitted: Emit, tmp_path: Path
) -> None:
    """E05: the save raised after hours."""
    generation, said = REPAIRED[what]
    model_with(stack, tmp_path, generation)
    done = ok(stack.run(emitted(BODY.replace("tune full", f"tune {tune}"))))
    assert said in done.out
    saved = json.loads((tmp_path / "out/job/final/generation_config.json").read_text())
    sampling = {name: generation[name] for name in SAMPLING if name in generation}
    assert {**saved, **sampling} == saved
    assert bool(saved.get("do_sample")) == bool(sampling)
    loads = tmp_path / "loads.py"
    loads.write_text(
        "import sys; from ftruntime.finish import load_result\n"
        "model, _ = load_result(sys.argv[1])\n"
        "model.generation_config.validate(strict=True); print('VALID')\n"
    )
    assert "VALID" in ok(stack.run(loads, str(tmp_path / "out/job/final"))).out


@pytest.mark.parametrize("tune", ["full", "lora"])
def test_a_list_of_ending_tokens_is_kept(
    tune: str, stack: Stack, emitted: Emit, tmp_path: Path
) -> None:
    """E06: two ids in the base's generation config became one."""
    model_with(stack, tmp_path, {"eos_token_id": [2, 5]})
    ok(stack.run(emitted(BODY.replace("tune full", f"tune {tune}"))))
    saved = json.loads((tmp_path / "out/job/final/generation_config.json").read_text())
    assert sorted(saved["eos_token_id"]) == [2, 5, 258]  # the last ends an assistant turn


def test_no_step_left(stack: Stack, emitted: Emit, tmp_path: Path) -> None:
    """E09: a second start jumped to the end without a word."""
    ok(stack.run(emitted(RESUMED)))
    out = tmp_path / "out/job"
    for text in ("auto", 'path("out/job/checkpoint-6")'):
        done = stack.run(emitted(RESUMED.replace("every = 3", f"resume = {text}, every = 3")))
        assert done.rc == 1 and "holds a finished run" in done.err
    # Another run is no continuation.
    other = RESUMED.replace("every = 3", 'resume = path("out/job/checkpoint-6"), every = 3')
    done = stack.run(emitted(other, name="other"))
    assert done.rc == 1
    assert "no step is left" in done.err and "as its `base`" in done.err and "FT718" in done.err
    # Fewer steps than were done, by force.
    shutil.rmtree(out / "final")
    short = RESUMED.replace("1 epochs", "4 steps").replace("every = 3", "resume = force, every = 3")
    done = stack.run(emitted(short))
    assert done.rc == 1
    assert "the checkpoint is at step 6 and this run ends at step 4" in done.err


def test_rows_and_losses_after_a_resume(stack: Stack, emitted: Emit, tmp_path: Path) -> None:
    """E10 and E11: the adapter is loaded, and the rows go on where they stopped."""
    rows = tmp_path / "rows.jsonl"
    script = emitted(RESUMED)
    rows.write_text("".join(rows.read_text().splitlines(keepends=True)[:12]))
    spy = tmp_path / "order.py"
    spy.write_text(ORDER)
    out = tmp_path / "out/job"
    straight = order_of(ok(stack.run(spy, str(script))))
    losses = metrics(out)
    assert sorted(straight) == list(range(12))
    shutil.rmtree(out / "final")
    shutil.rmtree(out / "checkpoint-6")
    done = ok(stack.run(spy, str(script)))
    assert "going on from step 3 of 6" in done.err
    assert order_of(done) == straight[6:]
    assert metrics(out) == losses
    assert (out / "checkpoint-6/adapter_model.safetensors").is_file()


def test_new_intervals_hold_after_a_resume(stack: Stack, emitted: Emit, tmp_path: Path) -> None:
    """The trainer takes them from the checkpoint, where the change would be without effect."""
    out = tmp_path / "out/job"
    ok(stack.run(emitted(RESUMED.replace("1 epochs", "9 steps"))))
    for name in ("final", "checkpoint-9", "checkpoint-6"):
        shutil.rmtree(out / name)
    other = RESUMED.replace("1 epochs", "9 steps").replace("3 steps", "2 steps")
    ok(stack.run(emitted(other.replace("every = 1 steps", "every = 3 steps"))))
    assert {p.name for p in out.glob("checkpoint-*")} == {
        f"checkpoint-{step}" for step in (3, 4, 6, 8, 9)
    }
    assert [line["step"] for line in metrics(out)] == [1, 2, 3, 6, 9]


def order_of(done: Completed) -> list[int]:
    [line] = [line for line in done.out.splitlines() if line.startswith("ORDER ")]
    order: list[int] = json.loads(line.removeprefix("ORDER "))
    return order


def metrics(out: Path) -> list[dict[str, float]]:
    lines = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    return [{key: line[key] for key in ("step", "loss", "grad_norm")} for line in lines]
