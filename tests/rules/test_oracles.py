"""Rules that mirror what the libraries do: with the rule off, the emitted script shows it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.execute.stack import Completed, Stack

RELOADED = Path(__file__).parents[1] / "execute" / "reloaded.py"
ALL = frozenset({"FT334", "FT341", "FT342"})
Emit = Callable[..., Path]
BODY = """
  model { base = builtin("tiny-llama")MODEL }
  TUNE
  data { train = files("rows.jsonl")DATA, max_length = 256 }
  method sft
  OPTIMIZER
  training {
    duration = 3 steps, batch = 4 seqs, micro_batch = 2 seqs, precision = PRECISION TRAINING
  }
  report { every = 1 steps }
  hardware { gpus_per_node = 0 }
  EXTRA
"""
FRESH = {"FTC_RESUME": "fresh"}  # what an earlier start left is moved aside
LISTS = """
import runpy, sys, transformers

def train(self, **given):
    names = [n for n, p in self.model.named_parameters() if p.requires_grad]
    adapted = {n.split(".lora_A")[0].split(".")[-1] for n in names if "lora_A" in n}
    print("ADAPTED", *sorted(adapted))

transformers.Trainer.train = train
try:
    runpy.run_path(sys.argv[1], run_name="__main__")
except Exception:  # there is nothing to save
    pass
