"""`ftc explain` has a page for every name of the language, made from the schema itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ftlang.diagnostics import has_errors
from ftlang.manual import constructors, pages, topics, values, words
from ftlang.schema import catalogue
from ftlang.schema.catalogue import Field, KindOf, Place
from ftlang.schema.constructors import BASES, FORMATS, LATER, SOURCES
from ftlang.schema.foreign_names import OWNERS
from ftlang.schema.python import Python
from ftlang.schema.shapes import FileText, Modules
from ftlang.schema.types import Reading
from ftlang.source import SourceFile
from ftlang.syntax import ast, parse

EMITTED = [
    (place, kind) for place in catalogue.places() for kind in place.kinds if not kind.planned
]


def fields() -> list[tuple[Place, KindOf, Field]]:
    return [(p, k, f) for p, k in EMITTED for f in catalogue.fields(p.path, k.name)]


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["301"], ["FT301 · batch-not-divisible"]),
        (["tune"], ["Which weights are trained.", "Planned kinds"]),
        (["tune", "lora"], ["tune lora", "  r = 16", "Library arguments"]),
        (["lora"], ["tune lora"]),
        (["training.batch"], ["takes      an amount in `seqs`", "rules      FT301"]),
        (["training", "batch"], ["training.batch"]),
        (["tune.lora.r"], ["tune.r", "sets       LoraConfig.r"]),
        (["batch"], ["training.batch", "evaluate.batch"]),
        (["every"], ["save.every", "evaluate.every", "report.every"]),
        (["quantize", "nf4"], ["quantize nf4"]),
        (["hf"], ["hf(…)", "  revision"]),
        (["split(…)"], ["split(…)"]),
        (["epochs"], ["    3 epochs"]),
        (["extends"], ["    run b extends a { … }"]),
        (["cutoff_len"], ["LLaMA-Factory's name; here it is `data.max_length`", "data.max_length"]),
        (["num_train_epochs"], ["derived from `training.duration`"]),
        (["all-linear"], ["`all-linear` is a value of", "  tune.target_modules"]),
        (["bf16_pure"], ["  training.precision"]),
        (["dft"], ["  method.loss_type"]),
        (["wandb"], ["  report.to"]),
        (["dpo"], ["method dpo", "(planned: checked, not emitted yet)"]),
    ],
    ids=" ".join,
)
def test_pages(ftc: Any, words: list[str], lines: list[str]) -> None:
    answer = ftc("explain", *words)
    assert (answer.code, answer.err) == (0, "")
    for line in lines:
        assert line in answer.out


def test_what_is_not_there(ftc: Any) -> None:
    answer = ftc("explain", "seeed")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "ftc: the language has no `seeed`; did you mean `seed`?\n"
    assert ftc("explain", "tune", "lora", "nothing").code == 2


@pytest.mark.parametrize("what", ["blocks", "fields", "constructors", "units"])
def test_lists(ftc: Any, what: str) -> None:
    answer = ftc("explain", "--list", what)
    assert answer.code == 0
    assert len(answer.out.splitlines()) > 10
    for line in answer.out.splitlines():
        assert topics.page([line.split()[0].rstrip(",")]), line


def test_every_emitted_field_has_a_page_with_its_doc() -> None:
    for place, kind, field in fields():
        path = f"{place.path}.{field.name}" if place.path else field.name
        page = topics.page([path])
        assert page is not None, path
        assert path in page
        assert field.doc, f"{path} of {kind.name} has no line"


def test_every_kind_has_a_page() -> None:
    for place in catalogue.places():
        for kind in place.kinds:
            assert pages.block(place, kind.name or None)


def test_every_name_of_another_tool_has_an_answer() -> None:
    for _, names in OWNERS:
        for name in names:
            assert topics.page([name]), name


@pytest.mark.parametrize(
    ("path", "field"),
    {f"{p.path}.{f.name}": f for p, _, f in fields()}.items(),
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_the_example_of_a_field_is_right(path: str, field: Field) -> None:
    text = f"run a {{\n  {field.name} = {values.example(field)}\n}}\n"
    file, found = parse(SourceFile("x.ft", text))
    assert not has_errors(found), text
    block = file.items[0]
    assert isinstance(block, ast.Block) and block.body and isinstance(block.body[0], ast.Attr)
    reading = Reading([], field.name, "a")
    field.type.read(block.body[0].value, reading)
    wrong = [d for d in reading.found if d.code != "FT501" or not field.planned]
    assert not wrong, f"{text}{wrong}"


def test_constructors_are_complete() -> None:
    known = {one.name for one in constructors.pages()}
    read = {*BASES, *SOURCES, *FORMATS, *LATER, "split", "env", "secret", "py", "regex", "file"}
    assert known == read
    emitted = {type(f.type) for _, _, f in fields() if not f.planned}
    assert constructors.page("py").planned is (Python not in emitted)  # type: ignore[union-attr]
    assert constructors.page("file").planned is (FileText not in emitted)  # type: ignore[union-attr]
    assert constructors.page("regex").planned is (Modules not in emitted)  # type: ignore[union-attr]


def test_the_forms_of_constructors_parse() -> None:
    for one in constructors.pages():
        form = one.form.replace("…", "x")
        _, found = parse(SourceFile("x.ft", f"run a {{ x = {form} }}\n"))
        assert not has_errors(found), form


def test_declarations_are_those_of_the_language() -> None:
    from ftlang.names.files import DECLARATIONS
    from ftlang.schema.units import BINARY, SI, UNITS

    named = {name for word in words.DECLARATIONS for name in word.names}
    assert set(DECLARATIONS) <= named
    units = {name for word in words.UNITS for name in word.names}
    assert set(UNITS) <= units
    assert {"k", "M", "B"} <= set(SI) and {"Ki", "Mi", "Gi"} <= set(BINARY)


def test_nothing_of_it_is_imported_by_check(tmp_path: Path) -> None:
    import subprocess
    import sys

    spec = tmp_path / "a.ft"
    spec.write_text("run a { }\n")
    code = (
        "import sys; from ftlang.cli import main; main(['check', sys.argv[1]]);"
        "print([m for m in sys.modules if m.startswith(('ftlang.manual', 'ftlang.show'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(spec)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == "[]"
