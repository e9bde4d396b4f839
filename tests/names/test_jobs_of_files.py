"""Jobs of several files: what names mean, where paths lead, and what is said of mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ftlang.compile import Options, Result, check, compile
from ftlang.names.resolve import Asked
from ftlang.schema.families import DEFAULTS
from ftlang.schema.run import Run

RUN = """\
  model { base = builtin("tiny-llama") }
  tune lora
  data { train = files("rows.jsonl") }
  method sft
"""


def job(folder: Path, **files: str) -> Path:
    """Writes `name.ft` for each keyword, `a__b` below a folder, and gives the entry `job.ft`."""
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.ft"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "job.ft"


def codes(result: Result) -> list[str]:
    return [d.code for d in result.found]


@pytest.mark.parametrize(
    ("text", "expected", "says"),
    [
        ("model { }", ["FT110"], "put `model` inside a `run"),
        ("runn a { }", ["FT110"], "did you mean `run`?"),
        ("run { }", ["FT111"], "name it, as in `run sft"),
        ("profile { }", ["FT111"], "name it, as in `profile smoke"),
        ("training.seed = 1", ["FT115"], "move it into"),
        ("unset save", ["FT115"], "move it into"),
        ("", ["FT119"], "ftc init sft"),
        ("# a comment\n", ["FT119"], "ftc init sft"),
        ("param seed: itn = 1", ["FT135"], "did you mean `int`?"),
        ("param seed: number = 1", ["FT135"], "the types are"),
        ("defaults a extends b { }", ["FT129"], "bring its file in"),
        ('dataset a extends b { source = files("x") }', ["FT113"], "remove `extends`"),
    ],
)
def test_what_a_file_may_declare(tmp_path: Path, text: str, expected: list[str], says: str) -> None:
    result = check(job(tmp_path, job=text))
    assert codes(result) == expected
    assert any(says in help for help in result.found[0].help)


def test_files_without_a_run_are_checked_and_not_compiled(tmp_path: Path) -> None:
    entry = job(tmp_path, job="let a = 1\n")
    assert codes(check(entry)) == []
    assert codes(compile(entry)) == ["FT119"]


def test_paths_are_relative_to_the_file_that_says_them(tmp_path: Path) -> None:
    entry = job(
        tmp_path,
        job='use "lib/base.ft"\nuse "lib/deep/rows.ft" as d\n'
        "run a extends base {\n  data { train = d.rows }\n}\n",
        lib__base='let folder = "w"\ndefaults base {\n'
        '  output = "out/${run.name}"\n'
        '  model { base = path("${folder}", "tiny") }\n  tune full\n  method sft\n}\n',
        lib__deep__rows='dataset rows { source = files("../x/*.jsonl") }\n',
    )
    result = compile(entry)
    assert codes(result) == []
    script = result.outputs[0].files["train.py"]
    assert 'OUTPUT = ROOT / "out/a"' in script
    assert 'MODEL = ROOT / "lib/w/tiny"' in script
    assert 'read_files(ROOT / "lib/x/*.jsonl")' in script


def test_set_and_defines_are_relative_to_the_entry(tmp_path: Path) -> None:
    entry = job(
        tmp_path,
        job=f'use "lib/base.ft"\nrun a extends base {{\n{RUN}}}\n',
        lib__base='param rows: string = "b.jsonl"\n'
        "defaults base {\n  data { eval = files($rows) }\n}\n",
    )

    def evaluation(asked: Asked) -> str:
        script = compile(entry, Options(asked=asked)).outputs[0].files["train.py"]
        return next(line for line in script.splitlines() if "evaluation = " in line)

    assert "lib/b.jsonl" in evaluation(Asked())
    assert 'ROOT / "c.jsonl"' in evaluation(Asked(defines=("rows=c.jsonl",)))
    assert 'ROOT / "d.jsonl"' in evaluation(Asked(sets=('data.eval = files("d.jsonl")',)))


def test_a_parameter_is_found_by_name_or_by_the_alias_of_its_file(tmp_path: Path) -> None:
    files = {
        "job": f'use "b.ft" as b\nuse "c.ft" as c\nrun a {{\n{RUN}'
        "  training { seed = $b.seed }\n  report { every = $c.often }\n}\n",
        "b": "param seed: int = 1\nparam twice: int = 1\n",
        "c": "param often: quantity = 5 steps\nparam twice: int = 1\n",
    }
    entry = job(tmp_path, **files)

    def seeds(*defines: str) -> list[str]:
        result = compile(entry, Options(asked=Asked(defines=defines)))
        return codes(result) or [
            line.strip()
            for line in result.outputs[0].files["train.py"].splitlines()
            if line.strip().startswith(("seed=", "logging_steps="))
        ]

    assert seeds() == ["logging_steps=5,", "seed=1,"]
    assert seeds("seed=7", "often=2 steps") == ["logging_steps=2,", "seed=7,"]
    assert seeds("b.seed=7") == ["logging_steps=5,", "seed=7,"]
    assert seeds("twice=2") == ["FT127"]
    assert seeds("c.twice=2") == ["logging_steps=5,", "seed=1,"]
    assert seeds("seed") == seeds("seed=") == seeds("=1") == seeds("seed=x y") == ["FT127"]
    assert seeds("seed=1.5") == ["FT125"]


def test_a_string_parameter_takes_plain_text(tmp_path: Path) -> None:
    text = f'param about: string = "x"\nrun a {{\n{RUN}  about = $about\n}}\n'
    entry = job(tmp_path, job=text)
    for given, seen in (("a b", "a b"), ('"a é"', "a é"), ("${x}", "${x}"), ("7", "7")):
        result = compile(entry, Options(asked=Asked(defines=(f"about={given}",))))
        assert codes(result) == []
        assert seen in result.outputs[0].files["train.py"]


def test_a_mistake_behind_a_variable_shows_both_places(tmp_path: Path) -> None:
    entry = job(
        tmp_path,
        job=f'use "base.ft" as b\nrun a {{\n{RUN}  training {{ seed = $b.seed }}\n}}\n',
        base='let seed = "seven"\n',
    )
    [one] = check(entry).found
    assert (one.code, one.span.text, one.span.source.name) == (
        "FT203",
        '"seven"',
        str(tmp_path / "base.ft"),
    )
    assert [(x.span.text, x.message) for x in one.labels] == [("$b.seed", "used here")]


def test_circles_are_named(tmp_path: Path) -> None:
    entry = job(tmp_path, job='use "b.ft"\n', b='use "c.ft"\n', c='use "job.ft"\n')
    found = [d for d in check(entry).found if d.code == "FT120"]
    assert [d.notes for d in found] == [
        ("the files use each other: `job.ft` → `b.ft` → `c.ft` → `job.ft`",)
    ]
    own = check(job(tmp_path, job='use "job.ft"\n')).found
    assert [d.code for d in own] == ["FT120"]
    lets = check(job(tmp_path, job=f"let a = $b\nlet b = $a\nrun r {{\n{RUN}  about = $a\n}}\n"))
    assert codes(lets) == ["FT124"]
    bases = check(job(tmp_path, job="defaults a extends b { }\ndefaults b extends a { }\n"))
    assert set(codes(bases)) == {"FT130"}


def test_two_ways_to_one_file_are_no_duplicate(tmp_path: Path) -> None:
    entry = job(
        tmp_path,
        job=f'use "base.ft"\nuse "first.ft" as f\nrun a extends base {{\n{RUN}}}\n'
        "run b extends f.one { tune full }\n",
        base="defaults base { training { seed = 1 } }\n",
        first=f'use "base.ft"\nrun one extends base {{\n{RUN}}}\n',
    )
    result = compile(entry)
    assert codes(result) == []
    assert [one.run for one in result.outputs] == ["a", "b"]
    twice = check(job(tmp_path, job='use "base.ft"\nuse "./base.ft"\ndefaults c extends base { }'))
    assert codes(twice) == ["FT121"]


def test_names_of_two_files_must_differ(tmp_path: Path) -> None:
    entry = job(
        tmp_path,
        job=f'use "a.ft"\nuse "b.ft"\nrun r extends x {{\n{RUN}  training {{ seed = $s }}\n}}\n',
        a="defaults x { }\nlet s = 1\n",
        b="defaults x { }\nlet s = 2\n",
    )
    result = check(entry)
    assert codes(result) == ["FT121", "FT121"]
    assert [d.message for d in result.found] == [
        "`x` comes from two files",
        "`s` comes from two files",
    ]


def test_a_missing_file_is_the_only_error(tmp_path: Path) -> None:
    """Names that it would have brought are not complained of."""
    entry = job(
        tmp_path,
        job=f'use "gone.ft"\nuse "gone2.ft" as g\nrun a extends base {{\n{RUN}'
        "  training { seed = $seed }\n  data.eval = g.rows\n}\n",
    )
    assert codes(check(entry)) == ["FT101", "FT101"]


def test_only_the_run_that_is_asked_for_is_told_of(tmp_path: Path) -> None:
    text = f"run good {{\n{RUN}}}\nrun bad {{\n{RUN}  training {{ sed = 1 }}\n}}\n"
    entry = job(tmp_path, job=text)
    assert codes(compile(entry, Options(run="good"))) == []
    assert codes(compile(entry, Options(run="bad"))) == ["FT201"]
    assert codes(compile(entry)) == ["FT201"]


def test_a_script_keeps_its_options_for_the_check(
    ftc: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    base = "param seed: int = 1\nprofile p {\n  training { batch = 4 }\n}\n"
    job(
        tmp_path,
        job=f'use "base.ft"\nrun a {{\n{RUN}  training {{ seed = $seed }}\n}}\n',
        base=base,
    )
    words = ("-D", "seed=7", "--profile", "p", "--set", 'about = "a\\nb"')
    assert ftc("compile", "job.ft", *words).code == 0
    script = (tmp_path / "generated/a/train.py").read_text()
    assert script.splitlines()[1] == (
        '# with ["-D", "seed=7", "--profile", "p", "--set", "about = \\"a\\\\nb\\""]'
    )
    assert ftc("compile", "job.ft", "--check").code == 0
    assert ftc("compile", "job.ft", "--check", "-D", "seed=8").code == 1
    (tmp_path / "base.ft").write_text(base.replace("= 4", "= 8"))
    stale = ftc("compile", "job.ft", "--check")
    assert stale.code == 1
    assert "`ftc compile job.ft -D seed=7 --profile p --set " in stale.err
    assert ftc("compile", "job.ft").code == 0
    assert "# with" not in (tmp_path / "generated/a/train.py").read_text()


def test_where_names_the_layer(ftc: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    job(
        tmp_path,
        job=f'use "lib/base.ft"\nrun a extends base {{\n{RUN}}}\n'
        "profile p { training.batch = 4 }\n",
        lib__base="param seed: int = 1\ndefaults base {\n"
        "  training { seed = $seed, batch = 2 }\n}\n",
    )
    done = ftc("compile", "job.ft", "-D", "seed=7", "--profile", "p", "--set", "tune.r = 4")
    assert done.code == 0, done.err
    rows = (tmp_path / "generated/a/train.py").read_text().splitlines()

    def where(start: str) -> str:
        line = next(n for n, row in enumerate(rows, 1) if row.strip().startswith(start))
        answer: str = ftc("where", f"generated/a/train.py:{line}").out
        return answer

    assert where("seed=7") == (
        "lib/base.ft:3:21: training.seed, inherited from `base`\n"
        "    training { seed = $seed, batch = 2 }\n"
        "-D seed=7:1:1: training.seed, the definition behind it\n    7\n"
    )
    assert "job.ft:8:30: training.batch, by the profile `p`" in where("gradient_accumulation_steps")
    assert "--set tune.r = 4:1:10: tune.r, by the command line" in where("r=4")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("max_length = 2k  # ft: allow FT216 — the old run had it", []),
        ("max_length = 2k  # ft: allow FT216, FT301 - so", ["FT140"]),
        ("# ft: allow FT216 — on the line above\n    max_length = 2k", []),
        ("# ft: allow FT216 — two above\n\n    max_length = 2k", ["FT140", "FT216"]),
        ("max_length = 2k  # ft: allow FT216", ["FT141", "FT216"]),
        ("max_length = 2k  # ft: allow — it", ["FT141", "FT216"]),
        ("max_length = 2k  # ft: ignore FT216 — it", ["FT141", "FT216"]),
        ("max_length = 2Ki  # ft: allow FT216 — nothing to allow", ["FT140"]),
        ("max_lenth = 2Ki  # ft: allow FT201 — an error", ["FT141", "FT201"]),
        ('format = alpaca(system = "# ft: allow FT216 x")\n    max_length = 2k', ["FT216"]),
    ],
)
def test_a_comment_allows_a_warning_with_a_reason(
    tmp_path: Path, line: str, expected: list[str]
) -> None:
    text = RUN.replace('files("rows.jsonl") }', f'files("rows.jsonl")\n    {line}\n  }}')
    assert sorted(codes(check(job(tmp_path, job=f"run a {{\n{text}}}\n")))) == expected


def test_a_dotted_path_may_change_what_a_run_has_by_default(tmp_path: Path) -> None:
    """`training.batch = 4` in a run without a `training` is `training { batch = 4 }`."""
    for path, value in (
        ("training.batch", "4"),
        ("optimizer.weight_decay", "0.1"),
        ("schedule.warmup", "10%"),
        ("save.every", "5 steps"),
        ("report.every", "2 steps"),
        ("hardware.gpus_per_node", "0"),
    ):
        block, _, name = path.partition(".")
        kind = {"optimizer": " adamw_torch_fused", "schedule": " cosine"}.get(block, "")
        written = job(tmp_path, job=f"run a {{\n{RUN}  {block}{kind} {{ {name} = {value} }}\n}}\n")
        by_hand = compile(written)
        dotted = compile(job(tmp_path, job=f"run a {{\n{RUN}  {path} = {value}\n}}\n"))
        plain = job(tmp_path, job=f"run a {{\n{RUN}}}\n")
        by_set = compile(plain, Options(asked=Asked(sets=(f"{path} = {value}",))))
        assert codes(by_hand) == codes(dotted) == codes(by_set) == []
        scripts = [
            [row for row in one.outputs[0].files["train.py"].splitlines() if row[0:1] != "#"]
            for one in (by_hand, dotted, by_set)
        ]
        assert scripts[0] == scripts[1] == scripts[2]
    wrong = check(job(tmp_path, job=f"run a {{\n{RUN}  shard.tp = 2\n  trainin.batch = 1\n}}\n"))
    assert codes(wrong) == ["FT114", "FT114"]


def test_the_families_that_a_run_has_by_default_are_those_of_the_schema() -> None:
    assert {
        name: family.default for name, family in Run.families.items() if family.default is not None
    } == DEFAULTS


def test_a_layer_that_does_not_fit_names_the_run(tmp_path: Path) -> None:
    profile = "profile p { unset tune.r, model.quantize.llm_int8_threshold = 5.0 }\n"
    text = f"run a {{\n{RUN}}}\n{profile}"
    found = check(job(tmp_path, job=text), Options(asked=Asked(profiles=("p",)))).found
    assert [d.code for d in found] == ["FT132", "FT114"]
    assert {note for d in found for note in d.notes} == {
        "it is laid over every run, and `a` has none"
    }


def test_only_one_run_is_told_of_where_one_is_asked_for(ftc: Any, tmp_path: Path) -> None:
    text = f"run a {{\n{RUN}}}\nrun b extends a {{\n  tune full\n  unset save\n}}\n"
    entry = job(tmp_path, job=text.replace("tune lora", "tune lora { r = 4 }"))
    assert ftc("check", entry).code == 1
    assert "FT134" in ftc("check", entry).err
    one = ftc("check", entry, "--run", "a")
    assert (one.code, "FT134" in one.err) == (0, False)


def test_files_without_runs_are_checked_beside_a_profile(ftc: Any, tmp_path: Path) -> None:
    job(
        tmp_path,
        job=f'use "base.ft"\nrun a {{\n{RUN}  training {{ seed = $seed }}\n}}\nprofile p {{ }}\n',
        base="param seed: int = 1\n",
    )
    assert ftc("check", tmp_path, "--profile", "p", "-D", "seed=3").code == 0


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"profiles": ("alt",)}, "`one` writes to `alt/one`"),
        ({"sets": ("tune lora",)}, "`one` is `tune lora`"),
    ],
)
def test_a_result_that_the_options_lead_elsewhere(
    tmp_path: Path, change: dict[str, tuple[str, ...]], says: str
) -> None:
    full = RUN.replace("tune lora", "tune full")
    text = (
        f"run one {{\n{full}}}\nrun two extends one {{ model {{ base = result(one) }} }}\n"
        'profile alt { output = "alt/${run.name}" }\n'
    )
    entry = job(tmp_path, job=text)
    assert codes(check(entry)) == []
    [found] = [d for d in check(entry, Options(asked=Asked(**change))).found if d.code == "FT143"]
    assert says in found.notes[0]


def test_words_and_strings_that_mean_something_else(tmp_path: Path) -> None:
    rows = 'let lr = 1e-4\ndataset d { source = files("rows.jsonl") }\n'
    quoted = RUN.replace('files("rows.jsonl")', '"d"')
    same = compile(job(tmp_path, job=f"{rows}run a {{\n{quoted}}}\n"))
    assert codes(same) == []
    assert 'ROOT / "rows.jsonl"' in same.outputs[0].files["train.py"]
    [bare] = check(
        job(tmp_path, job=f"{rows}run a {{\n{RUN}  optimizer sgd {{ learning_rate = lr }}\n}}\n")
    ).found
    assert bare.help[0].startswith("write `$lr`")
    [shell] = check(job(tmp_path, job=f'run a {{\n{RUN}  output = "$OUT/a"\n}}\n')).found
    assert (shell.code, shell.help[0]) == (
        "FT116",
        'for an environment variable, write `path(env("OUT"), "…")`',
    )


def test_the_use_of_a_variable_is_the_one_that_is_wrong(tmp_path: Path) -> None:
    text = f"let n = 8\nrun a {{\n{RUN}  training {{ batch = $n, duration = $n }}\n}}\n"
    [one] = check(job(tmp_path, job=text)).found
    assert [label.span.start for label in one.labels] == [text.index("$n }")]


def test_runs_come_in_the_order_in_which_they_can_be_trained(tmp_path: Path) -> None:
    full = RUN.replace("tune lora", "tune full")
    on = full.replace('builtin("tiny-llama")', "result(RESULT)")
    bodies = {"c": on.replace("RESULT", "b"), "b": on.replace("RESULT", "a"), "a": full}
    text = "".join(f"run {name} {{\n{body}}}\n" for name, body in bodies.items())
    result = compile(job(tmp_path, job=text))
    assert codes(result) == []
    assert [one.run for one in result.outputs] == ["a", "b", "c"]


@pytest.mark.parametrize("command", ["check", "fmt", "compile", "show", "audit", "run"])
def test_only_specs_are_taken_for_specs(ftc: Any, tmp_path: Path, command: str) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"a": "b"}\n')
    answer = ftc(command, rows)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == f"ftc: `{rows}` is no `.ft` file, and only those hold specs\n"
    assert ftc("check", "--fix", rows).code == 2
    assert rows.read_text() == '{"a": "b"}\n'


def test_two_specs_do_not_replace_each_other_s_script(
    ftc: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    job(tmp_path, job=f"run a {{\n{RUN}}}\n", other=f"run a {{\n{RUN}  tune.r = 4\n}}\n")
    assert ftc("compile", "job.ft").code == 0
    before = (tmp_path / "generated/a/train.py").read_text()
    refused = ftc("compile", "other.ft")
    assert (refused.code, "error[FT606]" in refused.err) == (1, True)
    assert (tmp_path / "generated/a/train.py").read_text() == before
    (tmp_path / "job.ft").unlink()
    assert ftc("compile", "other.ft").code == 0


def test_a_check_says_what_it_compared_with(
    ftc: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    entry = job(tmp_path, job=f"run a {{\n{RUN}}}\nprofile p {{ training.batch = 4 }}\n")
    assert ftc("compile", "job.ft", "--profile", "p").code == 0
    same = ftc("compile", "job.ft", "--check")
    assert (same.code, same.err) == (0, "Up to date: generated/a/ (with --profile p)\n")
    entry.write_text(entry.read_text().replace("= 4", "= 8"))
    stale = ftc("compile", "job.ft", "--check")
    assert stale.code == 1
    assert "train.py" in stale.out and "ftmap" not in stale.out


def test_a_field_with_a_variable_moves_as_it_is_written(ftc: Any, tmp_path: Path) -> None:
    """The value stands in another file, far behind the end of this one."""
    entry = job(
        tmp_path,
        job=f'use "base.ft" as b\nrun a {{\n{RUN}  tune.r = 4\n  lora_alpha = $b.alpha\n}}\n',
        base="# " + "x" * 400 + "\nlet alpha = 8\n",
    )
    ftc("check", "--fix", entry)
    text = entry.read_text()
    assert "tune lora { lora_alpha = $b.alpha }\n" in text
    assert text.count("lora_alpha") == 1
    assert text.endswith("}\n")


def test_an_escaped_brace_stays_one_behind_a_variable(tmp_path: Path) -> None:
    text = f'let a = "$${{b}}"\nrun r {{\n{RUN}  about = "x ${{a}} ${{run.name}}"\n}}\n'
    result = compile(job(tmp_path, job=text))
    assert codes(result) == []
    assert '"""x ${b} r' in result.outputs[0].files["train.py"]
