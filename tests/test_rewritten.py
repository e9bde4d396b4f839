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
    ],
)
def test_the_way_out_holds_the_value(line: str, way: str) -> None:
    _, found = analyse(SourceFile("job.ft", completed(line)), Options())
    [one] = [d for d in found if d.code in ("FT213", "FT214")]
    assert one.help == (way,)


def test_what_is_planned_is_not_sent_for() -> None:
    text = completed("report { report_to = wandb }")
    [one] = analyse(SourceFile("job.ft", text), Options())[1]
    assert "speaks to no tracker yet" in one.help[0]
