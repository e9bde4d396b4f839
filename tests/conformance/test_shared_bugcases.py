"""Failures reported in the field: each case is right here, or refused with the row's number."""

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ftruntime.aligners import alpaca, messages, sharegpt
from ftruntime.loaders import read_files
from ftruntime.stops import RunStopped
from ftruntime.templates import set_up_tokenizer
from ftruntime.tokenize import tokenize

Find = Callable[[str], Path]
INPUTS = "bugcases/inputs/"


def case_of(shared_path: Find, name: str) -> tuple[Path, dict[str, Any]]:
    folder = shared_path(INPUTS + name)
    return folder, json.loads((folder / "expected.json").read_text("utf-8"))


def tokenizer_of(shared_path: Find, folder: Path, case: dict[str, Any], tmp_path: Path) -> Any:
    """The cases' own toy tokenizer with the case's template and special tokens."""
    path = shared_path(INPUTS + "_common/toy_tokenizer.py")
    spec = importlib.util.spec_from_file_location("case_tokenizer", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    template = (folder / case["template"]).read_text("utf-8")
    given = case["intent"].get("tokenizer", {})
    made = module.save_hf(
        tmp_path, template, eos=given.get("eos", "<|im_end|>"), bos=given.get("bos")
    )
    return set_up_tokenizer(made)


@pytest.mark.parametrize("name", ["A01", "A03", "A05", "A06", "A15", "A19", "A22", "B12"])
def test_masks(shared_path: Find, name: str, tmp_path: Path) -> None:
    folder, case = case_of(shared_path, name)
    tokenizer = tokenizer_of(shared_path, folder, case, tmp_path)
    conversations = messages(read_files(folder / "rows.jsonl"))
    for sample in case["expect"]["samples"]:
        (row,) = tokenize([conversations[sample["row"]]], tokenizer, max_length=None)
        wanted, mask = sample["toy"]["input_ids"], sample["toy"]["mask"]
        if "kept_tokens" in sample:  # the case is about cutting, which a run refuses to do
            row = {key: value[: len(wanted)] for key, value in row.items()}
        assert row["input_ids"] == wanted
        for place, (label, state) in enumerate(zip(row["labels"], mask, strict=True)):
            if state is not None:
                assert (label != -100) == bool(state), place


@pytest.mark.parametrize(("name", "limit", "bad"), [("A05", 40, 1), ("A06", 30, 0)])
def test_rows_over_the_limit_stop_the_run(
    shared_path: Find, name: str, limit: int, bad: int, tmp_path: Path
) -> None:
    folder, case = case_of(shared_path, name)
    tokenizer = tokenizer_of(shared_path, folder, case, tmp_path)
    with pytest.raises(RunStopped) as stopped:
        tokenize(messages(read_files(folder / "rows.jsonl")), tokenizer, max_length=limit)
    (problem,) = stopped.value.problems
    assert (problem.code, problem.row) == ("FT705", bad)
    assert str(limit) in problem.message


def test_user_text_with_role_markers(shared_path: Find, tmp_path: Path) -> None:
    folder, case = case_of(shared_path, "A18")
    tokenizer = tokenizer_of(shared_path, folder, case, tmp_path)
    with pytest.raises(RunStopped) as stopped:
        tokenize(messages(read_files(folder / "rows.jsonl")), tokenizer, max_length=None)
    (problem,) = stopped.value.problems
    assert (problem.code, problem.row) == ("FT708", 0)
    assert "<|im_start|>" in problem.message


@pytest.mark.parametrize("name", ["A12", "A13"])
def test_switched_off_turns_are_refused_not_ignored(shared_path: Find, name: str) -> None:
    folder, _ = case_of(shared_path, name)
    with pytest.raises(RunStopped, match=r"row 0: message \d says loss = false"):
        messages(read_files(folder / "rows.jsonl"))


@pytest.mark.parametrize("name", ["B03", "B09", "B11", "C21"])
def test_rendered_texts(shared_path: Find, name: str, tmp_path: Path) -> None:
    folder, case = case_of(shared_path, name)
    case["template"] = case["template"] or "../_common/templates/tools.jinja"
    tokenizer = tokenizer_of(shared_path, folder, case, tmp_path)
    expect, rows = case["expect"], read_files(folder / "rows.jsonl")
    texts = {}
    for row in rows:
        if row.index in expect.get("bad_rows", []):
            with pytest.raises(RunStopped) as stopped:
                messages([row])
            assert all(str(word) in str(stopped.value.code) for word in expect["message_must_name"])
            continue
        found = tokenize(messages([row]), tokenizer, max_length=None)[0]["input_ids"]
        texts[row.index] = tokenizer.decode(found, clean_up_tokenization_spaces=False)
        assert not any(word in texts[row.index] for word in case["never"])
    for key, text in expect.items():
        if key.startswith("rendered_row"):
            assert texts[int(key.removeprefix("rendered_row"))] == text
        elif key == "rendered":
            assert texts[0] == text
    if "rendered_equal" in expect:
        assert len({texts[row] for row in expect["rendered_equal"]}) == 1


@pytest.mark.parametrize("name", ["C04", "C05", "C07", "C08", "C09", "C25"])
def test_rows_that_are_refused(shared_path: Find, name: str) -> None:
    folder, case = case_of(shared_path, name)
    rows = read_files(folder / "rows.jsonl")
    tags = {"human": "user", "gpt": "assistant"}
    aligned: dict[str, Callable[[], Any]] = {
        "openai": lambda: messages(rows),
        "sharegpt": lambda: sharegpt(rows, roles=tags),
        "alpaca": lambda: alpaca(rows, instruction="text"),
    }
    with pytest.raises(RunStopped) as stopped:
        aligned[case["intent"]["format"]]()
    said = str(stopped.value.code)
    for word in case["expect"].get("message_must_name", []):
        assert word in said
    found = {problem.row for problem in stopped.value.problems}
    if name != "C25":  # one problem for the whole file: it has no answers at all
        assert found == set(case["expect"].get("bad_rows", [0]))
    if "should_suggest" in case["expect"]:
        assert case["expect"]["should_suggest"] in said


def test_same_speaker_twice_stays_two_turns(shared_path: Find) -> None:
    folder, case = case_of(shared_path, "C06")
    found = sharegpt(read_files(folder / "rows.jsonl"))
    assert [conversation.messages for conversation in found] == case["expect"]["canonical"]


def test_suffix_and_content_disagree(shared_path: Find) -> None:
    folder, case = case_of(shared_path, "C23")
    for name, count in case["expect"]["files"].items():
        found = messages(read_files(folder / name))
        assert [c.messages for c in found] == [case["expect"]["canonical_row"]] * count
    with pytest.raises(RunStopped, match=r"rows\.txt"):
        read_files(folder / "rows.txt")
