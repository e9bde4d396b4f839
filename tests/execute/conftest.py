"""One warm process with the training libraries for each file of tests, and specs to run in it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ftlang.compile import Options, compile
from tests.execute.stack import Stack

ROWS = Path(__file__).with_name("rows.jsonl")


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("the training packages are not installed")
    folder = tmp_path_factory.mktemp("stack")
    running = Stack(folder / "cache", folder)
    yield running
    running.close()


@pytest.fixture
def emitted(tmp_path: Path) -> Callable[..., Path]:
    """Writes a spec and its rows, compiles it, and gives the path of the emitted script."""

    def emit(body: str, name: str = "job", disabled: frozenset[str] = frozenset()) -> Path:
        spec = tmp_path / f"{name}.ft"
        spec.write_text(f"run {name} {{\n{body}\n}}\n")
        if not (tmp_path / "rows.jsonl").exists():
            (tmp_path / "rows.jsonl").write_text(ROWS.read_text())
        result = compile(spec, Options(disabled=disabled))
        assert not [d for d in result.found if d.severity == "error"], result.found
        [output] = result.outputs
        output.folder.mkdir(parents=True, exist_ok=True)
        for file, text in output.files.items():
            (output.folder / file).write_text(text)
        return output.folder / "train.py"

    return emit
