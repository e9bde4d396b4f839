"""What emitted scripts do beside learning: import, reload, keep precision, stop on bad rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.execute.stack import Completed, Stack

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BODY = """
  model { base = builtin("tiny-llama") }
  tune lora
  data { train = files("rows.jsonl"), max_length = 256 }
  method sft
  training { duration = 4 steps, batch = 4 seqs, micro_batch = 2 seqs }
  report { every = 1 steps }
  hardware { gpus_per_node = 0 }
"""
COLUMNS = ["step", "epoch", "loss", "learning_rate", "grad_norm"]
COLUMNS += ["tokens_seen", "tokens_per_s", "eval_loss"]


def ok(done: Completed) -> Completed:
    assert done.rc == 0, done.err + done.out
    return done


def metrics(output: Path) -> list[dict[str, float]]:
    return [json.loads(row) for row in (output / "metrics.jsonl").read_text().splitlines()]


def test_importing_does_no_work(stack: Stack) -> None:
    scripts = [
        *ROOT.glob("tests/golden/*/expected/*/train.py"),
        *ROOT.glob("examples/*/generated/*/train.py"),
    ]
    assert len(scripts) >= 9
    several = {"WORLD_SIZE": "2", "RANK": "0", "LOCAL_RANK": "0", "MASTER_ADDR": "127.0.0.1"}
    done = ok(stack.run(HERE / "import_only.py", *map(str, scripts), env=several))
    assert f"imported {len(scripts)}" in done.out


def test_every_configuration_is_constructed_without_deprecated_keywords(stack: Stack) -> None:
    scripts = [
        *ROOT.glob("tests/golden/*/expected/*/train.py"),
        *ROOT.glob("examples/*/generated/*/train.py"),
    ]
    done = ok(stack.run(HERE / "construct.py", *map(str, scripts)))
    assert done.out.count("MADE SFTConfig") >= 4
    assert done.out.count("MADE ") == len(scripts)


@pytest.mark.parametrize("tune", ["lora", "full"])
@pytest.mark.parametrize("forget", ["keep", "forget"])
def test_a_result_reloads_with_equal_logits(
    tune: str, forget: str, stack: Stack, emitted: Callable[..., Path], tmp_path: Path
) -> None:
    """With the cache of made models deleted, too."""
    script = emitted(BODY.replace("tune lora", f"tune {tune}"))
    env = {"FTC_CACHE": str(tmp_path / "cache")}
    done = ok(stack.run(HERE / "reloaded.py", str(script), forget, env=env))
    assert "DIFFERENCE 0.0\n" in done.out


def test_precision_decides_how_many_weights_move(
    stack: Stack, emitted: Callable[..., Path]
) -> None:
    """bf16 moves the float32 weights that fp32 moves; weights stored in bfloat16 hardly move."""
    share = {}
    for precision in ("fp32", "bf16", "bf16_pure"):
        body = BODY.replace("tune lora", "tune full").replace("4 steps", "20 steps")
        body = body.replace("4 seqs,", f"4 seqs, precision = {precision},")
        script = emitted(body + "\n optimizer adamw_torch { learning_rate = 1e-5 }")
        done = ok(stack.run(HERE / "moved.py", str(script)))
        found = json.loads(done.out.split("MOVED ")[1].splitlines()[0])
        share[precision] = found["share"]
        stored = "torch.bfloat16" if precision == "bf16_pure" else "torch.float32"
        assert found["dtypes"] == [stored]
    assert share["fp32"] > 0.8  # rows of the embedding that no token reads stay
    assert abs(share["bf16"] - share["fp32"]) < 0.02
    assert share["bf16_pure"] < 0.5 * share["bf16"]


def test_both_trainers_take_the_same_steps(
    stack: Stack, emitted: Callable[..., Path], tmp_path: Path
) -> None:
    """The same rows and weights through SFTTrainer and Trainer: one schema, equal losses."""
    model = tmp_path / "model"
    make = tmp_path / "make.py"
    make.write_text(
        "import shutil, sys\nfrom ftruntime.models import builtin_model\n"
        f"shutil.copytree(builtin_model('tiny-llama'), {str(model)!r})\n"
    )
    ok(stack.run(make))
    seen = {}
    for name, hardware in (("any", ""), ("cpu", "hardware { gpus_per_node = 0 }")):
        body = BODY.replace('builtin("tiny-llama")', 'path("model")')
        body = body.replace('"rows.jsonl")', '"rows.jsonl"), eval = split(25%)')
        body = body.replace("hardware { gpus_per_node = 0 }", hardware)
        script = emitted(body + "\n evaluate { every = 2 steps }", name=name)
        assert ("SFTTrainer(" in script.read_text()) == (name == "any")
        ok(stack.run(script))
        seen[name] = metrics(tmp_path / "out" / name)
    for rows in seen.values():
        assert all(list(row) == COLUMNS for row in rows)
    for key in ("loss", "eval_loss", "grad_norm", "tokens_seen", "learning_rate"):
        one = [row[key] for row in seen["any"] if row[key] is not None]
        other = [row[key] for row in seen["cpu"] if row[key] is not None]
        assert one == pytest.approx(other, rel=1e-4), key
        assert len(one) >= 2


@pytest.mark.parametrize("kind", ["nf4", "fp4", "int8"])
def test_adapters_train_on_quantized_weights(
    kind: str, stack: Stack, emitted: Callable[..., Path], tmp_path: Path
) -> None:
    script = emitted(BODY.replace('"tiny-llama")', f'"tiny-llama"), quantize {kind}'))
    ok(stack.run(script))
    assert all(row["loss"] > 0 for row in metrics(tmp_path / "out" / "job") if row["loss"])


def test_full_tuning_of_quantized_weights_really_fails(
    stack: Stack, emitted: Callable[..., Path]
) -> None:
    """What FT320 says before, the library says after loading."""
    body = BODY.replace("tune lora", "tune full")
    body = body.replace('"tiny-llama")', '"tiny-llama"), quantize nf4')
    done = stack.run(emitted(body, disabled=frozenset({"FT320"})))
    assert done.rc != 0
    assert "quantized" in done.err


def test_an_adapter_on_the_head_really_fails(
    stack: Stack, emitted: Callable[..., Path], tmp_path: Path
) -> None:
    """What FT325 says before, TRL says after loading."""
    (tmp_path / "make.py").write_text(
        "import shutil\nfrom ftruntime.models import builtin_model\n"
        f"shutil.copytree(builtin_model('tiny-llama'), {str(tmp_path / 'model')!r})\n"
    )
    ok(stack.run(tmp_path / "make.py"))
    body = BODY.replace('builtin("tiny-llama")', 'path("model")')
    body = body.replace("hardware { gpus_per_node = 0 }", "")
    body = body.replace("tune lora", "tune lora { target_modules = [q_proj, lm_head] }")
    done = stack.run(emitted(body, disabled=frozenset({"FT325"})))
    assert done.rc != 0
    assert "lm_head" in done.err


def test_a_module_that_is_not_there_stops_the_run(
    stack: Stack, emitted: Callable[..., Path], tmp_path: Path
) -> None:
    """PEFT adapts the modules that it finds and says nothing of the others."""
    body = BODY.replace("tune lora", "tune lora { target_modules = [q_proj, v_porj] }")
    done = stack.run(emitted(body))
    assert done.rc == 1
    assert "target_modules names v_porj" in done.err
    assert not (tmp_path / "out/job/metrics.jsonl").exists()


def test_modules_that_are_there_train(stack: Stack, emitted: Callable[..., Path]) -> None:
    modules = '["self_attn.q_proj", v_proj]'
    wanted = f"tune lora {{ target_modules = {modules}, modules_to_save = [lm_head] }}"
    ok(stack.run(emitted(BODY.replace("tune lora", wanted))))


def test_dora_on_8_bit_weights_really_fails(stack: Stack, emitted: Callable[..., Path]) -> None:
    """What FT324 says before, the library says at the first step."""
    body = BODY.replace('"tiny-llama")', '"tiny-llama"), quantize int8')
    body = body.replace("tune lora", "tune lora { use_dora = true }")
    done = stack.run(emitted(body, disabled=frozenset({"FT324"})))
    assert done.rc != 0
    assert "NoneType" in done.err


def test_a_run_of_few_steps_logs_its_last_loss(
    stack: Stack, emitted: Callable[..., Path], tmp_path: Path
) -> None:
    """Twelve rows in batches of sixteen: one step, less than any interval."""
    body = BODY.replace("report { every = 1 steps }", "").replace("4 steps", "1 epoch")
    ok(stack.run(emitted(body.replace("batch = 4 seqs", "batch = 16 seqs"))))
    [row] = metrics(tmp_path / "out" / "job")
    assert row["step"] == 1
    assert row["loss"] > 0


def test_a_gpu_that_is_not_there_is_said_in_words(
    stack: Stack, emitted: Callable[..., Path]
) -> None:
    done = stack.run(emitted(BODY.replace("gpus_per_node = 0", "gpus_per_node = 1")))
    assert done.rc == 1
    assert "compiled for 1 GPU and this machine has none" in done.err
    assert "Traceback" not in done.err


BAD_ROWS = {
    "no assistant": '{"messages": [{"role": "user", "content": "hi"}]}',
    "an empty answer": '{"messages": [{"role": "user", "content": "hi"}, '
    '{"role": "assistant", "content": ""}]}',
    "too long": json.dumps(
        {
            "messages": [
                {"role": "user", "content": "hi"},
                {"role": "assistant", "content": "word " * 200},
            ]
        }
    ),
    "an unknown role": '{"messages": [{"role": "alien", "content": "hi"}, '
    '{"role": "assistant", "content": "a"}]}',
}


@pytest.mark.parametrize("what", list(BAD_ROWS))
def test_a_row_that_cannot_be_used_stops_the_run(
    what: str, stack: Stack, emitted: Callable[..., Path], tmp_path: Path
) -> None:
    """File, row and reason are said before any weight loads; no file is written."""
    rows = (HERE / "rows.jsonl").read_text().splitlines()
    (tmp_path / "rows.jsonl").write_text("\n".join([*rows[:3], BAD_ROWS[what], *rows[3:]]) + "\n")
    done = stack.run(emitted(BODY))
    assert done.rc == 1
    assert "rows.jsonl, row 3" in done.err
    assert "Traceback" not in done.err
    assert "Loading weights" not in done.err
    assert not [path for path in (tmp_path / "out").rglob("*") if path.is_file()]


def test_two_started_where_one_was_planned(stack: Stack, emitted: Callable[..., Path]) -> None:
    done = stack.run(emitted(BODY), env={"WORLD_SIZE": "2"})
    assert done.rc == 1
    assert "compiled for 1 process" in done.err
