"""The one message schema, and what makes a row's messages fit it.

A message is {"role": system|user|assistant|tool, "content": str} and, where the row has them,
reasoning_content, tool_calls (arguments as an object), tool_call_id and name.

Every assistant turn after `context` messages is trained and nothing else is, so a row whose own
flags say otherwise is refused rather than trained against its wish.
"""

import hashlib
import itertools
import json
from collections import deque
from dataclasses import dataclass
from typing import Any

from ftruntime.loaders import Row

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


class BadRow(ValueError):
    """Why a row cannot be used; caught where rows are collected."""


def refuse_media(data: dict[str, Any]) -> None:
    for key in MEDIA:
        if data.get(key):
            raise BadRow(f"`{key}` holds media, and only text is trained")


def text_of(value: Any, what: str, empty: bool = False) -> str:
    if not isinstance(value, str):
        raise BadRow(f"`{what}` is {kind_of(value)}, not a text")
    if not empty and not value.strip():
        raise BadRow(f"`{what}` is empty")
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise BadRow(f"`{what}` holds half of a surrogate pair, which is no text") from None
    return value


def kind_of(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return "null" if value is None else names.get(type(value), "a number")


def turns_of(value: Any, column: str) -> list[dict[str, Any]]:
    """The list of messages in a column; CSV gives it as JSON text."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = _json(value, f"`{column}`")
    if not isinstance(value, list):
        raise BadRow(f"`{column}` is {kind_of(value)}, not a list of messages")
    if not value:
        raise BadRow(f"`{column}` is an empty list")
    for number, turn in enumerate(value):
        if not isinstance(turn, dict):
            raise BadRow(f"`{column}`, message {number}, is {kind_of(turn)}, not an object")
    return value


def messages_of(
    turns: list[dict[str, Any]], role_key: str, content_key: str, roles: dict[str, str]
) -> list[dict[str, Any]]:
    found = []
    for number, turn in enumerate(turns):
        where = f"message {number}"
        if role_key not in turn or turn[role_key] is None:
            keys = ", ".join(sorted(map(str, turn))) or "nothing"
            raise BadRow(f"{where} has no `{role_key}`; it has {keys}")
        given = turn[role_key]
        role = roles.get(given) if isinstance(given, str) else None
        if role is None:
            expected = ", ".join(sorted(roles))
            raise BadRow(f"{where} has the role {given!r}; the roles are {expected}")
        _refuse_flags(turn, role, where)
        found.append(_message(turn, role, content_key, where))
    return found


def _message(turn: dict[str, Any], role: str, content_key: str, where: str) -> dict[str, Any]:
    for key in MEDIA:
        if turn.get(key):
            raise BadRow(f"{where} holds `{key}`, and only text is trained")
    value = turn.get(content_key)
    if role == "function_call":
        calls = _calls_of(text_of(value, f"{where}, {content_key}"), where)
        return {"role": "assistant", "content": "", "tool_calls": calls}
    content, reasoning, calls = _content_of(value, f"{where}, {content_key}")
    for key in REASONING:
        if turn.get(key) and not reasoning:
            reasoning = text_of(turn[key], f"{where}, {key}")
    if turn.get("tool_calls"):
        calls += _calls_of(turn["tool_calls"], where)
    if turn.get("function_call"):
        calls += _calls_of(turn["function_call"], where)
    if role != "assistant" and (calls or reasoning):
        raise BadRow(f"{where} ({role}) holds a tool call or reasoning; only assistant turns can")
    if content is None:
        if not calls:
            state = "null" if content_key in turn else "missing"
            raise BadRow(f"{where} ({role}): its `{content_key}` is {state}")
        content = ""
    # A template may treat an empty system text unlike none, so it stays as the row has it.
    if not content.strip() and not calls and role not in {"tool", "system"}:
        raise BadRow(f"{where} ({role}): its `{content_key}` is empty")
    message: dict[str, Any] = {"role": role, "content": content}
    if reasoning:
        message["reasoning_content"] = reasoning
    if calls:
        message["tool_calls"] = calls
    for key in ("tool_call_id", "name"):
        if turn.get(key) is not None:
            message[key] = text_of(turn[key], f"{where}, {key}")
    return message


def _content_of(value: Any, where: str) -> tuple[str | None, str, list[dict[str, Any]]]:
    """Text, reasoning and tool calls of a content that is a text or a list of typed parts."""
    if value is None:
        return None, "", []
    if not isinstance(value, list):
        return text_of(value, where, empty=True), "", []
    text, reasoning, calls = "", "", []
    for part in value:
        if isinstance(part, str):
            text += text_of(part, where, empty=True)
            continue
        if not isinstance(part, dict) or not isinstance(part.get("type"), str):
            raise BadRow(f"{where}: a part without `type`")
        kind = part["type"]
        if kind not in {"text", "reasoning", "thinking", "tool_call", "tool_calls"}:
            raise BadRow(f"{where}: a part of type {kind!r}, and only text is trained")
        held = next((part[k] for k in (kind, "text", "value", "content") if k in part), None)
        if kind.startswith("tool_call"):
            calls += _calls_of(held, where)
        elif kind == "text":
            text += text_of(held, f"{where}, text part", empty=True)
        else:
            reasoning += text_of(held, f"{where}, {kind} part", empty=True)
    return (None if not value or (calls and not text) else text), reasoning, calls


def _calls_of(value: Any, where: str) -> list[dict[str, Any]]:
    """Tool calls in OpenAI's form; arguments given as JSON text become an object."""
    if isinstance(value, str):
        value = _json(value, f"{where}: the tool call")
    calls = []
    for call in value if isinstance(value, list) else [value]:
        inner = call.get("function", call) if isinstance(call, dict) else None
        if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
            raise BadRow(f"{where}: a tool call without a `name`")
        arguments = inner.get("arguments")
        if arguments is None or arguments == "":
            arguments = {}
        if isinstance(arguments, str):
            arguments = _json(arguments, f"{where}: the arguments of `{inner['name']}`")
        if not isinstance(arguments, dict):
            kind = kind_of(arguments)
            raise BadRow(f"{where}: the arguments of `{inner['name']}` are {kind}, not an object")
        made: dict[str, Any] = {"type": "function"}
        if isinstance(call.get("id"), str) and call["id"]:
            made["id"] = call["id"]
        made["function"] = {"name": inner["name"], "arguments": arguments}
        calls.append(made)
    return calls


def tools_of(value: Any) -> list[dict[str, Any]] | None:
    """Tool definitions as a list, from a list or JSON text; none when there are none."""
    if isinstance(value, str) and value.strip():
        value = _json(value, "`tools`")
    if value is None or value == "" or value == []:
        return None
    if not isinstance(value, list):
        raise BadRow(f"`tools` is {kind_of(value)}, not a list of definitions")
    tools = []
    for number, tool in enumerate(value):
        inner = tool.get("function", tool) if isinstance(tool, dict) else None
        if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
            raise BadRow(f"`tools`, entry {number}, has no `name`")
        tools.append(tool if "function" in tool else {"type": "function", "function": tool})
    return tools


def _refuse_flags(turn: dict[str, Any], role: str, where: str) -> None:
    trained = role in {"assistant", "function_call"}
    for flag in LOSS_FLAGS:
        value = turn.get(flag)
        if value is None:
            continue
        if not isinstance(value, (bool, int, float)) or value != trained:
            says = (
                "every assistant turn is trained with weight 1"
                if trained
                else (f"a {role} turn is never trained")
            )
            raise BadRow(f"{where} says {flag} = {json.dumps(value)}, but {says}")


def checked(
    found: list[dict[str, Any]], tools: list[dict[str, Any]] | None, row: Row, context: int = 0
) -> Conversation:
    """Refuses an order of turns that nothing can be trained on, and gives tool calls their ids."""
    spoken = [(n, m["role"]) for n, m in enumerate(found) if m["role"] != "system"]
    if not any(role == "assistant" for _, role in spoken):
        raise BadRow("has no assistant turn")
    if spoken[0][1] != "user":
        number, role = spoken[0]
        raise BadRow(f"message {number} ({role}) comes before any user turn")
    if spoken[-1][1] != "assistant" or found[-1]["role"] != "assistant":
        raise BadRow(
            f"ends with a {found[-1]['role']} turn (message {len(found) - 1}), not the assistant's"
        )
    for (_, before), (number, role) in itertools.pairwise(spoken):
        if role == "tool" and before == "user":
            raise BadRow(f"message {number} is a tool result right after a user turn")
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
        raise BadRow(f"{what} is not JSON: {reason}") from None
