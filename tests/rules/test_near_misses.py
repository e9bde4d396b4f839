"""Beside the pages: specs that come close to a rule and are right, and other wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from ftlang.compile import Options, analyse
from ftlang.rules.sources import OTHERS, PACKED, READ
from ftlang.source import SourceFile
from tests.rules.stock import completed
from tests.rules.test_rules import RULES, codes

SET = 'data { train = files("rows.jsonl"), eval = split(5%) }\n'

# Specs that come close to a rule and are right.
RIGHT = {
    "folders apart": 'data { train = files("a/*.jsonl"), eval = files("b/*.jsonl") }',
    "other folders below": 'data { train = files("a/*.jsonl"), eval = files("a/b/test.jsonl") }',
    "a suffix with a wildcard": 'data { train = files("rows.json*") }',
    "a folder of the results' name": 'data { train = files("outing/*.jsonl") }',
    "two columns": 'data { format = alpaca(instruction = "q", output = "a") }',
    "a part that is none": 'data { format = alpaca(instruction = "input", input = none) }',
    "roles of other languages": "data { format = sharegpt(roles = { utente = user }) }",
    "three in ten rows": "data { eval = split(30%) }",
    "a longer name": "tune lora { target_modules = [q_proj], exclude_modules = [my_q_proj] }",
    "one of many": 'tune lora { target_modules = [q_proj], exclude_modules = ["0.attn.q_proj"] }',
    "a head on 4 bits": 'model { base = builtin("tiny-llama"), quantize nf4 }\n'
    "tune lora { modules_to_save = [lm_head, embed_tokens] }",
    "a whole layer": "tune lora { target_modules = [q_proj], modules_to_save = [v_proj] }",
    "rslora": "tune lora { r = 64, use_rslora = true }",
    "a scale of a sixteenth": "tune lora { r = 512, lora_alpha = 32 }",
    "float16 in a frozen base": 'model { base = builtin("tiny-llama"), dtype = float16 }',
    "float16 and sgd": 'model { base = builtin("tiny-llama"), dtype = float16 }\n'
    "tune full\noptimizer sgd { learning_rate = 0.1 }",
    "float32 products of a float32 run": "hardware { gpus_per_node = 0 }\n"
    'model { base = builtin("tiny-llama"), quantize nf4 { bnb_4bit_compute_dtype = float16 } }',
    "a tenth": "schedule cosine { warmup = 10 steps }\ntraining { duration = 100 steps }",
    "a few long epochs": "training { duration = 20 epochs }",
    "two packed rows": "data { packing = bfd, max_length = 4Ki }\ntraining { micro_batch = 2 }",
    "one packed row": "data { packing = bfd, max_length = 64Ki }",
    "fifty checkpoints": "training { duration = 1000 steps }\nsave { every = 20 steps }",
    "checkpoints of an unknown length": "save { every = 1 step }",
    "a base beside the results": 'output = "out/a"\nmodel { base = path("out/ab/final") }',
    "a quantized base with adapters": 'model { base = path("llama-bnb-4bit") }',
    "both each epoch": f"{SET}save {{ load_best_model_at_end = true, every = 1 epoch }}",
    "parts of an epoch": f"{SET}evaluate {{ every = 0.1 epochs }}"
    "\nsave { load_best_model_at_end = true, every = 0.3 epochs }",
    "a multiple": f"{SET}save {{ load_best_model_at_end = true, every = 90 steps }}\n"
    "evaluate { every = 30 steps }",
    "the best by the loss of a named set": f'{SET}save {{ metric_for_best_model = "chat_loss" }}',
    "the best by a speed, the greatest": f"{SET}save {{ load_best_model_at_end = true, "
    'every = 1 epoch, metric_for_best_model = "samples_per_second", greater_is_better = true }',
    "no workers and no settings": "data { dataloader_num_workers = 0 }",
    "workers not kept": "data { dataloader_persistent_workers = false }",
    "rows grouped": 'data { train_sampling_strategy = "group_by_length" }',
    "tf32 on what is there": "training { tf32 = true, activation_offloading = true }",
    "no noise": "training { neftune_noise_alpha = 0 }",
    "half smoothed": "training { label_smoothing_factor = 0.5 }",
    "compiled by a backend": 'training { torch_compile_backend = "inductor" }',
    "checkpointing by default": "training { activation_checkpointing_kwargs = { a = 1 } }",
    "OLoRA on 4 bits": 'model { base = builtin("tiny-llama"), quantize nf4 }\n'
    'tune lora { init_lora_weights = "olora" }',
    "no start at all": "tune lora { init_lora_weights = false, lora_bias = true }",
    "chosen layers": "tune lora { target_modules = [q_proj], layers_to_transform = [0] }",
    "rows of one embedding": "tune lora { trainable_token_indices = [5] }",
    "a lower end": "schedule polynomial { lr_end = 1e-5 }",
    "a lowest rate": "schedule cosine_with_min_lr { min_lr = 1e-5 }",
    "a plateau": "schedule warmup_stable_decay { warmup = 10 steps, decay = 90 steps }\n"
    "training { duration = 100 steps }",
    "momentum": "optimizer sgd { learning_rate = 0.1, momentum = 0.9, dampening = 0.1 }",
    "a 4-bit GGUF file": 'model { base = gguf("model.Q4_0.gguf") }',
}


@pytest.mark.parametrize("what", list(RIGHT))
def test_what_is_right_is_left_alone(what: str) -> None:
    assert codes(completed(RIGHT[what])) == []


# Wrong specs beside those of the pages.
WRONG = {
    "FT305": "data { packing = bfd, max_length = 8Ki }\ntraining { micro_batch = 2 }",
    "FT306": "tune full\ntraining { duration = 21 epochs }",
    "FT314": 'data { train = files("a/b.jsonl"), eval = files("a/**/*.jsonl") }',
    "FT327": 'model { base = gguf("model.Q4_K_M.gguf"), quantize nf4 }',
    "FT328": 'model { base = path("m"), attn_implementation = eager }\ndata { max_length = 8Ki }',
    "FT333": 'model { base = path("m"), dtype = float16 }\ntune full',
    "FT342": "optimizer sgd",
    "FT346": "schedule linear { warmup = 50 steps }\ntraining { duration = 100 steps }",
    "FT351": "training { duration = 102 steps }\nsave { every = 2 steps }",
    "FT347": "schedule cosine_with_min_lr { min_lr = 1e-2 }",
    "FT349": "schedule cosine_warmup_with_min_lr { min_lr = 1e-6, min_lr_rate = 0.1 }",
    "FT371": f"{SET}save {{ load_best_model_at_end = true }}",
    "FT372": f'{SET}save {{ metric_for_best_model = "eval_bleu" }}',
    "FT374": "evaluate { eval_accumulation_steps = 4 }",
    "FT377": "data { dataloader_persistent_workers = true, dataloader_num_workers = 0 }",
    "FT379": "training { activation_offloading = true }\nhardware { gpus_per_node = 0 }",
    "FT391": "training { neftune_noise_alpha = -1 }",
    "FT392": "training { label_smoothing_factor = 0.9 }",
    "FT393": 'training { torch_compile = false, torch_compile_backend = "inductor" }',
    "FT394": "training { activation_checkpointing_kwargs = { use_reentrant = false } }\n"
    "hardware { gpus_per_node = 0 }",
    "FT366": 'model { base = path("m"), quantize int8 }\n'
    'tune lora { init_lora_weights = "orthogonal" }',
    "FT367": 'tune lora { init_lora_weights = "corda" }',
    "FT369": 'tune lora { target_modules = [q_proj], layers_pattern = ["layers"] }',
    "FT350": "training { duration = 10 steps }\nreport { every = 11 steps }",
    "FT352": 'output = "m"\nmodel { base = path("./m/") }',
    "FT360": 'tune lora { target_modules = ["a.q_proj", k_proj], exclude_modules = [q_proj] }',
    "FT361": "tune lora { modules_to_save = [lm_head, lm_head] }",
    "FT362": 'model { base = path("m"), quantize int8 }\n'
    'tune lora { modules_to_save = ["self_attn.q_proj"] }',
    "FT364": "tune lora { r = 256, use_rslora = true }",
    "FT380": 'output = "data/results"\ndata { train = files("data/*/*.jsonl") }',
    "FT381": 'data { format = alpaca(instruction = "output") }',
    "FT382": "data { format = sharegpt(roles = { Human = assistant }) }",
    "FT383": 'data { eval = files("test.xlsx") }',
}


@pytest.mark.parametrize("code", list(WRONG))
def test_other_wrong_specs(code: str) -> None:
    assert codes(completed(WRONG[code])) == [code]


def test_only_what_cannot_train_is_an_error() -> None:
    """A module in two lists is a warning as long as another one gets an adapter."""
    found = []
    for targets in ("[q_proj, v_proj]", "[v_proj]"):
        text = f"tune lora {{ target_modules = {targets}, exclude_modules = [v_proj] }}"
        _, diagnostics = analyse(SourceFile("stock.ft", completed(text)), Options())
        found.append([str(d.severity) for d in diagnostics])
    assert found == [["warning"], ["error"]]


@pytest.mark.parametrize("suffix", READ)
def test_the_run_reads_what_the_rule_takes(suffix: str, tmp_path: Path) -> None:
    """FT383 and the loader have one list; a file that cannot be opened is still of a known kind."""
    pytest.importorskip("pyarrow")
    from ftruntime.loaders import READERS, read_files
    from ftruntime.stops import RunStopped

    path = tmp_path / f"rows{suffix}"
    path.write_text("")
    with pytest.raises(RunStopped) as stopped:
        read_files(path)
    assert "is empty" in str(stopped.value) or "cannot be read:" in str(stopped.value)
    assert suffix in READERS or suffix == ".ndjson"


@pytest.mark.parametrize("suffix", [*PACKED, *OTHERS])
def test_the_run_refuses_what_the_rule_refuses(suffix: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    from ftruntime.loaders import read_files
    from ftruntime.stops import RunStopped

    path = tmp_path / f"rows{suffix}"
    path.write_text('{"messages": []}\n')
    with pytest.raises(RunStopped) as stopped:
        read_files(path)
    assert f"{suffix} files are not read" in str(stopped.value) or "chat rows come from" in str(
        stopped.value
    )


MIXED = {
    "half an epoch and a whole one": ("0.5 epochs", "1 epoch", "`save.every` to `1 epoch`"),
    "parts that are no multiples": ("0.5 epochs", "0.2 epochs", "`0.4 epochs` or `0.6 epochs`"),
    "steps and epochs": ("100 steps", "1 epoch", "`save.every` to `1 epoch`"),
}


@pytest.mark.parametrize("what", list(MIXED))
def test_rhythms_of_other_units(what: str) -> None:
    save, evaluate, way = MIXED[what]
    text = f"{SET}training {{ duration = 4 epochs }}\nevaluate {{ every = {evaluate} }}\n"
    text += f"save {{ load_best_model_at_end = true, every = {save} }}"
    _, [found] = analyse(SourceFile("stock.ft", completed(text)), Options())
    assert found.code == "FT371"
    assert way in found.help[0]


def test_the_nearest_rhythms_are_offered() -> None:
    """A checkpoint every 100 steps beside an evaluation every 30."""
    text = completed(RULES["FT371"].section("Wrong"))
    _, [found] = analyse(SourceFile("stock.ft", text), Options())
    assert found.message == (
        "checkpoints every 100 steps are not always evaluated, which is every 30 steps"
    )
    assert found.help[0] == "set `save.every` to a multiple of 30: `90 steps` or `120 steps`"
    assert found.span.text == "100 steps"
