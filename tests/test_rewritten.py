"""Lines of other tools are answered with what they say, values included."""

from __future__ import annotations

import pytest

from ftlang.compile import Options, analyse
from ftlang.source import SourceFile
from tests.rules.stock import completed


@pytest.mark.parametrize(
    ("line", "way"),
    [
        ("training { max_steps = 100 }", "write `duration = 100 steps` in `training`"),
        ("training { num_train_epochs = 1 }", "write `duration = 1 epoch` in `training`"),
        ("evaluate { eval_steps = 10 }", "write `every = 10 steps` in `evaluate`"),
        ("save { save_steps = 50 }", "write `every = 50 steps` in `save`"),
        ("report { logging_steps = 5 }", "write `every = 5 steps` in `report`"),
        ("training { warmup_ratio = 0.1 }", "write `schedule cosine { warmup = 10% }`"),
        ("training { warmup_steps = 10 }", "write `warmup = 10 steps` in `schedule cosine`"),
        ("data { val_set_size = 0.05 }", "write `eval = split(5%)` in `data`"),
        ("data { cutoff_len = 2048 }", "write `max_length = 2048` in `data`"),
        ("data { sample_packing = true }", "write `packing = bfd` in `data`"),
        ("data { sample_packing = false }", "leave it out: nothing is packed"),
        ("data { train_on_inputs = false }", "leave it out: the loss is on the answers"),
        ("training { fp16 = no }", "leave it out"),
        ("training { bf16 = true }", "write `precision = bf16` in `training`"),
        ("tune lora { lora_r = 8 }", "write `r = 8` in `tune lora`"),
        (
            "training { gradient_checkpointing = true }",
            "write `activation_checkpointing = true` in `training`",
        ),
        ("tune lora { rank = 8 }", "write `r`"),
        ("tune lora { alpha = 8 }", "write `lora_alpha`"),
        ("optimizer adamw_torch { eps = 1e-6 }", "write `adam_epsilon`"),
        ("hardware { n_gpu = 2 }", "write `gpus_per_node`"),
        ("save { total_limit = 2 }", "write `save_total_limit`"),
        ("training { max_steps = -1 }", "leave it out"),
        ("training { steps = 100 }", "write `duration = 100 steps`"),
        ("save { steps = 10 }", "write `every = 10 steps`"),
        ('save { save_strategy = "epoch" }', "write `every = 1 epoch` in `save`"),
        ("training { batch_size = 4 }", "write `batch = 4 seqs` in `training`"),
        (
            "training { gradient_accumulation = 4 }",
            "write `batch` in `training`: 4 × the micro batch × the devices",
        ),
        (
            "evaluate { per_device_eval_batch_size = 4 }",
            "leave it out: evaluation takes the micro batch",
        ),
        ('model { base_model = "a/b" }', 'write `base = hf("a/b")` in `model`'),
        ("model { torch_dtype = bfloat16 }", "write `dtype = bfloat16` in `model`"),
        (
            "tune lora { lora_target_modules = [q_proj] }",
            "write `target_modules = [q_proj]` in `tune lora`",
        ),
        (
            "optimizer adamw_torch { lr = 1e-4 }",
            "write `learning_rate = 1e-4` in `optimizer adamw_torch`",
        ),
        (
            "optimizer adamw_torch { betas = [0.9, 0.99] }",
            "write `adam_beta1 = 0.9` and `adam_beta2 = 0.99`",
        ),
        ("training { optim = adamw_torch }", "write the block `optimizer adamw_torch`"),
        ("training { use_muon = false }", "leave it out"),
        ("training { fp8 = true }", "leave it out: this release has no `precision = fp8` yet"),
        ("data { chat_template = x }", "leave it out: this release has no `data.template` yet"),
        ("training { rl = dpo }", "leave it out: this release has no `method dpo` yet"),
        ('report { report_to = "none" }', "leave it out: metrics go to `metrics.jsonl` alone"),
    ],
)
def test_the_way_out_holds_the_value(line: str, way: str) -> None:
    _, found = analyse(SourceFile("job.ft", completed(line)), Options())
    [one] = [d for d in found if d.code in ("FT201", "FT213", "FT214")]
    assert one.help == (way,)


def test_what_is_planned_is_not_sent_for() -> None:
    text = completed("report { report_to = wandb }")
    [one] = analyse(SourceFile("job.ft", text), Options())[1]
    assert "speaks to no tracker yet" in one.help[0]


@pytest.mark.parametrize(
    ("line", "message", "way"),
    [
        (
            "quantize nf4",
            "`quantize` does not stand inside `run`",
            "move it into `model { … }`",
        ),
        (
            "seed = 7",
            "`seed` is a field of `training`, not of `run`",
            "move it into `training { … }`",
        ),
        (
            "tune lora\nlora.r = 8",
            "no block `lora` is given here, so `lora.r` has nothing to change",
            "here the block is `tune`: write `tune.r = …`",
        ),
        (
            "optimizer adamw_bnb",
            "`optimizer` has no kind `adamw_bnb`",
            "write `optimizer adamw_8bit`",
        ),
    ],
)
def test_what_stands_in_the_wrong_place_is_told_the_right_one(
    line: str, message: str, way: str
) -> None:
    _, every = analyse(SourceFile("spec.ft", completed(line)), Options())
    found = [d for d in every if d.message == message]
    assert [d.help for d in found] == [(way,)]
