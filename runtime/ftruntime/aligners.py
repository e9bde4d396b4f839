"""Rows in the formats people use → conversations in one message schema.

Texts are never stripped or changed. All bad rows are collected before the run stops.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

from ftruntime.conversations import (
    MEDIA,
    ROLES,
    BadRow,
    Conversation,
    checked,
    kind_of,
    messages_of,
    refuse_media,
    text_of,
    tools_of,
    turns_of,
)
from ftruntime.loaders import Row
from ftruntime.stops import Problem, RunStopped, stop_on_rows


def alpaca(
    rows: list[Row],
    *,
    instruction: str = "instruction",
    input: str | None = "input",
    output: str = "output",
    system: str | None = None,
    history: str | None = None,
) -> list[Conversation]:
    """Rows of an instruction, an optional input and an answer; `history` holds earlier pairs.

    The user's text is the instruction, and below it the input when there is one.
    Raises RunStopped with every row that cannot be used.
    """
    _require_columns(rows, "alpaca", [instruction, output, system, history])
    _refuse_unused(rows, "system", system, 'write alpaca(system = "system")')
    _refuse_unused(rows, "history", history, 'write alpaca(history = "history")')

    def conversation(row: Row) -> Conversation:
        data = _mapping(row.data)
        refuse_media(data)
        messages = _system_message(data, system)
        for question, answer in _history_pairs(data, history):
            messages.append({"role": "user", "content": question})
            messages.append({"role": "assistant", "content": answer})
        asked = [text_of(_column(data, instruction), instruction, empty=True)]
        if input is not None and data.get(input) not in (None, ""):
            asked.append(text_of(data[input], input, empty=True))
        prompt = "\n".join(text for text in asked if text)
        if not prompt.strip():
            raise BadRow(f"`{instruction}` is empty")
        answer = text_of(_column(data, output), output)
        messages.append({"role": "user", "content": prompt})
        messages.append({"role": "assistant", "content": answer})
        return Conversation(messages, None, row.file, row.index)

    return _collected(rows, conversation)


def sharegpt(
    rows: list[Row],
    *,
    messages: str = "conversations",
    role: str = "from",
    content: str = "value",
    roles: dict[str, str] | None = None,
    system: str | None = None,
    tools: str = "tools",
) -> list[Conversation]:
    """Rows with a list of turns such as {"from": "human", "value": "…"}.

    `roles` maps the data's names to system, user, assistant, tool or function_call; the usual
    names still hold for those that it does not mention. Raises RunStopped with every bad row.
    """
    _require_columns(rows, "sharegpt", [messages, system])
    _refuse_unused(rows, "system", system, 'write sharegpt(system = "system")')
    known = ROLES
    if roles is not None:
        mentioned = set(roles.values())
        known = {name: to for name, to in ROLES.items() if to not in mentioned} | roles

    def conversation(row: Row) -> Conversation:
        data = _mapping(row.data)
        refuse_media(data)
        turns = turns_of(_column(data, messages), messages)
        found = _system_message(data, system)
        found += messages_of(turns, role, content, known)
        return checked(found, tools_of(data.get(tools)), row)

    return _collected(rows, conversation)


def messages(
    rows: list[Row], *, column: str = "messages", tools: str = "tools"
) -> list[Conversation]:
    """Rows with a list of {"role": …, "content": …} messages, or rows that are such a list.

    Raises RunStopped with every row that cannot be used.
    """
    _require_columns(rows, "messages", [column])
    _refuse_unused(rows, "system", None, "make it the first message")

    def conversation(row: Row) -> Conversation:
        data = {column: row.data} if isinstance(row.data, list) else _mapping(row.data)
        refuse_media(data)
        turns = turns_of(_column(data, column), column)
        found = messages_of(turns, "role", "content", ROLES)
        return checked(found, tools_of(data.get(tools)), row)

    return _collected(rows, conversation)


def prompt_completion(
    rows: list[Row], *, prompt: str = "prompt", completion: str = "completion"
) -> list[Conversation]:
    """Rows with a prompt and a completion, each a text or a list of messages.

    Only the completion is trained, also when the prompt holds earlier assistant turns.
    Raises RunStopped with every row that cannot be used.
    """
    _require_columns(rows, "prompt_completion", [prompt, completion])
    _refuse_unused(rows, "system", None, "make it the first message of the prompt")

    def conversation(row: Row) -> Conversation:
        data = _mapping(row.data)
        refuse_media(data)
        sides = []
        for column, role in ((prompt, "user"), (completion, "assistant")):
            value = _column(data, column)
            if isinstance(value, str):
                sides.append([{"role": role, "content": text_of(value, column)}])
            else:
                sides.append(messages_of(turns_of(value, column), "role", "content", ROLES))
        if not any(message["role"] == "assistant" for message in sides[1]):
            raise BadRow(f"`{completion}` has no assistant message")
        tools = tools_of(data.get("tools"))
        return checked(sides[0] + sides[1], tools, row, context=len(sides[0]))

    return _collected(rows, conversation)


def standard(rows: list[Row]) -> list[Conversation]:
    """Takes the format that the columns of the rows name, says which, and refuses any doubt.

    Raises RunStopped when no format, more than one format, or columns of another method fit.
    """
    shapes: dict[str, Row] = {}
    columns: set[str] = set()
    for row in rows:
        shapes.setdefault(_format_of(row.data), row)
        columns |= set(row.data) if isinstance(row.data, dict) else set()
    if len(shapes) != 1 or "" in shapes:
        found = [f"`{name}` at {r.file}, row {r.index}" for name, r in shapes.items() if name]
        odd = shapes.get("")
        seen = ", ".join(sorted(columns)) or "no columns"
        if odd is not None and not found:
            reason = f"the format of the rows is not clear from their columns ({seen})"
            reason += "; it looks like plain text for pretraining" if columns == {"text"} else ""
        else:
            found += [f"no known format at {odd.file}, row {odd.index}"] if odd else []
            reason = f"the rows are of several formats: {'; '.join(found)}"
        raise RunStopped([Problem("FT701", f"{reason}. Name one with `format = …`")])
    (name,) = shapes
    other = sorted(columns & {"chosen", "rejected", "label", "chosen_messages", *MEDIA})
    if other:
        reason = f"the columns {', '.join(other)} belong to another method than sft"
        message = f"{reason}. Name the format with `format = …` to train on `{name}` alone"
        raise RunStopped([Problem("FT701", message, rows[0].file)])
    if os.environ.get("RANK", "0") == "0":
        print(f"format: {name} (from the columns of {rows[0].file})", file=sys.stderr)
    if name == "alpaca":
        given = {key: key for key in ("system", "history") if key in columns}
        return alpaca(rows, **given)
    if name == "sharegpt":
        system = "system" if "system" in columns else None
        if _has_openai_keys(rows[0].data["conversations"]):
            return sharegpt(rows, role="role", content="content", system=system)
        return sharegpt(rows, system=system)
    if name == "prompt_completion":
        return prompt_completion(rows)
    return messages(rows)


def _has_openai_keys(turns: Any) -> bool:
    """Some files keep OpenAI's messages in ShareGPT's column."""
    first = turns[0] if isinstance(turns, list) and turns else None
    return isinstance(first, dict) and {"role", "content"} <= set(first)


def _format_of(data: Any) -> str:
    if isinstance(data, list):
        return "messages"
    if not isinstance(data, dict):
        return ""
    found = []
    if "messages" in data:
        found.append("messages")
    if "conversations" in data:
        found.append("sharegpt")
    if {"instruction", "output"} <= set(data):
        found.append("alpaca")
    if {"prompt", "completion"} <= set(data):
        found.append("prompt_completion")
    return found[0] if len(found) == 1 else ""


def _collected(rows: list[Row], conversation: Callable[[Row], Conversation]) -> list[Conversation]:
    found: list[Conversation] = []
    problems: list[Problem] = []
    for row in rows:
        try:
            found.append(conversation(row))
        except BadRow as reason:
            problems.append(Problem("FT701", str(reason), row.file, row.index))
    stop_on_rows(problems, [(row.file, row.index) for row in rows])
    return found


def _require_columns(rows: list[Row], name: str, columns: list[str | None]) -> None:
    """One problem when no row at all has a column: the columns are named wrongly."""
    maps = [row for row in rows if isinstance(row.data, dict)]
    if not maps:
        return
    present = {key for row in maps for key in row.data}
    missing = [column for column in columns if column is not None and column not in present]
    if not missing:
        return
    reason = (
        f"no row has the column {', '.join(f'`{c}`' for c in missing)} of format {name}; "
        f"the columns are {', '.join(f'`{key}`' for key in sorted(map(str, present)))}"
    )
    likely = _format_of(maps[0].data)
    if likely and likely != name:
        reason += f". They look like format {likely}"
    elif present == {"text"}:
        reason += ". It looks like plain text for pretraining"
    raise RunStopped([Problem("FT701", reason, maps[0].file, maps[0].index)])


def _refuse_unused(rows: list[Row], column: str, given: str | None, instead: str) -> None:
    """A system or history column that the format leaves out would vanish without a word."""
    for row in rows:
        if given is None and isinstance(row.data, dict) and row.data.get(column):
            reason = f"the column `{column}` holds text that would not be used: {instead}"
            message = f"{reason}, or remove the column"
            raise RunStopped([Problem("FT701", message, row.file, row.index)])


def _mapping(data: Any) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise BadRow(f"the row is {kind_of(data)}, not an object with columns")
    return data


def _column(data: dict[str, Any], column: str) -> Any:
    if column not in data:
        raise BadRow(f"has no `{column}`; it has {', '.join(sorted(map(str, data))) or 'nothing'}")
    if data[column] is None:
        raise BadRow(f"`{column}` is null")
    return data[column]


def _system_message(data: dict[str, Any], column: str | None) -> list[dict[str, Any]]:
    if column is None or data.get(column) in (None, ""):
        return []
    return [{"role": "system", "content": text_of(data[column], column)}]


def _history_pairs(data: dict[str, Any], column: str | None) -> list[tuple[str, str]]:
    value = data.get(column) if column is not None else None
    if value is None or value == "":
        return []
    if not isinstance(value, list):
        raise BadRow(f"`{column}` is {kind_of(value)}, not a list of [question, answer] pairs")
    pairs = []
    for number, pair in enumerate(value):
        if not isinstance(pair, list) or len(pair) != 2:
            raise BadRow(f"`{column}`, entry {number}, is not a [question, answer] pair")
        what = f"{column}[{number}]"
        pairs.append((text_of(pair[0], what), text_of(pair[1], what)))
    return pairs
