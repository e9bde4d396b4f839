"""The pages of this folder teach the language, and every block of them is true.

`page.py` says how a page is written; `pytest --update` rewrites the reports in them.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from ftlang.cli import main
from ftlang.cli.arguments import parser
from ftlang.cli.compile import compiled
from ftlang.compile import Result
from ftlang.diagnostics import Diagnostic
from ftlang.report import text
from ftlang.source import SourceFile
from ftlang.syntax.format import formatted
from tests.rules.stock import completed
from tests.spec.page import Case, Fence, Wrong, cases, in_order, marks, updated

HERE = Path(__file__).parent
PAGES = sorted(HERE.glob("[0-9]*.md"))
CASES = [case for page in PAGES for case in cases(page)]


def name(case: Case) -> str:
    """The page and the heading, with a number where a section has several cases."""
    same = [c for c in CASES if (c.page, c.heading) == (case.page, case.heading)]
    number = f"-{same.index(case) + 1}" if len(same) > 1 else ""
    heading = re.sub(r"\W+", "-", case.heading).strip("-")
    return f"{case.page.stem}:{heading}{number}"


def result_of(case: Case, folder: Path) -> Result:
    """What the command line makes of the case's files, written below a folder."""
    for file, content in case.files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(completed(content) if file == case.entry else content, encoding="utf-8")
    try:
        options = shlex.split(case.args, comments=True)
        return compiled(parser().parse_args(["compile", case.entry, *options]))
    except SystemExit:
        raise Wrong(f"{case.place}: ftc does not take `{case.args.strip()}`") from None


def marked(case: Case, folder: Path) -> set[tuple[str, int, str, str]]:
    """What the marks say: file, line, severity, code; marks of options have no line."""
    said = {
        (file, *mark)
        for file in case.files
        if file.endswith(".ft")
        for mark in marks((folder / file).read_text(encoding="utf-8"))
    }
    return said | {("args", 0, kind, code) for _, kind, code in marks(case.args)}


def found(diagnostic: Diagnostic, case: Case) -> tuple[str, int, str, str]:
    """A diagnostic as a mark would have it."""
    source, kind = diagnostic.span.source, diagnostic.severity.value
    if source.name not in case.files:
        return ("args", 0, kind, diagnostic.code)
    last = len(source.text.splitlines())  # what is missing at the end belongs to the last line
    return (source.name, min(diagnostic.span.line, last), kind, diagnostic.code)


def parameter(case: Case) -> object:
    late = [pytest.mark.xfail(reason=case.not_yet, strict=True)] if case.not_yet else []
    return pytest.param(case, id=name(case), marks=late)


@pytest.mark.parametrize("case", [parameter(case) for case in CASES])
def test_page(
    case: Case,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
) -> None:
    check_case(case, tmp_path, monkeypatch, request, capsys)


def check_case(
    case: Case,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Compiles a case and compares all that its page says of it."""
    monkeypatch.chdir(tmp_path)
    result = result_of(case, tmp_path)
    report = text.render(result.found)
    expected = marked(case, tmp_path)
    actual = {found(d, case) for d in result.found}
    if any(fence.kind == "diagnostics" for fence in case.results):
        # JSON has no comments, so no marks: the report shows what is wrong there
        actual = {m for m in actual if not m[0].endswith(".json")}
    problems = [f"marked, but not found: {_shown(m)}" for m in sorted(expected - actual)]
    problems += [f"found, but not marked: {_shown(m)}" for m in sorted(actual - expected)]
    assert not problems, "\n".join([case.place, *problems, "", report])
    for fence in case.results:
        if fence.kind == "diagnostics":
            _check_snapshot(case, fence, report, request)
        elif fence.kind == "show":
            _check_snapshot(case, fence, _shown_by_ftc(case, fence, capsys), request)
        else:
            _check_script(case, fence, result)


def _shown_by_ftc(case: Case, fence: Fence, capsys: pytest.CaptureFixture[str]) -> str:
    """What `ftc show` prints of the case; the files lie in the working folder."""
    options = shlex.split(case.args, comments=True)
    code = main([fence.kind, case.entry, *options, *fence.options])
    printed = capsys.readouterr()
    assert code == 0, f"{case.place}: ftc {fence.kind} exits with {code}\n{printed.err}"
    return printed.out


def _shown(mark: tuple[str, int, str, str]) -> str:
    file, line, kind, code = mark
    return f"{file}:{line} {kind}: {code}" if line else f"{file} {kind}: {code}"


def _check_snapshot(case: Case, fence: Fence, now: str, request: pytest.FixtureRequest) -> None:
    if fence.text == now:
        return
    if request.config.getoption("--update"):
        updated(case.page, fence, now)
        return
    raise AssertionError(f"{case.place}: the `{fence.kind}` block differs (--update)\n\n{now}")


def _check_script(case: Case, fence: Fence, result: Result) -> None:
    assert len(result.outputs) == 1, f"{case.place}: {len(result.outputs)} scripts, not one"
    script = result.outputs[0].files["train.py"]
    lacking = in_order(fence.text, script)
    assert not lacking, f"{case.place}: the script lacks, in this order: {lacking}\n\n{script}"


def test_specs_are_laid_out_as_ftc_fmt_does() -> None:
    """All but the one that shows that the layout means nothing."""
    other = set()
    for case in CASES:
        for file, content in case.files.items():
            laid_out, _ = formatted(SourceFile(file, content)) if file.endswith(".ft") else ("", [])
            if laid_out not in (None, "", content):
                other.add((case.page.name, case.heading))
    assert other == {("02-text.md", "A new line ends an entry")}
