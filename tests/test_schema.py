"""What a block takes: our fields, arguments that pass on, kinds of the table; what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ftlang.cli.fixes import edited
from ftlang.compile import Options, analyse, compile
from ftlang.diagnostics import Diagnostic
from ftlang.schema import catalogue
from ftlang.schema.given import Map
from ftlang.schema.run import Spec
from ftlang.source import SourceFile
from tests.rules.stock import STOCK


def run(**blocks: str) -> str:
    """A run with these blocks instead of, or beside, the stock ones."""
    return "run a {\n" + "".join(f"  {row}\n" for row in (STOCK | blocks).values()) + "}\n"


def found(text: str) -> list[Diagnostic]:
    return analyse(SourceFile("job.ft", text), Options())[1]


def spec(text: str) -> Spec:
    [read], diagnostics = analyse(SourceFile("job.ft", text), Options())
    assert diagnostics == []
    return read


def planned() -> list[tuple[str, str, str]]:
    """Path, kind and head of each kind that is typed and not emitted."""
    rows = []
    for place in catalogue.places():
        for kind in place.kinds:
            if kind.planned and place.path != "template":
                name = place.path.rpartition(".")[2]
                named = place.family.named
                head = f"{name} one" if named else f"{name} {kind.name}".strip()
                rows.append((place.path, kind.name, head))
    return rows


def with_block(path: str, head: str, body: str = "") -> str:
    """A run with the block at its place."""
    block = f"{head} {{ {body} }}"
    outer, _, inner = path.partition(".")
    if not inner:
        return run(**{outer: block})
    heads = {
        "model": 'model { base = builtin("tiny-llama"), ',
        "data": 'data { train = files("rows.jsonl"), ',
        "method": "method grpo { ",
    }
    return run(**{outer: heads[outer] + block + " }"})


@pytest.mark.parametrize(("path", "kind", "head"), planned(), ids=[h for _, _, h in planned()])
def test_a_planned_kind_is_one_error_at_its_word(path: str, kind: str, head: str) -> None:
    required = {"publish": 'repo = "a/b"'}.get(path, "")
    diagnostics = found(with_block(path, head, required))
    assert [d.code for d in diagnostics] == ["FT501"]
    word = "grpo" if path == "method.reward" else kind or head.split()[0]
    assert diagnostics[0].span.text == word


@pytest.mark.parametrize(("path", "kind", "head"), planned(), ids=[h for _, _, h in planned()])
def test_a_typo_in_a_planned_kind_is_found(path: str, kind: str, head: str) -> None:
    names = [f.name for f in catalogue.fields(path, kind) if len(f.name) > 4]
    if not names:
        return
    name = names[0]
    misspelt = name[:2] + name[3:] + "x"
    codes = [d.code for d in found(with_block(path, head, f"{misspelt} = 1"))]
    assert set(codes) - {"FT207"} <= {"FT201", "FT501"}
    assert codes.count("FT501") == 1
    assert codes.count("FT201") == 1


def test_a_misspelt_field_of_a_planned_kind_gets_the_right_name() -> None:
    [typo, mark] = found(run(method="method dpo { bta = 0.1, loss_type = [sigmoid] }"))
    assert (typo.code, typo.help) == ("FT201", ("did you mean `beta`?",))
    assert (mark.code, mark.span.text) == ("FT501", "dpo")


@pytest.mark.parametrize(
    ("block", "entry", "code", "message"),
    [
        (
            "method",
            "method sft { beta = 0.1 }",
            "FT202",
            "`beta` is a field of `method dpo`, `kto`, `orpo`, `simpo` and 6 more;"
            " this run is `method sft`",
        ),
        (
            "tune",
            "tune full { r = 8 }",
            "FT202",
            "`r` is a field of `tune lora`, `adalora`, `adamss`, `deft` and 22 more,"
            " not of `tune full`",
        ),
        (
            "schedule",
            "schedule linear { num_cycles = 3 }",
            "FT202",
            "`num_cycles` is a field of `schedule cosine_with_restarts`, `cosine_with_min_lr`,"
            " `cosine_warmup_with_min_lr`, `warmup_stable_decay`, not of `schedule linear`",
        ),
        (
            "save",
            "save { push_to_hub = true }",
            "FT213",
            "`push_to_hub` is derived from `publish`",
        ),
        (
            "training",
            "training { remove_unused_columns = false }",
            "FT213",
            "`remove_unused_columns` cannot be set",
        ),
        (
            "optimizer",
            "optimizer sgd { adam_beta2 = 0.9 }",
            "FT202",
            "`adam_beta2` is a field of `optimizer adamw_torch_fused`, `adamw_torch`,"
            " `adamw_8bit`, `adamw_bnb_8bit` and 33 more, not of `optimizer sgd`",
        ),
        (
            "training",
            "training { tf32 = 5 }",
            "FT203",
            "`tf32` needs `true` or `false` or `none`, not a number",
        ),
        (
            "tune",
            "tune lora { init_lora_weights = pisa }",
            "FT206",
            "`init_lora_weights` has no member `pisa`",
        ),
        (
            "tune",
            "tune lora { layers_to_transform = [1, x] }",
            "FT203",
            "`layers_to_transform` needs a whole number, not the word `x`",
        ),
        (
            "training",
            "training { torch_empty_cache_steps = 4 epochs }",
            "FT204",
            "`torch_empty_cache_steps` needs a whole number or `none`, not `4 epochs`",
        ),
        (
            "training",
            "training { batch = 64 pairs }",
            "FT204",
            "`method sft` does not count in pairs",
        ),
        (
            "hardware",
            "hardware { gpu_memory = 80GB }",
            "FT204",
            "write `GiB`: `GB` is read as powers of ten or of two",
        ),
        (
            "tune",
            'tune lora { target_modules = regex("(") }',
            "FT205",
            "`regex` holds no regular expression: missing ), unterminated subpattern",
        ),
        (
            "data",
            'data { train = files("rows.jsonl"), max_length = regex("a") }',
            "FT203",
            "`max_length` needs a count such as `2048` or `2Ki` of at least 8 or `none`,"
            " not `regex(…)`",
        ),
        (
            "hardware",
            "hardware { nodes = 2 }",
            "FT501",
            "`nodes = 2` is not in this release of ftc",
        ),
        (
            "tune",
            "tune full { freeze = [lm_head] }",
            "FT501",
            "`freeze` of `tune full` is not in this release of ftc",
        ),
        (
            "data",
            'data { train = files("rows.jsonl"), system = 5 }',
            "FT203",
            "`system` needs a string, not a number",
        ),
    ],
)
def test_what_a_block_does_not_take(block: str, entry: str, code: str, message: str) -> None:
    diagnostics = [d for d in found(run(**{block: entry})) if d.code != "FT501" or code == "FT501"]
    assert [(d.code, d.message) for d in diagnostics] == [(code, message)]


def test_a_template_is_typed_and_planned() -> None:
    good = 'template t { jinja = """{{ messages }}""", eos = "<|x|>" }\n'
    assert [(d.code, d.span.text) for d in found(good + run())] == [("FT501", "template")]
    wrong = "template t { jinja = 5, eoss = 1 }\n"
    assert sorted(d.code for d in found(wrong + run())) == ["FT201", "FT203", "FT501"]


def test_passed_arguments_are_kept_under_their_names() -> None:
    read = spec(
        run(
            tune='tune lora { rank_pattern = { "layers.0" = 32, o_proj = 4 }, lora_bias = true }',
            training="training { neftune_noise_alpha = 5, full_determinism = true }",
            model='model { base = builtin("tiny-llama"), key_mapping = { a = b } }',
        )
    )
    assert read.tune.passed.get("rank_pattern") == Map((("layers.0", 32), ("o_proj", 4)))
    assert list(read.tune.passed) == ["rank_pattern", "lora_bias"]
    assert read.training.passed.get("neftune_noise_alpha") == 5.0
    assert "tf32" not in read.training.passed
    assert read.training.passed.get("tf32", "absent") == "absent"
    assert read.written("training.full_determinism")
    assert hash(read.tune) == hash(read.tune)


def test_a_regular_expression_is_a_string_for_the_library() -> None:
    read = spec(run(tune='tune lora { target_modules = regex(".*_proj") }'))
    assert getattr(read.tune, "target_modules", None) == ".*_proj"


MOVES = [
    (  # from a line of its own into a block with lines
        "run a {\n  training {\n    seed = 3\n  }\n  save {\n    tf32 = true\n  }\n}\n",
        "run a {\n  training {\n    seed = 3\n    tf32 = true\n  }\n  save {\n  }\n}\n",
    ),
    (  # from between others into a block on one line
        "run a {\n  training { seed = 3 }\n  save { every = 5 steps, tf32 = true }\n}\n",
        "run a {\n  training { seed = 3, tf32 = true }\n  save { every = 5 steps }\n}\n",
    ),
    (  # into a block that is missing
        "run a {\n  save { tf32 = true, every = 5 steps }\n}\n",
        "run a {\n  save { every = 5 steps }\n  training { tf32 = true }\n}\n",
    ),
    (  # into a bare kind
        "run a {\n  save { lora_bias = true }\n  tune lora\n}\n",
        "run a {\n  save { }\n  tune lora { lora_bias = true }\n}\n",
    ),
    (  # a kind that is missing and has a default
        "run a {\n  training { adam_beta2 = 0.9 }\n}\n",
        "run a {\n  training { }\n  optimizer adamw_torch_fused { adam_beta2 = 0.9 }\n}\n",
    ),
]


@pytest.mark.parametrize(("wrong", "right"), MOVES)
def test_the_fix_moves_a_field_into_its_block(wrong: str, right: str) -> None:
    [misplaced] = [d for d in found(wrong) if d.code == "FT202"]
    assert misplaced.fix is not None
    assert edited(wrong, [misplaced.fix]) == (right, 1)


def test_a_field_of_two_blocks_is_not_moved() -> None:
    [one] = [d for d in found(run(save="save { subfolder = none }")) if d.code == "FT202"]
    assert one.message == "`subfolder` is a field of `model` and of `tokenizer`, not of `save`"
    assert one.fix is None


def test_only_sftconfig_has_it_so_sfttrainer_trains(tmp_path: Path) -> None:
    path = tmp_path / "a.ft"
    path.write_text(run())
    assert (
        "\ndef build_trainer(arguments, tokenizer, datasets, model) -> CheckedTrainer:"
        in (compile(path).outputs[0].files["train.py"])
    )
    path.write_text(run(method="method sft { loss_type = dft }"))
    script = compile(path).outputs[0].files["train.py"]
    assert "# Trainer · SFTTrainer, which alone takes `loss_type`\n" in script
    assert '        loss_type="dft",\n' in script


@pytest.mark.parametrize(
    ("kind", "needed"), [("lion_32bit", True), ("ademamix", True), ("sgd", False)]
)
def test_an_optimizer_brings_its_package(kind: str, needed: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.ft"
    path.write_text(run(optimizer=f"optimizer {kind}"))
    files = compile(path).outputs[0].files
    assert ("\nbitsandbytes==" in files["requirements.txt"]) == needed


def test_the_map_leads_from_a_passed_argument_to_its_entry(tmp_path: Path) -> None:
    path = tmp_path / "a.ft"
    path.write_text(run(training="training { neftune_noise_alpha = 5 }"))
    files = compile(path).outputs[0].files
    rows = files["train.py"].split("\n")
    line = 1 + rows.index("        neftune_noise_alpha=5.0,")
    [origin] = json.loads(files["train.ftmap.json"])["lines"][str(line)]
    assert (origin["path"], origin["kind"]) == ("training.neftune_noise_alpha", "spec")
    assert origin["text"] == "training { neftune_noise_alpha = 5 }"


def test_settings_of_an_optimizer_are_one_string(tmp_path: Path) -> None:
    path = tmp_path / "a.ft"
    path.write_text(run(optimizer="optimizer sgd { momentum = 0.9, nesterov = true }"))
    script = compile(path).outputs[0].files["train.py"]
    assert '        optim_args="momentum=0.9,nesterov=True",\n' in script


def test_a_fall_at_the_end_is_counted_in_steps(tmp_path: Path) -> None:
    path = tmp_path / "a.ft"
    schedule = "schedule warmup_stable_decay { decay = 10%, decay_type = linear }"
    path.write_text(run(schedule=schedule, training="training { duration = 300 steps }"))
    script = compile(path).outputs[0].files["train.py"]
    assert 'lr_scheduler_kwargs={"num_decay_steps": 30, "decay_type": "linear"},' in script


def test_a_spec_of_our_own_fields_reads_no_table() -> None:
    code = """
import sys
from ftlang.compile import Options, analyse
from ftlang.source import SourceFile
specs, found = analyse(SourceFile("job.ft", sys.argv[1]), Options())
assert specs and not found, found
from ftlang.schema import signatures
assert signatures._table.cache_info().currsize == 0
assert "ftlang.schema.passing" not in sys.modules
"""
    text = run(
        tune="tune lora { r = 8, target_modules = [q_proj] }",
        optimizer="optimizer adamw_torch { learning_rate = 1e-4 }",
        schedule="schedule cosine { warmup = 3% }",
        training="training { duration = 2 epochs }",
    )
    done = subprocess.run(
        [sys.executable, "-c", code, text], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
