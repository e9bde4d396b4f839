"""Rows in the formats people use → conversations in one message schema.

A message is {"role": system|user|assistant|tool, "content": str} and, where the row has them,
reasoning_content, tool_calls (arguments as an object), tool_call_id and name. Texts are never
stripped or changed. All bad rows are collected before the run stops.

Every assistant turn after `context` messages is trained and nothing else is, so a row whose own
flags say otherwise is refused rather than trained against its wish.
"""

import hashlib
import json
import os
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ftruntime.loaders import Row
from ftruntime.stops import Problem, RunStopped, stop_on_rows

ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "gpt": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "tool": "tool",
    "observation": "tool",
    "function_response": "tool",
    "function": "tool",
    "function_call": "function_call",
}
LOSS_FLAGS = ("loss", "loss_weight", "train", "trainable", "weight")
MEDIA = ("image", "images", "video", "videos", "audio", "audios")
REASONING = ("reasoning_content", "reasoning", "thinking")


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages and tools of one row; the first `context` messages are never trained."""

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]] | None
    file: str
    row: int
    context: int = 0


class _BadRow(ValueError):
    """Why a row cannot be used; caught where rows are collected."""


def alpaca(
    rows: list[Row],
    *,
    instruction: str = "instruction",
    input: str = "input",
    output: str = "output",
    system: str | None = None,
    history: str | None = None,
) -> list[Conversation]:
    """Rows of an instruction, an optional input and an answer; `history` holds earlier pairs.

    The user's text is the instruction, and below it the input when there is one.
    Raises RunStopped with every row that cannot be used.
    """
    _require_columns(rows, "alpaca", [instruction, output, system, history])
    _refuse_unused(rows, "alpaca", {"system": system, "history": history})

    def conversation(row: Row) -> Conversation:
        data = _mapping(row.data)
        _refuse_media(data)
        messages = _system_message(data, system)
        for question, answer in _history_pairs(data, history):
            messages.append({"role": "user", "content": question})
            messages.append({"role": "assistant", "content": answer})
        asked = [_text(_column(data, instruction), instruction, empty=True)]
        if data.get(input) not in (None, ""):
            asked.append(_text(data[input], input, empty=True))
        prompt = "\n".join(text for text in asked if text)
        if not prompt.strip():
            raise _BadRow(f"`{instruction}` is empty")
        answer = _text(_column(data, output), output)
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
    _refuse_unused(rows, "sharegpt", {"system": system})
    known = ROLES
    if roles is not None:
        mentioned = set(roles.values())
        known = {name: to for name, to in ROLES.items() if to not in mentioned} | roles

    def conversation(row: Row) -> Conversation:
        data = _mapping(row.data)
        _refuse_media(data)
        turns = _turns(_column(data, messages), messages)
        found = _system_message(data, system)
        found += _messages_of(turns, role, content, known)
        return _checked(found, _tools_of(data.get(tools)), row)

    return _collected(rows, conversation)


def messages(
    rows: list[Row], *, column: str = "messages", tools: str = "tools"
) -> list[Conversation]:
    """Rows with a list of {"role": …, "content": …} messages, or rows that are such a list.

    Raises RunStopped with every row that cannot be used.
    """
    _require_columns([row for row in rows if isinstance(row.data, dict)], "messages", [column])

    def conversation(row: Row) -> Conversation:
        data = {column: row.data} if isinstance(row.data, list) else _mapping(row.data)
        _refuse_media(data)
        turns = _turns(_column(data, column), column)
        found = _messages_of(turns, "role", "content", ROLES)
        return _checked(found, _tools_of(data.get(tools)), row)

    return _collected(rows, conversation)


def prompt_completion(
    rows: list[Row], *, prompt: str = "prompt", completion: str = "completion"
) -> list[Conversation]:
    """Rows with a prompt and a completion, each a text or a list of messages.

    Only the completion is trained, also when the prompt holds earlier assistant turns.
    Raises RunStopped with every row that cannot be used.
    """
    _require_columns(rows, "prompt_completion", [prompt, completion])

    def conversation(row: Row) -> Conversation:
        data = _mapping(row.data)
        _refuse_media(data)
        sides = []
        for column, role in ((prompt, "user"), (completion, "assistant")):
            value = _column(data, column)
            if isinstance(value, str):
                sides.append([{"role": role, "content": _text(value, column)}])
            else:
                sides.append(_messages_of(_turns(value, column), "role", "content", ROLES))
        if not any(message["role"] == "assistant" for message in sides[1]):
            raise _BadRow(f"`{completion}` has no assistant message")
        tools = _tools_of(data.get("tools"))
        return _checked(sides[0] + sides[1], tools, row, context=len(sides[0]))

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
        return sharegpt(rows, system="system" if "system" in columns else None)
    if name == "prompt_completion":
        return prompt_completion(rows)
    return messages(rows)


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
        except _BadRow as reason:
            problems.append(Problem("FT701", str(reason), row.file, row.index))
    stop_on_rows(problems, len(rows))
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


def _refuse_unused(rows: list[Row], name: str, columns: dict[str, str | None]) -> None:
    """A system or history column that the format leaves out would vanish without a word."""
    for column, given in columns.items():
        if given is not None:
            continue
        for row in rows:
            if isinstance(row.data, dict) and row.data.get(column):
                reason = (
                    f"the column `{column}` holds text that would not be used: "
                    f'write {name}({column} = "{column}") or remove the column'
                )
                raise RunStopped([Problem("FT701", reason, row.file, row.index)])


def _refuse_media(data: dict[str, Any]) -> None:
    for key in MEDIA:
        if data.get(key):
            raise _BadRow(f"`{key}` holds media, and only text is trained")


def _mapping(data: Any) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise _BadRow(f"the row is {_kind(data)}, not an object with columns")
    return data


def _column(data: dict[str, Any], column: str) -> Any:
    if column not in data:
        raise _BadRow(f"has no `{column}`; it has {', '.join(sorted(map(str, data))) or 'nothing'}")
    if data[column] is None:
        raise _BadRow(f"`{column}` is null")
    return data[column]


def _text(value: Any, what: str, empty: bool = False) -> str:
    if not isinstance(value, str):
        raise _BadRow(f"`{what}` is {_kind(value)}, not a text")
    if not empty and not value.strip():
        raise _BadRow(f"`{what}` is empty")
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise _BadRow(f"`{what}` holds half of a surrogate pair, which is no text") from None
    return value


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return "null" if value is None else names.get(type(value), "a number")


def _system_message(data: dict[str, Any], column: str | None) -> list[dict[str, Any]]:
    if column is None or data.get(column) in (None, ""):
        return []
    return [{"role": "system", "content": _text(data[column], column)}]


def _history_pairs(data: dict[str, Any], column: str | None) -> list[tuple[str, str]]:
    value = data.get(column) if column is not None else None
    if value is None or value == "":
        return []
    if not isinstance(value, list):
        raise _BadRow(f"`{column}` is {_kind(value)}, not a list of [question, answer] pairs")
    pairs = []
    for number, pair in enumerate(value):
        if not isinstance(pair, list) or len(pair) != 2:
            raise _BadRow(f"`{column}`, entry {number}, is not a [question, answer] pair")
        what = f"{column}[{number}]"
        pairs.append((_text(pair[0], what), _text(pair[1], what)))
    return pairs


def _turns(value: Any, column: str) -> list[dict[str, Any]]:
    """The list of messages in a column; CSV gives it as JSON text."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = _json(value, f"`{column}`")
    if not isinstance(value, list):
        raise _BadRow(f"`{column}` is {_kind(value)}, not a list of messages")
    if not value:
        raise _BadRow(f"`{column}` is an empty list")
    for number, turn in enumerate(value):
        if not isinstance(turn, dict):
            raise _BadRow(f"`{column}`, message {number}, is {_kind(turn)}, not an object")
    return value


