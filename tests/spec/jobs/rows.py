"""Rows that no format describes: a source, a converter, a filter and a map."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]
SPEAKERS = {"in": "user", "out": "assistant"}


def phone_calls(folder: str) -> Iterator[Row]:
    """One row a call: its identifier and its turns, in the order of the files' names."""
    for file in sorted(Path(folder).glob("*.json")):
        call = json.loads(file.read_text(encoding="utf-8"))
        yield {"id": file.stem, "turns": call["turns"]}


def as_conversation(row: Row) -> Row:
    """A call as messages; turns of one speaker in a row become one message."""
    messages: list[dict[str, str]] = []
    for turn in row["turns"]:
        role = SPEAKERS[turn["direction"]]
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += " " + turn["text"]
        else:
            messages.append({"role": role, "content": turn["text"]})
    return {"messages": messages}


def is_answered(row: Row, shortest: int = 1) -> bool:
    """Whether somebody on our side spoke at least `shortest` words."""
    ours = [turn["text"] for turn in row["turns"] if turn["direction"] == "out"]
    return sum(len(words.split()) for words in ours) >= shortest


def with_question(row: Row) -> Row:
    """A photograph and its plate as a question and an answer."""
    question = {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "Plate?"}]}
    answer = {"role": "assistant", "content": [{"type": "text", "text": row["plate"]}]}
    return {"messages": [question, answer], "images": [row["photo"]]}
