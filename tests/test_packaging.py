"""Wheel, sdist and editable install: each compiles a spec, from `/`, to the same bytes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SPEC = """\
run a {
  model { base = builtin("tiny-llama") }
  tune lora
  data { train = files("rows.jsonl") }
  method sft
}
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


def output(command: Sequence[object], cwd: Path = ROOT, **environment: str) -> str:
    """What a command prints; nothing of this process's own import path reaches it."""
    inherited = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    answer = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=100,
        check=False,
        env={**inherited, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **environment},
    )
    assert answer.returncode == 0, f"{command}\n{answer.stdout}\n{answer.stderr}"
    return answer.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheel of the checkout, the sdist, and the wheel that the sdist gives."""
    here, there = tmp_path_factory.mktemp("wheel"), tmp_path_factory.mktemp("sdist")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir"]
    output([*build, here, "--wheel", ROOT])
    output([*build, there, ROOT])
    return {
        "wheel": next(here.glob("*.whl")),
        "sdist": next(there.glob("*.tar.gz")),
        "sdist wheel": next(there.glob("*.whl")),
    }


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def test_the_wheel_holds_both_packages_and_their_data(built: dict[str, Path]) -> None:
    inside = names(built["wheel"])
    expected = {
        path.relative_to(top).as_posix()
        for top, package in ((ROOT, "ftlang"), (ROOT / "runtime", "ftruntime"))
        for path in (top / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    expected |= {
        f"{to}/{path.relative_to(ROOT / folder).as_posix()}"
        for folder, to in (
            ("grammar", "ftlang/_grammar"),
            ("codegen_templates", "ftlang/_templates"),
        )
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
    }
    assert inside == expected


def test_the_sdist_gives_the_same_wheel(built: dict[str, Path]) -> None:
    assert names(built["sdist wheel"]) == names(built["wheel"])
    with (
        zipfile.ZipFile(built["wheel"]) as one,
        zipfile.ZipFile(built["sdist wheel"]) as other,
    ):
        for name in names(built["wheel"]):
            assert one.read(name) == other.read(name), name


def test_the_sdist_holds_what_a_clone_needs(built: dict[str, Path]) -> None:
    with tarfile.open(built["sdist"]) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    for name in ("Makefile", "constraints.txt", "LICENSE", "README.md", "tests/test_packaging.py"):
        assert name in inside


def test_metadata(built: dict[str, Path]) -> None:
    with zipfile.ZipFile(built["wheel"]) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        lines = archive.read(name).decode().split("\n\n")[0].splitlines()
        (scripts,) = (n for n in archive.namelist() if n.endswith("entry_points.txt"))
        assert "ftc = ftlang.cli:main" in archive.read(scripts).decode()
        assert any(n.endswith("licenses/LICENSE") for n in archive.namelist())
    assert "Name: ftlang" in lines
    assert "Requires-Python: >=3.11" in lines
    assert "License-Expression: Apache-2.0" in lines
    needed = [line for line in lines if line.startswith("Requires-Dist: ") and "extra" not in line]
    names_of = {re.match(r"Requires-Dist: ([\w-]+)", line)[1] for line in needed}  # type: ignore[index]
    assert names_of == {"black", "jinja2", "lark", "merge3"}


def environment(folder: Path, *install: object) -> Path:
    """A fresh environment with ftlang alone, which finds lark, jinja2 and black in ours."""
    output([sys.executable, "-m", "venv", "--without-pip", folder])
    python = folder / "bin" / "python"
    purelib = Path(
        output([python, "-c", "import sysconfig as s; print(s.get_path('purelib'))"]).strip()
    )
    quiet = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    ours = sysconfig.get_path("purelib")
    # hatchling, which an editable install needs, comes from here; the copy of ftlang that may be
    # installed here is not seen, as pip looks only at the environment's own folder.
    output(
        [sys.executable, "-m", "pip", "--python", python, "install", *quiet, *install],
        PYTHONPATH=ours,
    )
    (purelib / "zz_libraries.pth").write_text(f"{ours}\n")
    return folder / "bin" / "ftc"


def test_every_way_to_install_compiles_to_the_same_bytes(
    built: dict[str, Path], tmp_path: Path
) -> None:
    ways = {
        "wheel": environment(tmp_path / "w", built["wheel"]),
        "sdist wheel": environment(tmp_path / "s", built["sdist wheel"]),
        "editable": environment(tmp_path / "e", "-e", ROOT),
    }
    written = {}
    for way, ftc in ways.items():
        job = tmp_path / f"job of {way}"
        job.mkdir()
        (job / "job.ft").write_text(SPEC)
        (job / "rows.jsonl").write_text('{"prompt": "1 + 1?", "completion": "2"}\n')
        output([ftc, "compile", job / "job.ft"], cwd=Path("/"))
        folder = job / "generated" / "a"
        written[way] = {p.name: p.read_bytes() for p in sorted(folder.iterdir())}
        where = output(
            [ftc.with_name("python"), "-c", "import ftlang; print(ftlang.__file__)"], tmp_path
        )
        inside = Path(where.strip()).is_relative_to(ROOT if way == "editable" else ftc.parents[1])
        assert inside, f"{way} runs {where}"
    assert "train.py" in written["wheel"]
    assert written["wheel"] == written["sdist wheel"] == written["editable"]


def test_constraints_pin_what_is_installed() -> None:
    """`make` installs these versions, so a test that passes here speaks of them."""
    pins = dict(
        line.split("==")
        for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
        if "==" in line and not line.startswith("#")
    )
    installed = {name: metadata.version(name).partition("+")[0] for name in pins if _is_here(name)}
    assert {name: pins[name] for name in installed} == installed
    assert not any("+" in version or "/" in version for version in pins.values())
    named = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = named["optional-dependencies"]
    for wish in (*named["dependencies"], *extras["train"], *extras["demo"], *extras["dev"]):
        assert wish.split(">")[0] in pins


def _is_here(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True