"""
BARE = """tune lora {
    target_modules = [q_proj], target_parameters = ["mlp.down_proj.weight"], OTHER
  }"""
SPLIT = ", eval = split(25%)"
WHOLE = "tune lora { target_modules = [q_proj], modules_to_save = [NAME] }"


def body(
    model: str = "",
    tune: str = "tune lora",
    data: str = "",
    optimizer: str = "",
    precision: str = "fp32",
    training: str = "",
    extra: str = "",
) -> str:
    text = BODY.replace("MODEL", model).replace("TUNE", tune).replace("DATA", data)
    text = text.replace("OPTIMIZER", optimizer).replace("PRECISION", precision)
    return text.replace("TRAINING", training).replace("EXTRA", extra)


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
    "the best of no evaluation": (
        "FT370",
        body(extra="save { load_best_model_at_end = true, every = 2 steps }"),
        "requires the save and eval strategy to match",
    ),
    "the best of what is evaluated in another unit": (
        "FT371",
        body(data=SPLIT, extra="save { load_best_model_at_end = true, every = 2 steps }"),
        "requires the save and eval strategy to match",
    ),
    "the best of what is not always evaluated": (
        "FT371",
        body(
            data=SPLIT,
            extra="save { load_best_model_at_end = true, every = 3 steps }\n"
            "evaluate { every = 2 steps }",
        ),
        "round multiple of the evaluation steps",
    ),
    "the best of parts of an epoch beside whole ones": (
        "FT371",
        body(
            data=SPLIT,
            extra="save { load_best_model_at_end = true, every = 0.5 epochs }\n"
            "evaluate { every = 1 epoch }",
        ).replace("3 steps,", "2 epochs,"),
        "requires the save and eval strategy to match",
    ),
    "the best of parts that are no multiples": (
        "FT371",
        body(
            data=SPLIT,
            extra="save { load_best_model_at_end = true, every = 0.5 epochs }\n"
            "evaluate { every = 0.2 epochs }",
        ).replace("3 steps,", "2 epochs,"),
        "which is not a multiple of",
    ),
    "the best by accuracy": (
        "FT372",
        body(
            data=SPLIT,
            extra='save { metric_for_best_model = "accuracy" }\nevaluate { every = 2 steps }',
        ),
        "Consider changing the `metric_for_best_model`",
    ),
    "an evaluation of nothing": (
        "FT374",
        body(extra="evaluate { eval_on_start = true }"),
        "requires an eval_dataset",
    ),
    "an evaluation in two precisions": (
        "FT375",
        body(data=SPLIT, extra="evaluate { bf16_full_eval = true, fp16_full_eval = true }"),
        "At most one of fp16 and bf16",
    ),
    "fetching ahead without workers": (
        "FT377",
        body(data=", dataloader_prefetch_factor = 2"),
        "dataloader_num_workers > 0",
    ),
    "keeping workers that are not there": (
        "FT377",
        body(data=", dataloader_persistent_workers = true"),
        "needs num_workers > 0",
    ),
    "tf32 on a CPU": ("FT379", body(training=", tf32 = true"), "requires Ampere"),
    "offloading on a CPU": (
        "FT379",
        body(training=", activation_offloading = true"),
        "activation_offloading.py",
    ),
    "negative noise": (
        "FT391",
        body(training=", neftune_noise_alpha = -5"),
        "expects to return",
    ),
    "PiSSA on 4 bits": (
        "FT366",
        body(", quantize nf4", 'tune lora { init_lora_weights = "pissa_niter_4" }'),
        "Please initialize PiSSA under float32",
    ),
    "an orthogonal start on 8 bits": (
        "FT366",
        body(", quantize int8", 'tune lora { init_lora_weights = "orthogonal" }'),
        "can require gradients",
    ),
    "CorDA without its preparation": (
        "FT367",
        body(tune='tune lora { init_lora_weights = "corda" }'),
        "preprocess_corda",
    ),
    "layers of all modules": (
        "FT369",
        body(tune="tune lora { layers_to_transform = [0] }"),
        "cannot be used when `target_modules` is a str",
    ),
    "a pattern without layers": (
        "FT369",
        body(tune='tune lora { target_modules = [q_proj], layers_pattern = ["layers"] }'),
        "`layers_to_transform` must also be specified",
    ),
    "a bias beside DoRA": (
        "FT395",
        body(tune="tune lora { lora_bias = true, use_dora = true }"),
        "not supported for DoRA",
    ),
    "a bias beside PiSSA": (
        "FT395",
        body(tune='tune lora { lora_bias = true, init_lora_weights = "pissa" }'),
        "only supported with init_lora_weights=True or False",
    ),
    "bare parameters with dropout": (
        "FT396",
        body(tune=BARE.replace("OTHER", "lora_dropout = 10%")),
        "does not work with lora_dropout",
    ),
    "bare parameters with DoRA": (
        "FT396",
        body(tune=BARE.replace("OTHER", "use_dora = true")),
        "does not work with use_dora",
    ),
    "bare parameters with a bias": (
        "FT396",
        body(tune=BARE.replace("OTHER", "lora_bias = true")),
        "does not work with lora_bias",
    ),
    "a rank of zero": (
        "FT397",
        body(tune="tune lora { rank_pattern = { v_proj = 0 } }"),
        "should be a positive integer",
    ),
    "rows of a whole embedding": (
        "FT398",
        body(
            tune="tune lora { target_modules = [q_proj], trainable_token_indices = [5],"
            " modules_to_save = [embed_tokens] }"
        ),
        "TrainableTokensLayer wraps an unknown layer",
    ),
    "a fall that rises": (
        "FT347",
        body(optimizer="schedule polynomial { lr_end = 1e-3 }"),
        "must be smaller than initial lr",
    ),
    "no lowest rate": (
        "FT349",
        body(optimizer="schedule cosine_with_min_lr"),
        "One of min_lr or min_lr_rate should be set",
    ),
    "two lowest rates": (
        "FT349",
        body(optimizer="schedule cosine_warmup_with_min_lr { min_lr = 1e-6, min_lr_rate = 0.1 }"),
        "Only one of min_lr or min_lr_rate",
    ),
    "nesterov without momentum": (
        "FT354",
        body(optimizer="optimizer sgd { learning_rate = 0.1, nesterov = true }"),
        "Nesterov momentum requires a momentum",
    ),
    "nesterov with dampening": (
        "FT354",
        body(
            optimizer="optimizer sgd {\n"
            "learning_rate = 0.1, nesterov = true, momentum = 0.9, dampening = 0.1 }"
        ),
        "Nesterov momentum requires a momentum and zero dampening",
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
            assert stack.run(script, env=FRESH).rc == 0
            seen.append(losses(script)[-1])
        moved[kind] = abs(seen[0] - seen[1])
    assert moved["sgd"] < moved["adamw_torch"] / 50


def test_products_are_computed_as_the_steps_are(stack: Stack, emitted: Emit) -> None:
    """FT334: float32 products cannot be had in a run of 16 bits."""
    seen = []
    for dtype in ("bfloat16", "float32"):
        quantize = f", quantize nf4 {{ bnb_4bit_compute_dtype = {dtype} }}"
        script = emitted(body(quantize, precision="bf16"), disabled=ALL)
        assert stack.run(script, env=FRESH).rc == 0
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
        "def train(self, **given):\n"
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


@pytest.mark.parametrize(("start", "same"), [("pissa", True), ("pissa_niter_4", False)])
def test_a_randomized_start_is_not_found_again(
    start: str,
    same: bool,
    stack: Stack,
    emitted: Emit,
) -> None:
    """FT368: the reloaded model's logits against those of the trained one."""
    text = body(tune=f'tune lora {{ init_lora_weights = "{start}" }}')
    script = emitted(text, disabled=frozenset({"FT368"}))
    done = stack.run(RELOADED, str(script), "keep")
    difference = float(done.out.split("DIFFERENCE ")[1].split()[0])
    assert (difference == 0) == same


def test_a_backend_turns_compilation_on(stack: Stack, tmp_path: Path) -> None:
    """FT393: whatever `torch_compile` says."""
    (tmp_path / "show.py").write_text(
        "from transformers import TrainingArguments\n"
        "for name in ('torch_compile_backend', 'torch_compile_mode'):\n"
        "    given = {name: {'torch_compile_backend': 'eager'}.get(name, 'default')}\n"
        "    made = TrainingArguments('out', use_cpu=True, torch_compile=False, **given)\n"
        "    print('COMPILES', made.torch_compile)\n"
    )
    assert stack.run(tmp_path / "show.py").out.count("COMPILES True") == 2
