"""A compiler that answers what a test says, and `ftc` called in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ftlang import cli
from ftlang import compile as compiler
from ftlang.compile import Options, Output, Result
from ftlang.diagnostics import Diagnostic
from ftlang.source import SourceFile


@dataclass(frozen=True)
class Answer:
    """What one call of `ftc` gave."""

    code: int
    out: str
    err: str


Ftc = Callable[..., Answer]


@pytest.fixture
def ftc(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Ftc:
    """Call `ftc` with arguments; the environment has no wishes about colour."""
    for name in ("NO_COLOR", "PYTHON"):
        monkeypatch.delenv(name, raising=False)

    def call(*argv: object) -> Answer:
        code = cli.main([str(word) for word in argv])
        captured = capfdbinary.readouterr()
        return Answer(code, captured.out.decode(), captured.err.decode())

    return call


@dataclass
class FakeCompiler:
    """Stands in for `ftlang.compile`: `find` looks at a text, `emit` makes the files of a run."""

    find: Callable[[SourceFile], list[Diagnostic]] = lambda source: []
    emit: Callable[[SourceFile], list[tuple[str, dict[str, str]]]] = lambda source: []
    options: list[Options] = field(default_factory=list)

    def check(
        self, entry: str | Path, options: Options = Options(), loader: object = None
    ) -> Result:
        self.options.append(options)
        source = SourceFile(str(entry), Path(entry).read_bytes().decode(), entry)
        return Result(self.find(source), [], [source])

    def compile(self, entry: Path, options: Options = Options()) -> Result:
        result = self.check(entry, options)
        out = options.out or entry.parent / "generated"
        outputs = [
            Output(run, out / run, files)
            for run, files in self.emit(result.sources[0])
            if options.run in (None, run) and not result.found
        ]
        return Result(result.found, outputs, result.sources)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeCompiler:
    """The compiler that `ftc` will call in this test."""
    one = FakeCompiler()
    monkeypatch.setattr(compiler, "check", one.check)
    monkeypatch.setattr(compiler, "compile", one.compile)
    return one