def _messages_of(
    turns: list[dict[str, Any]], role_key: str, content_key: str, roles: dict[str, str]
) -> list[dict[str, Any]]:
    found = []
    for number, turn in enumerate(turns):
        where = f"message {number}"
        if role_key not in turn or turn[role_key] is None:
            keys = ", ".join(sorted(map(str, turn))) or "nothing"
            raise _BadRow(f"{where} has no `{role_key}`; it has {keys}")
        given = turn[role_key]
        role = roles.get(given) if isinstance(given, str) else None
        if role is None:
            expected = ", ".join(sorted(roles))
            raise _BadRow(f"{where} has the role {given!r}; the roles are {expected}")
        _refuse_flags(turn, role, where)
        found.append(_message(turn, role, content_key, where))
    return found


def _message(turn: dict[str, Any], role: str, content_key: str, where: str) -> dict[str, Any]:
    for key in MEDIA:
        if turn.get(key):
            raise _BadRow(f"{where} holds `{key}`, and only text is trained")
    value = turn.get(content_key)
    if role == "function_call":
        calls = _calls_of(_text(value, f"{where}, {content_key}"), where)
        return {"role": "assistant", "content": "", "tool_calls": calls}
    content, reasoning, calls = _content_of(value, f"{where}, {content_key}")
    for key in REASONING:
        if turn.get(key) and not reasoning:
            reasoning = _text(turn[key], f"{where}, {key}")
    if turn.get("tool_calls"):
        calls += _calls_of(turn["tool_calls"], where)
    if turn.get("function_call"):
        calls += _calls_of(turn["function_call"], where)
    if role != "assistant" and (calls or reasoning):
        raise _BadRow(f"{where} ({role}) holds a tool call or reasoning; only assistant turns can")
    if content is None:
        if not calls:
            state = "null" if content_key in turn else "missing"
            raise _BadRow(f"{where} ({role}): its `{content_key}` is {state}")
        content = ""
    # A template may treat an empty system text unlike none, so it stays as the row has it.
    if not content.strip() and not calls and role not in {"tool", "system"}:
        raise _BadRow(f"{where} ({role}): its `{content_key}` is empty")
    message: dict[str, Any] = {"role": role, "content": content}
    if reasoning:
        message["reasoning_content"] = reasoning
    if calls:
        message["tool_calls"] = calls
    for key in ("tool_call_id", "name"):
        if turn.get(key) is not None:
            message[key] = _text(turn[key], f"{where}, {key}")
    return message


