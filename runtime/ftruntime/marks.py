"""Marks around the texts of a conversation, to find each again in what a template renders.

Each text is wrapped in two private-use characters that the row does not use. Whitespace around
it stays outside, so that templates may trim it.
"""

import re
from dataclasses import dataclass
from typing import Any

# Planes 16 and 15 hold 65,534 private-use characters each; no encoding assigns them a meaning.
PLANES = (0x100000, 0xF0000)
PLANE_SIZE = 0xFFFE
MARKS = re.compile("[\U000f0000-\U000ffffd\U00100000-\U0010fffd]")

THINK = r"think(?:ing)?|thought|seed:think"
THINK_TAG = re.compile(rf"(</?(?:{THINK})>|\[/?THINK\])", re.IGNORECASE)
OPENING_TAG = re.compile(r"\s*<[^<>\n]{1,40}>")
CLOSING_TAG = re.compile(r"<[^<>\n]{1,40}>\s*$")

TOOLS = -1


class Refused(Exception):
    """Why a row's spans are not certain; `code` is FT704 or FT708."""

    def __init__(self, reason: str, code: str = "FT704") -> None:
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True, slots=True)
class Leaf:
    """One marked text: its message (or TOOLS), its kind, the text and what follows it there."""

    message: int
    kind: str
    text: str
    tail: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark found in a render: its leaf, whether it opens, and where it stands in the text."""

    leaf: int
    opens: bool
    at: int


def free_plane(text: str) -> int:
    """The first code point of a plane that the text does not use; raises Refused without one."""
    if text.isascii() or not MARKS.search(text):
        return PLANES[0]
    for base in PLANES:
        if not any(base <= ord(char) < base + PLANE_SIZE for char in text):
            return base
    raise Refused("the row uses private-use characters of both planes 15 and 16")


def marked_copy(
    messages: list[dict[str, Any]],
    tools: list[dict[str, Any]] | None,
    roles: set[str] | None,
    mark_tools: bool,
    base: int,
) -> tuple[list[Leaf], list[dict[str, Any]], list[dict[str, Any]] | None]:
    """Copies of messages and tools with their texts wrapped in marks, and the leaves in order."""
    leaves: list[Leaf] = []

    def mark(text: str, message: int, kind: str, tail: str = "") -> str:
        core = text.strip()
        if not core:
            return text
        number = base + 2 * len(leaves)
        if number + 1 >= base + PLANE_SIZE:
            raise Refused("the row holds more texts than can be followed")
        at = text.index(core)
        after = text[at + len(core) :]
        leaves.append(Leaf(message, kind, core, after + tail))
        return f"{text[:at]}{chr(number)}{core}{chr(number + 1)}{after}"

    def mark_strings(value: Any, message: int) -> Any:
        if isinstance(value, str):
            return mark(value, message, "call")
        if isinstance(value, dict):
            return {key: mark_strings(item, message) for key, item in value.items()}
        if isinstance(value, list):
            return [mark_strings(item, message) for item in value]
        return value

    def mark_content(text: str, message: int) -> str:
        parts = THINK_TAG.split(text)
        if len(parts) == 1:
            if messages[message]["role"] == "assistant":
                return mark(text, message, "text")
            opening, core, closing = _inside_outer_tags(text)
            return opening + mark(core, message, "text", closing) + closing
        done = []
        for n, part in enumerate(parts):  # texts at even places, tags between them
            if n % 2 == 0:
                closes = n + 1 < len(parts) and parts[n + 1][1] == "/"
                kind = "reasoning" if closes else "text"
                part = mark(part, message, kind, "".join(parts[n + 1 :]))
            done.append(part)
        return "".join(done)

    made = []
    for index, message in enumerate(messages):
        role = message["role"]
        if (roles is not None and role not in roles) or (
            role == "tool" and _is_number(message["content"])
        ):
            made.append(message)
            continue
        copy = dict(message)
        if "reasoning_content" in message:
            copy["reasoning_content"] = mark(message["reasoning_content"], index, "reasoning")
        copy["content"] = mark_content(message["content"], index)
        if "tool_calls" in message:
            copy["tool_calls"] = [
                {
                    **call,
                    "function": {
                        "name": mark(call["function"]["name"], index, "call"),
                        "arguments": mark_strings(call["function"]["arguments"], index),
                    },
                }
                for call in message["tool_calls"]
            ]
        made.append(copy)
    if not tools or not mark_tools:
        return leaves, made, tools
    made_tools = []
    for tool in tools:
        name = mark(tool["function"]["name"], TOOLS, "tools")
        made_tools.append({**tool, "function": {**tool["function"], "name": name}})
    return leaves, made, made_tools


def _inside_outer_tags(text: str) -> tuple[str, str, str]:
    """Splits off outer tags: templates ask whether a user's text starts with <tool_response>."""
    opening = OPENING_TAG.match(text)
    closing = CLOSING_TAG.search(text, max(0, len(text) - 50))
    at = opening.end() if opening else 0
    to = closing.start() if closing else len(text)
    return (text[:at], text[at:to], text[to:]) if text[at:to].strip() else ("", text, "")


def _is_number(text: str) -> bool:
    """Mistral's templates write a tool's number as a number, which a mark would turn to text."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def unmarked(text: str, base: int) -> tuple[str, list[Mark]]:
    """A render without its marks, and where each stood."""
    marks: list[Mark] = []
    pieces = []
    at = 0
    for found in MARKS.finditer(text):
        code = ord(found.group()) - base
        if not 0 <= code < PLANE_SIZE:  # a private-use character of the row itself
            continue
        pieces.append(text[at : found.start()])
        at = found.end()
        marks.append(Mark(code // 2, code % 2 == 0, found.start() - len(marks)))
    pieces.append(text[at:])
    return "".join(pieces), marks
