"""What `ftc show` prints is a spec that means the same, for every spec of the repository."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from ftlang import compile as compiler
from ftlang.cli.arguments import parser
from ftlang.cli.specs import asked
from ftlang.compile import Options
from ftlang.diagnostics import has_errors
from ftlang.names.files import Loader
from ftlang.names.resolve import Asked
from ftlang.plan.digest import source_digest
from ftlang.record import replaced
from ftlang.schema.run import Spec
from ftlang.show import text
from ftlang.source import SourceFile
from ftlang.syntax.format import formatted
from tests.rules.stock import completed
from tests.spec.page import Case
from tests.spec.test_pages import CASES, name

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path
    for folder in ("examples", "tests/golden", "tests/spec/jobs")
    for path in (ROOT / folder).rglob("*.ft")
)
LAYERS = re.compile(r"^(let|param|defaults|profile)\b|extends|\$(?!\$?\{)", re.MULTILINE)
SETS = [
    ("sft_lora.ft", "--profile smoke"),
    ("sft_lora.ft", "--profile cpu --profile smoke"),
    ("sft_parameters.ft", '-D rank=64 -D rate=2e-4 -D length="3 epochs"'),
    ("sft_second_stage.ft", "--run narrow"),
    ("sft_second_stage.ft", "--set 'training.seed = 7'"),
    ("sft_variants.ft", "--run whole --set 'tune lora { r = 4 }'"),
]


def specs_of(source: SourceFile | Path, options: Options) -> tuple[list[Spec], object]:
    """The specs of a text or file, none where it has errors."""
    loader = Loader()
    if isinstance(source, SourceFile):
        module = loader.text(source)
    else:
        found_module, found = loader.entry(source)
        if found_module is None or has_errors(found):
            return [], found
        module = found_module
    specs, found = compiler.analyse(module, options)
    return ([], found) if has_errors(found) else (specs, compiler.resolved(module, options))


def digests(specs: list[Spec], renamed: bool) -> dict[str, str]:
    """Each run's digest; for a `renamed` data set, of everything but its name."""
    if renamed:
        bare = {s.name: replaced(s.data, train=s.train.files, eval=None) for s in specs}
        specs = [replaced(s, data=bare[s.name]) for s in specs]
    return {spec.name: source_digest(spec) for spec in specs}


def same_meaning(entry: Path, options: Options = Options()) -> bool:
    """Whether there was something to compare; asserts that shown and original agree.

    Variables, `extends` and profiles are gone; `use` stays for results of other files' runs.
    """
    specs, document = specs_of(entry, options)
    if not specs:
        return False
    for origins in (False, True):
        said = text.shown(specs, document, origins)  # type: ignore[arg-type]
        again = SourceFile(str(entry.with_name("shown.ft")), said, entry.with_name("shown.ft"))
        assert formatted(again) == (said, [])
        defines = options.asked.defines if "\nuse " in f"\n{said}" else ()  # the result's own
        read, found = specs_of(again, Options(asked=Asked(defines=defines)))
        assert read, f"{said}\n{found}"
        renamed = "chats_2" in said
        assert digests(read, renamed) == digests(specs, renamed), said
        assert origins or not re.search(
            r"^(let|param|defaults|profile)\b|extends|\$(?!\$?\{)", said, re.M
        )
    return True


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files(path: Path) -> None:
    same_meaning(path)


def test_most_of_them_can_be_shown() -> None:
    jobs = [path for path in FILES if specs_of(path, Options())[0]]
    stems = {path.stem for path in jobs}
    assert {"quickstart", "llama_lora", "sft_qlora", "sft_variants", "sft_environment"} <= stems
    assert len(jobs) >= 20


@pytest.mark.parametrize(("file", "words"), SETS)
def test_options_are_in_what_is_shown(file: str, words: str) -> None:
    path = ROOT / "tests/spec/jobs" / file
    arguments = parser().parse_args(["show", str(path), *shlex.split(words)])
    assert same_meaning(path, Options(arguments.run, None, asked(arguments)))


@pytest.mark.parametrize("case", CASES, ids=name)
def test_pages(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file, content in case.files.items():
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(completed(content) if file == case.entry else content, encoding="utf-8")
    try:
        words = shlex.split(case.args, comments=True)
        arguments = parser().parse_args(["show", case.entry, *words])
    except SystemExit:
        return  # options of other commands
    same_meaning(tmp_path / case.entry, Options(arguments.run, None, asked(arguments)))
