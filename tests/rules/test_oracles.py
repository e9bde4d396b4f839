"""Rules that mirror what the libraries do: with the rule off, the emitted script shows it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.execute.stack import Completed, Stack

ALL = frozenset({"FT334", "FT341", "FT342"})
Emit = Callable[..., Path]
BODY = """
  model { base = builtin("tiny-llama")MODEL }
  TUNE
  data { train = files("rows.jsonl")DATA, max_length = 256 }
  method sft
  OPTIMIZER
  training { duration = 3 steps, batch = 4 seqs, micro_batch = 2 seqs, precision = PRECISION }
  report { every = 1 steps }
  hardware { gpus_per_node = 0 }
"""
LISTS = """
import runpy, sys, transformers

def train(self):
    names = [n for n, p in self.model.named_parameters() if p.requires_grad]
    adapted = {n.split(".lora_A")[0].split(".")[-1] for n in names if "lora_A" in n}
    print("ADAPTED", *sorted(adapted))

transformers.Trainer.train = train
try:
    runpy.run_path(sys.argv[1], run_name="__main__")
except Exception:  # there is nothing to save
    pass
"""
WHOLE = "tune lora { target_modules = [q_proj], modules_to_save = [NAME] }"


def body(
    model: str = "",
    tune: str = "tune lora",
    data: str = "",
    optimizer: str = "",
    precision: str = "fp32",
) -> str:
    text = BODY.replace("MODEL", model).replace("TUNE", tune).replace("DATA", data)
    return text.replace("OPTIMIZER", optimizer).replace("PRECISION", precision)


def run(stack: Stack, emitted: Emit, code: str, text: str) -> Completed:
    return stack.run(emitted(text, disabled=frozenset({code})))


def losses(script: Path) -> list[float]:
    rows = (script.parents[2] / "out/job/metrics.jsonl").read_text().splitlines()
    return [loss for row in rows if (loss := json.loads(row)["loss"]) is not None]


REFUSED = {
    "every target left out": (
        "FT360",
        body(tune="tune lora { target_modules = [q_proj], exclude_modules = [q_proj] }"),
        "No modules were targeted",
    ),
    "every target trained whole": (
        "FT360",
        body(tune=WHOLE.replace("NAME", "q_proj")),
        "No modules were targeted",
    ),
    "a 4-bit layer trained whole": (
        "FT362",
        body(
            ", quantize nf4", "tune lora { target_modules = [q_proj], modules_to_save = [v_proj] }"
        ),
        "only Tensors of floating point",
    ),
    "an 8-bit block trained whole": (
        "FT362",
        body(", quantize int8", WHOLE.replace("NAME", "mlp")),
        "only Tensors of floating point",
    ),
    "an archive of rows": ("FT383", body().replace("rows.jsonl", "rows.jsonl.gz"), ".gz"),
    "text as rows": ("FT383", body().replace("rows.jsonl", "rows.txt"), ".txt"),
}


@pytest.mark.parametrize("what", list(REFUSED))
def test_what_an_error_says_before_the_run_says_after(
    what: str,
    stack: Stack,
    emitted: Emit,
    tmp_path: Path,
) -> None:
    code, text, said = REFUSED[what]
    for name in ("rows.jsonl.gz", "rows.txt"):
        (tmp_path / name).write_text("{}\n")
    done = run(stack, emitted, code, text)
    assert done.rc != 0
    assert said in done.err


@pytest.mark.parametrize("other", ["exclude_modules", "modules_to_save"])
def test_a_module_in_two_lists_gets_no_adapter(
    other: str,
    stack: Stack,
    emitted: Emit,
    tmp_path: Path,
) -> None:
    """FT360, the warning: PEFT leaves it out without a word."""
    (tmp_path / "lists.py").write_text(LISTS)
    tune = f"tune lora {{ target_modules = [q_proj, v_proj], {other} = [v_proj] }}"
    done = stack.run(tmp_path / "lists.py", str(emitted(body(tune=tune))))
    assert "ADAPTED q_proj\n" in done.out


@pytest.mark.parametrize(("epsilon", "learns"), [("1e-8", False), ("1e-7", False), ("1e-6", True)])
def test_adamw_on_float16_weights(
    epsilon: str,
    learns: bool,
    stack: Stack,
    emitted: Emit,
) -> None:
    """FT333: NaN weights give a loss of 0 in the Trainer's log; a larger epsilon trains."""
    adam = f"optimizer adamw_torch {{ learning_rate = 1e-4, adam_epsilon = {epsilon} }}"
    text = body(", dtype = float16", "tune full", optimizer=adam).replace("3 steps", "5 steps")
    script = emitted(text, disabled=frozenset({"FT333"}))
    assert stack.run(script).rc == 0
    assert (losses(script)[-1] > 1) == learns


def test_sgd_at_a_rate_of_adam_changes_nothing(stack: Stack, emitted: Emit) -> None:
    """FT342: one rate, two optimizers; the loss of `sgd` stays where it was."""
    moved = {}
    for kind in ("sgd", "adamw_torch"):
        seen = []
        for rate in ("1e-12", "1e-4"):
            optimizer = f"optimizer {kind} {{ learning_rate = {rate} }}"
            script = emitted(body(tune="tune full", optimizer=optimizer), disabled=ALL)
            assert stack.run(script).rc == 0
            seen.append(losses(script)[-1])
        moved[kind] = abs(seen[0] - seen[1])
    assert moved["sgd"] < moved["adamw_torch"] / 50


def test_products_are_computed_as_the_steps_are(stack: Stack, emitted: Emit) -> None:
    """FT334: float32 products cannot be had in a run of 16 bits."""
    seen = []
    for dtype in ("bfloat16", "float32"):
        quantize = f", quantize nf4 {{ bnb_4bit_compute_dtype = {dtype} }}"
        script = emitted(body(quantize, precision="bf16"), disabled=ALL)
        assert stack.run(script).rc == 0
        seen.append(losses(script))
    assert seen[0] == seen[1]


def test_packed_rows_of_a_micro_batch_lie_end_to_end(
    stack: Stack,
    emitted: Emit,
    tmp_path: Path,
) -> None:
    """FT305: attention meets one long row, whatever the micro batch is."""
    (tmp_path / "shape.py").write_text(
        "import runpy, sys, transformers\n"
        "def train(self):\n"
        "    batch = next(iter(self.get_train_dataloader()))\n"
        "    print('SHAPE', *batch['input_ids'].shape)\n"
        "    sys.exit(0)\n"
        "transformers.Trainer.train = train\n"
        "runpy.run_path(sys.argv[1], run_name='__main__')\n"
    )
    text = body(data=", packing = bfd").replace("seqs", "rows")
    done = stack.run(tmp_path / "shape.py", str(emitted(text)))
    one, tokens = map(int, done.out.split("SHAPE ")[1].split()[:2])
    assert one == 1
    assert tokens > 256
