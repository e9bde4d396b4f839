"""Values that read well and mean nothing: each is one error, at the value."""

from __future__ import annotations

from pathlib import Path

import pytest

from ftlang.compile import Options, analyse, compile
from ftlang.diagnostics import Diagnostic
from ftlang.source import SourceFile
from tests.rules.stock import completed


def found(*fragments: str) -> list[Diagnostic]:
    text = "\n".join(completed(fragment, f"run{n}") for n, fragment in enumerate(fragments))
    return analyse(SourceFile("job.ft", text), Options())[1]


@pytest.mark.parametrize(
    ("fragment", "code", "span", "message"),
    [
        ('model { base = path("") }', "FT205", '""', '`path` needs a path, not ""'),
        (
            'model { base = path("~/m") }',
            "FT205",
            '"~/m"',
            "`path` begins with `~`, which only a shell knows",
        ),
        (
            "model { base = path() }",
            "FT212",
            "path",
            "`path` takes the parts of a path, one after the other",
        ),
        (
            'model { base = hf("./m") }',
            "FT205",
            '"./m"',
            '`repo` needs a repository such as `owner/name`, not "./m"',
        ),
        (
            'model { base = hf("o/m", revision = "") }',
            "FT205",
            '""',
            '`revision` needs a commit hash, a branch or a tag, not ""',
        ),
        ('data { train = files(" ") }', "FT205", '" "', '`pattern` needs a path, not ""'),
        ('output = ""', "FT205", '""', '`output` needs a path, not ""'),
        (
            'data { train = files("a"), eval = split(0%) }',
            "FT205",
            "0%",
            "`share` needs a share above 0% and below 100%",
        ),
        ("training { batch = 0 }", "FT205", "0", "`batch` needs more than 0"),
        ("training { batch = 0 seqs }", "FT205", "0 seqs", "`batch` needs more than 0 seqs"),
        ("training { batch = 1.5 }", "FT205", "1.5", "`batch` needs a whole number"),
        (
            "schedule cosine { warmup = 1 }",
            "FT204",
            "1",
            "`warmup` needs a share or an amount in steps, not `1`",
        ),
        ("report { to = none }", "FT203", "none", "`to` needs `[]`, not `none`"),
        (
            "report { to = wandb }",
            "FT501",
            "wandb",
            "`to = wandb` is not in this release of ftc",
        ),
        (
            "tune lora { target_modules = [] }",
            "FT323",
            "[]",
            "the list names no module",
        ),
        (
            'model { base = builtin("tiny-llama"), attn_implementation = flex_attention }\n'
            "hardware { gpus_per_node = 0 }",
            "FT322",
            "flex_attention",
            "`flex_attention` does not run on a CPU",
        ),
        (
            'model { base = builtin("tiny-llama"), dtype = bfloat16 }\ntune full',
            "FT330",
            "bfloat16",
            "at a learning rate of 1e-5, weights stored in bfloat16 hardly change",
        ),
    ],
)
def test_one_diagnostic_at_the_value(fragment: str, code: str, span: str, message: str) -> None:
    [one] = found(fragment)
    assert (one.code, one.span.text, one.message) == (code, span, message)


def test_the_parts_of_a_path_have_no_names() -> None:
    [one] = found('model { base = path(path = "x") }')
    assert (one.code, one.span.text) == ("FT212", 'path = "x"')


def test_warmup_help_offers_both_readings() -> None:
    [one] = found("schedule cosine { warmup = 1 }")
    assert one.help == ("write `1 step` or `1%`",)


def test_frozen_weights_may_be_stored_in_bfloat16() -> None:
    assert found('model { base = builtin("tiny-llama"), dtype = bfloat16 }') == []


def test_two_runs_with_one_output_are_one_error() -> None:
    assert found("", "") == []
    [one] = found('output = "out/x"', 'output = "./out//x"')
    assert (one.code, one.span.text) == ("FT605", '"./out//x"')
    assert one.message == "the output of `run1` would replace that of `run0`"
    assert [label.span.text for label in one.labels] == ['"out/x"']


def test_names_that_differ_by_case_alone_are_one_error() -> None:
    text = completed("", "job") + completed("", "Job")
    [one] = analyse(SourceFile("job.ft", text), Options())[1]
    assert (one.code, one.span.text) == ("FT605", "run Job")


@pytest.mark.parametrize(
    ("value", "code"),
    [("batch = '64 seqs'", "FT005"), ("batch = .5e1", "FT014"), ("seed = ${x}", "FT039")],
)
def test_a_value_that_cannot_be_read_is_not_typed_as_well(value: str, code: str) -> None:
    assert [d.code for d in found(f"training {{ {value} }}")] == [code]