def _content_of(value: Any, where: str) -> tuple[str | None, str, list[dict[str, Any]]]:
    """Text, reasoning and tool calls of a content that is a text or a list of typed parts."""
    if value is None:
        return None, "", []
    if not isinstance(value, list):
        return _text(value, where, empty=True), "", []
    text, reasoning, calls = "", "", []
    for part in value:
        if isinstance(part, str):
            text += _text(part, where, empty=True)
            continue
        if not isinstance(part, dict) or not isinstance(part.get("type"), str):
            raise _BadRow(f"{where}: a part without `type`")
        kind = part["type"]
        if kind not in {"text", "reasoning", "thinking", "tool_call", "tool_calls"}:
            raise _BadRow(f"{where}: a part of type {kind!r}, and only text is trained")
        held = next((part[k] for k in (kind, "text", "value", "content") if k in part), None)
        if kind.startswith("tool_call"):
            calls += _calls_of(held, where)
        elif kind == "text":
            text += _text(held, f"{where}, text part", empty=True)
        else:
            reasoning += _text(held, f"{where}, {kind} part", empty=True)
    return (None if not value or (calls and not text) else text), reasoning, calls


def _calls_of(value: Any, where: str) -> list[dict[str, Any]]:
    """Tool calls in OpenAI's form; arguments given as JSON text become an object."""
    if isinstance(value, str):
        value = _json(value, f"{where}: the tool call")
    calls = []
    for call in value if isinstance(value, list) else [value]:
        inner = call.get("function", call) if isinstance(call, dict) else None
        if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
            raise _BadRow(f"{where}: a tool call without a `name`")
        arguments = inner.get("arguments")
        if arguments is None or arguments == "":
            arguments = {}
        if isinstance(arguments, str):
            arguments = _json(arguments, f"{where}: the arguments of `{inner['name']}`")
        if not isinstance(arguments, dict):
            kind = _kind(arguments)
            raise _BadRow(f"{where}: the arguments of `{inner['name']}` are {kind}, not an object")
        made: dict[str, Any] = {"type": "function"}
        if isinstance(call.get("id"), str) and call["id"]:
            made["id"] = call["id"]
        made["function"] = {"name": inner["name"], "arguments": arguments}
        calls.append(made)
    return calls


