"""One folder, one behaviour: specs compile to the committed bytes, what is said included.

`tests/golden/*/spec.ft` with `expected/`, compiled with the options in `args` if there are any; and
every spec of `examples/` with the `generated/` folder beside it, as a team would commit it.  A spec
with errors has `expected/stderr.txt` alone.  `pytest --update` rewrites what is expected.
"""

from __future__ import annotations

import ast
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ftlang.cli.arguments import parser
from ftlang.cli.compile import NOTHING, compiled
from ftlang.diagnostics import has_errors
from ftlang.report import text

ROOT = Path(__file__).resolve().parents[1]
CASES = sorted(ROOT.glob("tests/golden/*/spec.ft"))
EXAMPLES = sorted(ROOT.glob("examples/*/*.ft"))


def emitted(spec: Path) -> dict[str, str]:
    """Every file that compiling writes, by its path below the output folder, and what it says."""
    options = spec.with_name("args")
    given = shlex.split(options.read_text(), comments=True) if options.exists() else []
    result = compiled(parser().parse_args(["compile", str(spec), *given]))
    files = {
        f"{output.run}/{name}": content
        for output in result.outputs
        for name, content in output.files.items()
    }
    outcome = NOTHING if has_errors(result.found) else ""
    said = text.render(result.found, outcome=outcome).replace(str(spec.parent) + "/", "")
    return files | ({"stderr.txt": said} if said else {})


def committed(folder: Path) -> dict[str, str]:
    files = [p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    return {str(p.relative_to(folder)): p.read_text() for p in files}


def rewrite(folder: Path, files: dict[str, str]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        if name.endswith(".sh"):
            path.chmod(0o755)


@pytest.mark.parametrize("spec", CASES, ids=lambda p: p.parent.name)
def test_golden(spec: Path, request: pytest.FixtureRequest) -> None:
    made, folder = emitted(spec), spec.parent / "expected"
    if request.config.getoption("--update"):
        rewrite(folder, made)
    assert made == committed(folder)


def test_goldens_show_errors_and_options() -> None:
    """A case of each form, so that neither goes unused."""
    refused = [
        p for p in CASES if {q.name for q in (p.parent / "expected").iterdir()} == {"stderr.txt"}
    ]
    assert refused
    assert any(p.with_name("args").exists() for p in CASES)


@pytest.mark.parametrize("spec", EXAMPLES, ids=lambda p: p.stem)
def test_examples_are_compiled(spec: Path, request: pytest.FixtureRequest) -> None:
    made, folder = emitted(spec), spec.parent / "generated"
    assert "stderr.txt" not in made
    if request.config.getoption("--update"):
        rewrite(folder, made)
    assert made == committed(folder)


def scripts() -> list[Path]:
    return [
        *ROOT.glob("tests/golden/*/expected/*/train.py"),
        *ROOT.glob("examples/*/generated/*/train.py"),
    ]


def test_scripts_are_clean_by_ruff() -> None:
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", *map(str, scripts())]
    done = subprocess.run(ruff, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("script", scripts(), ids=lambda script: script.parent.name)
def test_scripts_stay_short(script: Path) -> None:
    """At most 130 lines that are not blank, and 12 names of ours, quantized bases included."""
    text = script.read_text("utf-8")
    assert len([line for line in text.splitlines() if line.strip()]) <= 130
    ours = [
        alias.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ftruntime")
        for alias in node.names
    ]
    assert 0 < len(ours) <= 12


def test_scripts_are_in_blacks_form() -> None:
    black = [sys.executable, "-m", "black", "--check", "-q", *map(str, scripts())]
    done = subprocess.run(black, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


ANYWHERE = """
import sys
from pathlib import Path
from ftlang.compile import compile
for spec in sys.argv[1:]:
    for output in compile(Path(spec)).outputs:
        for name in sorted(output.files):
            print(output.run, name)
            print(output.files[name])
"""


def test_bytes_do_not_depend_on_hash_seed_folder_or_locale(tmp_path: Path) -> None:
    """Three processes, three hash seeds, folders and locales: one output."""
    seen = set()
    for seed, locale in (("0", "C"), ("1", "C.UTF-8"), ("4242", "POSIX")):
        copy = tmp_path / f"copy {seed}"
        shutil.copytree(ROOT / "tests/golden", copy)
        specs = [str(p.relative_to(copy)) for p in sorted(copy.glob("*/spec.ft"))]
        env = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "LC_ALL": locale,
            "LANG": locale,
            "PYTHONPATH": str(ROOT),
            "PYTHONIOENCODING": "utf-8",
            "TZ": "Asia/Tokyo" if seed == "1" else "UTC",
        }
        command = [sys.executable, "-c", ANYWHERE, *specs]
        done = subprocess.run(
            command, cwd=copy, env=env, capture_output=True, timeout=120, check=True
        )
        seen.add(done.stdout)
    assert len(seen) == 1