def test_a_run_folder_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    spec = tmp_path / "here" / "job.ft"
    (spec.parent / "generated").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (spec.parent / "generated" / "job").symlink_to(tmp_path / "elsewhere")
    spec.write_text(completed("", "job"))
    assert [d.code for d in compile(spec).found] == ["FT603"]


def test_a_block_with_a_bare_value_is_one_error() -> None:
    [one] = found("hardware 8")
    assert (one.code, one.span.text, one.help) == (
        "FT218",
        "hardware",
        ("write `hardware { … }` without `=`",),
    )


def test_a_missing_equals_sign_elsewhere_stays_an_error() -> None:
    codes = [d.code for d in found("hardware 8\ntraining { seed 3 }")]
    assert sorted(codes) == ["FT020", "FT218"]


def test_a_field_of_every_kind_is_not_sent_to_another_optimizer() -> None:
    [one] = found("optimizer sgd { learning_rate = 1e-2 }\ntraining { max_grad_norm = 1.0 }")
    assert one.message == "`max_grad_norm` is a field of `optimizer`, not of `training`"
    assert one.help == (
        "move it into the `optimizer` block, such as `optimizer adamw_torch_fused { … }`",
    )


@pytest.mark.parametrize(
    ("fragment", "message", "help"),
    [
        ("optimizer = adamw_torch", "`optimizer` is a block", "write `optimizer adamw_torch`"),
        ('schedule = "linear"', "`schedule` is a block", "write `schedule linear`"),
        ("schedule = foo", "`schedule` is a block", "write `schedule cosine`"),
        (
            'optimizer adamw_torch { learning_rate = "1e-4" }',
            "`learning_rate` needs a number above 0, not a string",
            "write it without quotes: `1e-4`",
        ),
        (
            'training { batch = "64 seqs" }',
            "`batch` needs an amount such as `3 seqs`, not a string",
            "write it without quotes: `64 seqs`",
        ),
        (
            'evaluate { samples = "Who?" }',
            "`samples` needs a list, not a string",
            "put it in `[ ]`",
        ),
        (
            'dataset d { source = files("x") }',
            "`run` has no block `dataset`",
            "declare it beside the run, and name it in `data`",
        ),
    ],
)
def test_the_help_says_what_was_meant(fragment: str, message: str, help: str) -> None:
    text = completed("", "job").rstrip().removesuffix("}") + fragment + "\n}\n"
    [one] = analyse(SourceFile("job.ft", text), Options())[1]
    assert one.message == message
    assert one.help[0].startswith(help)


def test_a_whole_number_shows_what_was_written() -> None:
    [one] = found("training { seed = 1e3 }")
    assert one.message == "`seed` needs a whole number from 0 to 4294967295, not `1e3`"


def test_only_a_length_that_stays_whole_is_fixed() -> None:
    [one] = found("data { max_length = 4.5k }")
    assert one.fix is not None
    assert (one.fix.text, one.notes) == ("4.5Ki", ("`k` is 1000, `Ki` 1024",))
    [one] = found("data { max_length = 1.3k }")
    assert (one.code, one.fix, one.help) == ("FT216", None, ("write `1300` to keep it",))


def test_one_packed_row_is_a_row() -> None:
    [one] = found("data { packing = bfd }\ntraining { micro_batch = 1 seq }")
    assert one.fix is not None
    assert one.fix.text == "1 row"
    assert one.help == ("write `1 row`: each is filled with conversations",)


@pytest.mark.parametrize(
    ("wrong", "help"),
    [
        ('tune lora { target_modules = "q_proj,v_proj" }', "`[q_proj, v_proj]`"),
        ("tune lora { target_modules = q_proj }", "`[q_proj]`"),
        ("tune qlora", "`quantize nf4` inside `model`"),
        ("tune dora { r = 8 }", "`tune lora { use_dora = true }`"),
        ("checkpoints { every = 5 steps }", "the block is `save`"),
        ('data { train = files("r.jsonl"), packing = true }', "`packing = bfd`"),
        ('data { train = files("r.jsonl"), eval = 0.1 }', "`split(10%)`"),
        ('data { train = files("r.jsonl"), val_size = 0.1 }', "`eval = split(10%)`"),
        ('data { dataset= "r.jsonl" }', "`train = files"),
        ('model { base = hf("a/b", revision = "main"), load_in_4bit = true }', "`quantize nf4`"),
        ("nonsense { }", "`run` has the blocks `model`"),
    ],
)
def test_what_other_tools_write_is_answered_with_what_to_write_here(wrong: str, help: str) -> None:
    _, found = analyse(SourceFile("job.ft", completed(wrong)), Options())
    assert any(help in way for d in found for way in d.help), [d.help for d in found]