def _tools_of(value: Any) -> list[dict[str, Any]] | None:
    """Tool definitions as a list, from a list or JSON text; none when there are none."""
    if isinstance(value, str) and value.strip():
        value = _json(value, "`tools`")
    if value is None or value == "" or value == []:
        return None
    if not isinstance(value, list):
        raise _BadRow(f"`tools` is {_kind(value)}, not a list of definitions")
    tools = []
    for number, tool in enumerate(value):
        inner = tool.get("function", tool) if isinstance(tool, dict) else None
        if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
            raise _BadRow(f"`tools`, entry {number}, has no `name`")
        tools.append(tool if "function" in tool else {"type": "function", "function": tool})
    return tools


def _refuse_flags(turn: dict[str, Any], role: str, where: str) -> None:
    trained = role in {"assistant", "function_call"}
    for flag in LOSS_FLAGS:
        value = turn.get(flag)
        if value is None:
            continue
        if not isinstance(value, (bool, int, float)) or value != trained:
            says = "every assistant turn is trained with weight 1" if trained else (
                f"a {role} turn is never trained"
            )
            raise _BadRow(f"{where} says {flag} = {json.dumps(value)}, but {says}")


def _checked(
    found: list[dict[str, Any]], tools: list[dict[str, Any]] | None, row: Row, context: int = 0
) -> Conversation:
    """Refuses an order of turns that nothing can be trained on, and gives tool calls their ids."""
    spoken = [(n, m["role"]) for n, m in enumerate(found) if m["role"] != "system"]
    if not any(role == "assistant" for _, role in spoken):
        raise _BadRow("has no assistant turn")
    if spoken[0][1] != "user":
        number, role = spoken[0]
        raise _BadRow(f"message {number} ({role}) comes before any user turn")
    if spoken[-1][1] != "assistant" or found[-1]["role"] != "assistant":
        raise _BadRow(
            f"ends with a {found[-1]['role']} turn (message {len(found) - 1}), not the assistant's"
        )
    for (_, before), (number, role) in zip(spoken, spoken[1:]):
        if role == "tool" and before == "user":
            raise _BadRow(f"message {number} is a tool result right after a user turn")
    return Conversation(_with_call_ids(found, row), tools, row.file, row.index, context)


def _with_call_ids(found: list[dict[str, Any]], row: Row) -> list[dict[str, Any]]:
    """Gives each call without an id a fixed one of 9 characters, and its result the same.

    Mistral's templates demand ids of exactly this form.
    """
    waiting: deque[str] = deque()
    for number, message in enumerate(found):
        if message["role"] != "tool":
            waiting.clear()
        for place, call in enumerate(message.get("tool_calls", ())):
            if "id" not in call:
                call["id"] = _call_id(f"{row.file}/{row.index}/{number}/{place}")
            waiting.append(call["id"])
        if message["role"] == "tool":
            if "tool_call_id" in message:
                if message["tool_call_id"] in waiting:
                    waiting.remove(message["tool_call_id"])
            else:
                spare = _call_id(f"{row.file}/{row.index}/{number}/result")
                message["tool_call_id"] = waiting.popleft() if waiting else spare
    return found


def _call_id(place: str) -> str:
    return hashlib.sha256(place.encode()).hexdigest()[:9]


def _json(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
        raise _BadRow(f"{what} is not JSON: {reason}") from None
