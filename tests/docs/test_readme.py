"""Every block of the README is run: what it shows is what the compiler says and emits today."""

from __future__ import annotations

import ast
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from ftlang.cli import main
from ftlang.compile import Options, analyse
from ftlang.rules.registry import rules
from ftlang.source import SourceFile
from tests.rules.stock import completed

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
BLOCKS = dict(re.findall(r"```(\w+)\n(.*?)\n```", README, re.DOTALL))


def test_it_is_short_and_every_kind_of_block_is_known() -> None:
    assert len(README.splitlines()) < 150
    assert sorted(re.findall(r"^```(\w+)$", README, re.MULTILINE)) == sorted(BLOCKS)
    assert set(BLOCKS) == {"bash", "ft", "python", "text"}


def test_generated_blocks_are_current() -> None:
    """`python tools/readme.py` writes the spec, its script, and the diagnostic."""
    tool = runpy.run_path(str(ROOT / "tools/readme.py"))
    assert tool["readme"](README) == README


def test_the_commands_of_the_first_minute_are_targets() -> None:
    """`make -n` shows what they run; the quickstart itself runs in `test_quickstart.py`."""
    for line in BLOCKS["bash"].splitlines():
        target = line.split("#")[0].split()
        assert target[0] == "make"
        done = subprocess.run(
            [*target, "-n"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
        )
        wanted = {"quickstart": "quickstart.ft", "test": "pytest"}[target[1]]
        assert wanted in done.stdout


def test_the_script_is_within_its_limits() -> None:
    """At most 130 lines, at most 12 names of ours, and every keyword has a reason."""
    script = BLOCKS["python"]
    assert len([line for line in script.splitlines() if line.strip()]) <= 130
    tree = ast.parse(script)
    ours = [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ftruntime")
        for alias in node.names
    ]
    assert 0 < len(ours) <= 12


def test_every_keyword_differs_from_the_default_or_stands_in_the_spec() -> None:
    from ftlang.schema.signatures import default

    written = {"output_dir", *re.findall(r"(\w+) +=", BLOCKS["ft"])}
    derived = {  # what a written field of ours sets
        "num_train_epochs": "duration",
        "per_device_train_batch_size": "micro_batch",
        "gradient_accumulation_steps": "batch",
    }
    tree = ast.parse(BLOCKS["python"])
    checked = 0
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or ast.unparse(node.func) not in (
            "SFTConfig",
            "LoraConfig",
        ):
            continue
        for keyword in node.keywords:
            name = keyword.arg or ""
            checked += 1
            if name in written or derived.get(name) in written:
                continue
            if name == "optim":
                assert "optimizer adamw_torch_fused" in BLOCKS["ft"]
                continue
            usual = default(ast.unparse(node.func), name)
            assert ast.literal_eval(keyword.value) != usual, name
    assert checked >= 12


def test_the_diagnostic_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    code = re.search(r"\[(FT\d+)\]", BLOCKS["text"])
    assert code is not None
    assert main(["explain", code.group(1)]) == 0
    assert "Wrong" in capsys.readouterr().out


def test_commands_and_codes_that_it_names_exist() -> None:
    """Each command of the README answers `--help`; the line that `where` names has a spec line."""
    listed = README.split("## Commands")[1].split("```")[0]
    named = re.findall(r"`(?:ftc )?([a-z]+)(?: [^`]*)?`", listed)
    known = {
        "init",
        "check",
        "fmt",
        "compile",
        "run",
        "audit",
        "show",
        "where",
        "explain",
        "schema",
    }
    commands = set(named) & known
    assert commands == known
    for command in commands:
        done = subprocess.run(
            [sys.executable, "-m", "ftlang", command, "--help"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, command
    line = re.search(r"`where train.py:(\d+)`", listed)
    assert line is not None
    script = ROOT / "examples/llama_lora/generated/llama_lora/train.py"
    assert main(["where", f"{script}:{line.group(1)}"]) == 0
    assert any(r.code == "FT301" for r in rules())


def test_init_prints_a_spec_that_compiles(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "sft"]) == 0
    spec = tmp_path / "first.ft"
    spec.write_text(capsys.readouterr().out)
    assert main(["check", "--strict", str(spec)]) == 0


@pytest.mark.parametrize(
    "words", ["alpaca, sharegpt, messages or prompt/completion", "`nf4`, `fp4` or `int8`"]
)
def test_what_it_lists_is_what_the_schema_has(words: str) -> None:
    from ftlang.schema.constructors import FORMATS
    from ftlang.schema.model import QUANTIZE

    assert words in README
    names = set(FORMATS) if "alpaca" in words else set(QUANTIZE.kinds)
    shown = words.replace("prompt/completion", "prompt_completion")
    assert names == set(re.findall(r"\w+", shown)) - {"or"}


@pytest.mark.parametrize(
    "fragment",
    [
        'dataset d { source = hf("org/rows") }\ndata { train = d }',
        'data { train = [files("a.jsonl"), files("b.jsonl")] }',
        "report { to = [wandb] }",
        "save { best = loss }",
        "method dpo",
    ],
)
def test_what_the_release_lacks_is_answered_by_ft501(fragment: str) -> None:
    _, found = analyse(SourceFile("job.ft", completed(fragment)), Options())
    assert {d.code for d in found} == {"FT501"}
