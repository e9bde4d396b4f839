"""Real files × real tokenizers: what is trained decodes to exactly the assistant's turns.

What a turn must say is read here from the raw file and written out by hand per template, not with
the runtime's aligners or masks.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ftruntime.aligners import alpaca, messages, sharegpt, standard
from ftruntime.checks import check_datasets
from ftruntime.loaders import read_files
from ftruntime.stops import RunStopped
from ftruntime.templates import set_up_tokenizer
from ftruntime.tokenize import tokenize
from transformers import AutoTokenizer

from tests.conformance import toy

Find = Callable[[str], Path]
LLAMAFACTORY = "datasets/llamafactory_demo/"
OUMI = "datasets/oumi_examples/data/dataset_examples/"
XTUNER = "datasets/xtuner_fixtures/"
FILES: dict[str, Callable[..., Any]] = {
    LLAMAFACTORY + "alpaca_en_demo.json": alpaca,
    LLAMAFACTORY + "alpaca_zh_demo.json": alpaca,
    LLAMAFACTORY + "identity.json": alpaca,
    LLAMAFACTORY + "glaive_toolcall_en_demo.json": sharegpt,
    LLAMAFACTORY + "glaive_toolcall_zh_demo.json": sharegpt,
    LLAMAFACTORY + "reason_tool_use_demo_50.jsonl": messages,
    LLAMAFACTORY + "v1_sft_demo.jsonl": messages,
    "datasets/fastchat_sharegpt/dummy_conversation.json": sharegpt,
    OUMI + "alpaca_format.json": alpaca,
    OUMI + "alpaca_format.jsonl": alpaca,
    OUMI + "oumi_format.json": messages,
    OUMI + "oumi_format.jsonl": messages,
    XTUNER + "openai_sft.jsonl": messages,
    XTUNER + "mllm_sft_text_example_data.jsonl": messages,
    XTUNER + "qwen35_tokenize_data.jsonl": messages,
}
ENDS = {
    "smollm2": "<|im_end|>",
    "qwen3": "<|im_end|>",
    "mistral-v3": "</s>",
    "mistral-tekken-240911": "</s>",
    "ggml-phi-3": "<|end|>",
}
# Files of which each row is usable under any template that can train: plain text, no system turn.
PLAIN = (
    LLAMAFACTORY + "alpaca_en_demo.json",
    LLAMAFACTORY + "alpaca_zh_demo.json",
    LLAMAFACTORY + "identity.json",
    LLAMAFACTORY + "v1_sft_demo.jsonl",
    "datasets/fastchat_sharegpt/dummy_conversation.json",
    OUMI + "alpaca_format.json",
    OUMI + "alpaca_format.jsonl",
    XTUNER + "openai_sft.jsonl",
    XTUNER + "mllm_sft_text_example_data.jsonl",
)
CALL_ID = re.compile(r', "id": "[0-9A-Za-z]{9}"\}')
ROWS_OF_A_FILE = 25


@cache
def tokenizer_at(path: Path) -> Any:
    return set_up_tokenizer(AutoTokenizer.from_pretrained(path))


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("file", FILES)
def test_trained_runs_are_the_assistant_turns(shared_path: Find, file: str, name: str) -> None:
    tokenizer = tokenizer_at(shared_path(f"tokenizers/{name}"))
    rows = read_files(shared_path(file))[:ROWS_OF_A_FILE]
    usable = []
    for row in rows:
        try:
            (conversation,) = FILES[file]([row])
            dataset = tokenize([conversation], tokenizer, max_length=None)
        except RunStopped as stopped:
            assert {p.row for p in stopped.problems} == {row.index}
            continue
        usable.append(row.index)
        check_datasets({"train": dataset}, tokenizer)
        runs = toy.trained_runs(tokenizer, dataset[0]["input_ids"], dataset[0]["labels"])
        meant = [text + ENDS[name] for text in turns_of(row.data, name)]
        assert [plain(run) for run in runs] == [plain(text) for text in meant]
    if file in PLAIN:
        assert usable == [row.index for row in rows], "no row of a plain file may be refused"
    if "glaive" in file and name in {"qwen3", "mistral-v3"}:
        assert len(usable) == len(rows)
    if "reason" in file and name == "qwen3":
        assert [row.index for row in rows if row.index not in usable] == [5, 6]  # stray </think>


@pytest.mark.parametrize("name", ["smollm2", "qwen3", "mistral-v3"])
def test_whole_files_pass_every_check(shared_path: Find, name: str) -> None:
    tokenizer = tokenizer_at(shared_path(f"tokenizers/{name}"))
    for file in (LLAMAFACTORY + "alpaca_zh_demo.json", XTUNER + "openai_sft.jsonl"):
        rows = read_files(shared_path(file))
        dataset = tokenize(standard(rows), tokenizer, max_length=None)
        assert len(dataset) == len(rows)
        check_datasets({"train": dataset}, tokenizer)


@pytest.mark.parametrize("name", ["ggml-gpt-2", "deepseek-v4"])
def test_tokenizers_without_template(shared_path: Find, name: str) -> None:
    path = shared_path(f"tokenizers/{name}")
    with pytest.raises(RunStopped, match=f"{name} has no chat template"):
        set_up_tokenizer(AutoTokenizer.from_pretrained(path))


def test_rows_that_must_be_refused(shared_path: Find) -> None:
    """Switched-off turns and media, by row, and never without a word."""
    rows = read_files(shared_path(XTUNER + "qwen35_tokenize_data.jsonl"))
    with pytest.raises(RunStopped) as stopped:
        messages(rows)
    reasons = {p.row: p.message for p in stopped.value.problems}
    assert sorted(reasons) == [3, 9, 12, 13, 14, 15, 16]
    assert "loss = false" in reasons[3] and "loss = false" in reasons[9]
    assert "type 'image'" in reasons[12] and "type 'video'" in reasons[13]
    images = read_files(shared_path(OUMI + "vision_language_oumi_format.jsonl"))
    with pytest.raises(RunStopped, match="2 of 2 rows cannot be used"):
        messages(images)
    preferences = read_files(shared_path(LLAMAFACTORY + "kto_en_demo.json"))
    with pytest.raises(RunStopped, match="the columns label belong to another method"):
        standard(preferences)


def plain(text: str) -> str:
    """Up to what templates and tokenizers may change: outer whitespace, NFC, made-up call ids."""
    text = unicodedata.normalize("NFC", text)
    text = re.sub(r"\s+(?=<\|im_end\|>$|</s>$|<\|end\|>$)", "", text.strip())
    return CALL_ID.sub("}", text)


def turns_of(data: Any, name: str) -> Iterator[str]:
    """What each assistant turn of a raw row must say under a template, without its end token."""
    if isinstance(data, dict) and "output" in data:
        yield data["output"]
        return
    turns = data if isinstance(data, list) else data.get("conversations") or data["messages"]
    roles = [turn.get("role", turn.get("from")) for turn in turns]
    users = [n for n, role in enumerate(roles) if role in {"user", "human"}]
    for number, (role, turn) in enumerate(zip(roles, turns, strict=True)):
        if role not in {"assistant", "gpt", "function_call"}:
            continue
        text, thought, calls = said_in(turn, role)
        if calls:
            text += ("\n" if text and name == "qwen3" else "") + written(calls, name)
        if name == "qwen3" and number > users[-1] and thought:
            text = f"<think>\n{thought.strip(chr(10))}\n</think>\n\n" + text.lstrip("\n")
        yield text


def said_in(turn: dict[str, Any], role: str) -> tuple[str, str, list[dict[str, Any]]]:
    value = turn.get("content", turn.get("value"))
    if role == "function_call":
        return "", "", [json.loads(value)]
    calls = [call["function"] for call in turn.get("tool_calls", [])]
    thought = turn.get("reasoning_content", "")
    if isinstance(value, list):
        parts = [(part["type"], part["value"]) for part in value]
        value = "".join(text for kind, text in parts if kind == "text")
        thought += "".join(text for kind, text in parts if kind == "reasoning")
        calls += [json.loads(text) for kind, text in parts if kind == "tool_call"]
    return value, thought, calls


def written(calls: list[dict[str, Any]], name: str) -> str:
    made = [
        f'{{"name": "{c["name"]}", "arguments": {json.dumps(c["arguments"], ensure_ascii=False)}}}'
        for c in calls
    ]
    if name == "qwen3":
        return "\n".join(f"<tool_call>\n{call}\n</tool_call>" for call in made)
    return ("[TOOL_CALLS] [" if name == "mistral-v3" else "[TOOL_CALLS][") + ", ".join(made) + "]"
