"""The JSON Schema describes what `ftc show --format json` prints: all of it, and nothing else."""

from __future__ import annotations

import copy
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from ftlang.cli.arguments import parser
from ftlang.cli.specs import asked
from ftlang.compile import Options
from ftlang.manual import json_schema
from ftlang.schema import catalogue
from ftlang.show import objects
from tests.rules.stock import completed
from tests.show.test_round_trip import FILES, ROOT, SETS, specs_of
from tests.spec.page import Case
from tests.spec.test_pages import CASES, name

jsonschema = pytest.importorskip("jsonschema")
SCHEMA = json_schema.schema()
CHECK = jsonschema.Draft202012Validator(SCHEMA)


def shown(path: Path, options: Options = Options()) -> list[Any]:
    """The objects of a spec's runs, with and without origins."""
    specs, document = specs_of(path, options)
    return [
        json.loads(objects.shown(spec, document, origins))  # type: ignore[arg-type]
        for spec in specs
        for origins in (False, True)
    ]


def assert_valid(content: Any) -> None:
    problems = [f"{list(e.absolute_path)}: {e.message}" for e in CHECK.iter_errors(content)]
    assert not problems, "\n".join(problems)


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_its_text_is_json() -> None:
    assert json.loads(json_schema.text()) == SCHEMA


def test_defaults_are_valid() -> None:
    """Each default fits the type beside it."""
    seen = 0
    todo: list[Any] = [SCHEMA]
    while todo:
        one = todo.pop()
        if isinstance(one, dict):
            todo += one.values()
            if "default" in one and "description" in one and isinstance(one["description"], str):
                of = {**one, "$defs": SCHEMA["$defs"]}
                jsonschema.validate(one["default"], of, jsonschema.Draft202012Validator)
                seen += 1
        elif isinstance(one, list):
            todo += one
    assert seen > 50


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files(path: Path) -> None:
    for content in shown(path):
        assert_valid(content)


@pytest.mark.parametrize(("file", "words"), SETS)
def test_with_options(file: str, words: str) -> None:
    path = ROOT / "tests/spec/jobs" / file
    arguments = parser().parse_args(["show", str(path), *shlex.split(words)])
    contents = shown(path, Options(arguments.run, None, asked(arguments)))
    assert contents
    for content in contents:
        assert_valid(content)


@pytest.mark.parametrize("case", CASES, ids=name)
def test_pages(case: Case, tmp_path: Path) -> None:
    for file, content in case.files.items():
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(completed(content) if file == case.entry else content, encoding="utf-8")
    for one in shown(tmp_path / case.entry):
        assert_valid(one)


GOOD = shown(ROOT / "tests/spec/jobs/sft_qlora.ft")[1]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("tune.r", "16"),
        ("tune.r", 0),
        ("tune.lora_dropout", "5%"),
        ("tune.kind", "full"),  # which has no `r`
        ("tune.kind", "ia3"),  # planned
        ("tune.rr", 16),
        ("optimizer.kind", "adamw"),
        ("training.batch", 64),
        ("training.batch", "64 epochs"),
        ("training.duration", "3 epocs"),
        ("training.seed", -1),
        ("data.too_long", "cut"),
        ("data.train", {"files": "rows.jsonl"}),
        ("data.train", {"hf": {"repo": "a/b"}}),
        ("model.base", {"hf": {}}),
        ("model.base", "owner/name"),
        ("model.quantize.kind", "int8"),
        ("hardware.gpu_memory", "24GB"),
        ("report.to", "wandb"),
        ("version", 2),
        ("run", None),
        ("shard", {"kind": "fsdp2"}),
        ("origins.tune.r", {"file": "a.ft"}),
    ],
)
def test_what_is_wrong_is_refused(path: str, value: object) -> None:
    content = copy.deepcopy(GOOD)
    assert_valid(content)
    if path.startswith("origins."):
        content["origins"][path.removeprefix("origins.")] = value
    else:
        *around, last = path.split(".")
        at = content
        for part in around:
            at = at[part]
        at[last] = value
    assert list(CHECK.iter_errors(content))


@pytest.mark.parametrize("field", ["version", "run", "model", "tune", "data", "method"])
def test_what_is_missing_is_seen(field: str) -> None:
    content = copy.deepcopy(GOOD)
    del content[field]
    assert list(CHECK.iter_errors(content))


def test_every_emitted_block_kind_and_field_is_in_it() -> None:
    for place in catalogue.places():
        if place.planned or not place.path:
            continue
        of = SCHEMA["$defs"][place.path]
        shapes = of.get("anyOf", [of])
        for kind in place.kinds:
            if kind.planned:
                continue
            has = [
                s for s in shapes if not kind.name or kind.name in s["properties"]["kind"]["enum"]
            ]
            assert len(has) == 1, f"{place.path} {kind.name}"
            for field in catalogue.fields(place.path, kind.name):
                assert (field.name in has[0]["properties"]) is not field.planned, field.name
