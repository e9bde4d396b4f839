"""The compiler gives the same bytes under every newer Python that is at hand."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NEEDS = ["lark", "jinja2", "markupsafe", "black", "blib2to3", "_black_version", "click"]
NEEDS += ["pathspec", "platformdirs", "mypy_extensions", "packaging", "pytokens"]
PROGRAM = """
import json, sys
from pathlib import Path
from ftlang.compile import compile
out = {}
for spec in sys.argv[1:]:
    for output in compile(Path(spec)).outputs:
        out[f"{Path(spec).parent.name}/{output.run}"] = output.files
print(json.dumps(out))
"""


def pythons() -> list[str]:
    """Interpreters of other minor versions, 3.12 and newer, that start."""
    found = [shutil.which(f"python3.{minor}") for minor in range(12, 16)]
    found += map(str, sorted(Path.home().glob(".pyenv/versions/3.1[2-9]*/bin/python")))
    usable = {}
    for path in filter(None, found):
        ask = [path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        done = subprocess.run(ask, capture_output=True, text=True, timeout=30, check=False)
        version = done.stdout.strip()
        if done.returncode == 0 and version != "{}.{}".format(*sys.version_info[:2]):
            usable[version] = path
    return list(usable.values())


@pytest.mark.parametrize("python", pythons())
def test_the_same_bytes(python: str, tmp_path: Path) -> None:
    """The installed dependencies are all pure Python, or have a pure form to fall back on."""
    site = tmp_path / "site"
    site.mkdir()
    for name in NEEDS:
        found = importlib.util.find_spec(name)
        assert found is not None and found.origin is not None, name
        origin = Path(found.origin)
        place = (
            origin.parent
            if origin.stem == "__init__" or found.submodule_search_locations
            else origin
        )
        if not (place.is_dir() or place.suffix == ".py"):
            place = place.parent / f"{name}.py"
        (site / place.name).symlink_to(place)
    every = sorted((ROOT / "tests/golden").glob("*/spec.ft"))
    specs = [spec for spec in every if not spec.with_name("args").exists()]
    env = {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [python, "-c", PROGRAM, *map(str, specs)]
    done = subprocess.run(
        command, capture_output=True, text=True, env=env, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert len(made) >= len(specs)
    for place, files in made.items():
        case, run = place.split("/")
        for name, text in files.items():
            expected = ROOT / "tests/golden" / case / "expected" / run / name
            assert text == expected.read_text(), f"{place}/{name}"
