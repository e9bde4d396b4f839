"""Which characters of a rendered conversation are the assistant's own words, from any template.

The conversation is rendered twice: as it is, and with each text wrapped in two private-use
characters. When taking those marks out of the second render gives the first, the marks are the
exact places of the texts. A turn starts where the generation prompt ends, as at inference, and
ends with the token that closes it. Whatever does not come out exactly is refused by name.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ftruntime.conversations import Conversation
from ftruntime.marks import (
    THINK,
    THINK_TAG,
    TOOLS,
    Leaf,
    Mark,
    Refused,
    free_plane,
    marked_copy,
    unmarked,
)
from ftruntime.templates import PROBE, added_tokens, template_name, turn_ends

OPEN_THINK_AT_END = re.compile(rf"<({THINK})>\s*(?:</\1>\s*)?$", re.IGNORECASE)
EMPTY_THINK = re.compile(rf"\s*<({THINK})>\s*</\1>\s*", re.IGNORECASE)
CLOSING_THINK = re.compile(rf"\s*</(?:{THINK})>\s*", re.IGNORECASE)
# A prompt for thoughts differs from one without; history is written as one of them.
THINKING: tuple[dict[str, bool], ...] = (
    {},
    {"enable_thinking": True},
    {"enable_thinking": False},
)


@dataclass(slots=True)
class Template:
    """What is known of a tokenizer's template; `headers` remembers generation prompts by shape."""

    tokenizer: Any
    name: str
    ends: tuple[str, ...]
    control: re.Pattern[str] | None
    header: str
    headers: dict[Any, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rendered:
    """The text that the template gives, and [start, end) of each trained turn in characters."""

    text: str
    spans: list[tuple[int, int]]


def template_of(tokenizer: Any) -> Template:
    """Reads once from a tokenizer what `rendered` needs for every row."""
    ends = turn_ends(tokenizer)
    special = added_tokens(tokenizer, special_only=True)
    found = Template(
        tokenizer,
        template_name(tokenizer),
        ends,
        _any_of({*special, *ends}),
        "",
    )
    found.header = _unprompted_header(found)
    return found


def rendered(template: Template, conversation: Conversation) -> Rendered:
    """The text of a conversation and the spans of its trained turns, with their end tokens.

    Raises Refused, naming the template, when a place is not certain or a text is dropped.
    """
    messages, tools = conversation.messages, conversation.tools
    _refuse_control_tokens(template, messages)
    text = _render(template, messages, tools)
    base = free_plane(text)
    first = conversation.context
    for roles, mark_tools in ((None, True), (None, False), ({"assistant"}, False)):
        leaves, marked, marked_tools = marked_copy(messages, tools, roles, mark_tools, base)
        try:
            bare, marks = unmarked(_render(template, marked, marked_tools), base)
        except Refused:
            continue
        if bare == text:
            break
    else:
        raise Refused(f"{template.name} writes a text in a way that depends on the text itself")
    _refuse_dropped(template, conversation, leaves, marks, text)
    if tools and not mark_tools and _render(template, messages, None) == text:
        raise Refused(f"{template.name} does not write the tools of the row")
    spans: list[tuple[int, int]] = []
    at = 0
    for index, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        own = [n for n, mark in enumerate(marks) if leaves[mark.leaf].message == index]
        if not own or own != list(range(own[0], own[-1] + 1)):
            raise Refused(f"{template.name} does not write message {index} in one piece")
        if index < first:
            continue
        if roles is None:
            before = marked[:index]
            start = _start(template, before, marked_tools, leaves, marks, text, own[0], base)
        else:
            start = _start_by_prefix(template, messages, tools, text, index)
        lead = marks[own[0]].at
        start = _without_empty_think(text, start, lead, message)
        limit = marks[own[-1] + 1].at if own[-1] + 1 < len(marks) else len(text)
        last = leaves[marks[own[-1]].leaf]
        alone = None  # how the turn ends with nothing behind it, where that is not marked
        if _unmarked_text(messages, leaves, index + 1) is not None:
            alone = _render(template, messages[: index + 1], tools).rstrip()
        end = _end(template, text, index, marks[own[-1]].at, limit, last, alone)
        if not at <= start <= lead < end:
            raise Refused(f"{template.name} gives no clear place to message {index}")
        spans.append((start, end))
        at = end
    return Rendered(text, spans)


def _render(
    template: Template,
    messages: list[dict[str, Any]],
    tools: list[dict[str, Any]] | None,
    prompt: bool = False,
    switches: Mapping[str, bool] = MappingProxyType({}),
) -> str:
    try:
        text = template.tokenizer.apply_chat_template(
            messages, tools=tools, tokenize=False, add_generation_prompt=prompt, **switches
        )
    except Exception as error:  # a template may raise anything
        reason = " ".join(str(error).split())
        raise Refused(f"{template.name} refuses the conversation: {reason}") from None
    return str(text)


def _refuse_control_tokens(template: Template, messages: list[dict[str, Any]]) -> None:
    """A control token inside a text would be encoded as that token and end or open a turn."""
    if template.control is None:
        return
    for index, message in enumerate(messages):
        for text in _texts(message):
            for found in template.control.finditer(text):
                if THINK_TAG.fullmatch(found.group()) and _thinks_inline(message):
                    continue
                raise Refused(
                    f"message {index} ({message['role']}) contains the control token "
                    f"{found.group()} as text",
                    "FT708",
                )


def _thinks_inline(message: dict[str, Any]) -> bool:
    """Whether a content holds one block of thoughts before its answer, in tags of its own."""
    tags = [tag[1] == "/" for tag in THINK_TAG.findall(message["content"])]
    return (
        message["role"] == "assistant"
        and "reasoning_content" not in message
        and tags in ([False, True], [True])
    )


def _texts(message: dict[str, Any]) -> Iterator[str]:
    yield message["content"]
    yield message.get("reasoning_content", "")
    for call in message.get("tool_calls", ()):
        yield call["function"]["name"]
        yield from _strings(call["function"]["arguments"])


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _refuse_dropped(
    template: Template, conversation: Conversation, leaves: list[Leaf], marks: list[Mark], text: str
) -> None:
    """Every text must be there: the assistant's once and unchanged, the others at least once.

    Reasoning of earlier turns may go: many templates strip it on purpose.
    """
    places: dict[int, tuple[list[int], list[int]]] = {}
    for mark in marks:
        places.setdefault(mark.leaf, ([], []))[0 if mark.opens else 1].append(mark.at)
    messages = conversation.messages
    last = max(i for i, m in enumerate(messages) if m["role"] == "assistant")
    for number, leaf in enumerate(leaves):
        opens, closes = places.get(number, ([], []))
        role = "tools" if leaf.message == TOOLS else messages[leaf.message]["role"]
        what = f"the tool {leaf.text!r}" if role == "tools" else f"message {leaf.message} ({role})"
        if not opens and not closes:
            if leaf.kind == "reasoning" and leaf.message != last:
                continue
            part = {"reasoning": "the reasoning of ", "call": "a tool call of "}.get(leaf.kind, "")
            raise Refused(f"{template.name} drops {part}{what}")
        if len(opens) != len(closes):
            raise Refused(f"{template.name} cuts {what}")
        if role != "assistant":
            continue
        if len(opens) > 1:
            raise Refused(f"{template.name} writes {what} more than once")
        if leaf.kind != "call" and text[opens[0] : closes[0]] != leaf.text:
            raise Refused(f"{template.name} changes the text of {what}")
    marked = {leaf.message for leaf in leaves}
    for index, message in enumerate(messages):
        core = message["content"].strip()
        if core and index not in marked and core not in text and _escaped(core) not in text:
            raise Refused(f"{template.name} drops message {index} ({message['role']})")


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _start(
    template: Template,
    before: list[dict[str, Any]],
    tools: list[dict[str, Any]] | None,
    leaves: list[Leaf],
    marks: list[Mark],
    text: str,
    own: int,
    base: int,
) -> int:
    """Where a turn starts: after what the generation prompt puts behind the text before it.

    The generation prompt is rendered from the messages before the turn and must stand at its
    place in the whole text. `before` and `tools` are marked; `own` is the turn's first mark.
    """
    if not before:
        raise Refused(f"{template.name}: the conversation starts with the assistant (message 0)")
    previous = before[-1]
    anchor = marks[own - 1] if own else None
    key = None
    behind = leaves[anchor.leaf] if anchor else None
    if behind and behind.message == len(before) - 1 and previous["role"] != "assistant":
        # A system text may switch thoughts on or off, and with them the generation prompt.
        system = before[0]["content"] if before[0]["role"] == "system" else None
        key = (previous["role"], bool(tools), behind.tail, system)
        known = template.headers.get(key)
        if anchor and known is not None and text.startswith(known, anchor.at):
            return anchor.at + len(known)
    for switches in THINKING:
        prompt = _render(template, before, tools, True, switches)
        bare, found = unmarked(prompt, base)
        header = bare[found[-1].at if found else 0 :]
        if found and (anchor is None or anchor.leaf != found[-1].leaf or anchor.opens):
            raise Refused(f"{template.name} moves the text before message {len(before)}")
        at = anchor.at if found and anchor else 0
        if text.startswith(header, at):
            break
    start = _after_header(text, at, header, template.header)
    if start is None:
        raise Refused(
            f"{template.name} prompts message {len(before)} in other words than it writes it"
        )
    if key is not None and switches == {} and start == at + len(header + template.header):
        template.headers[key] = header + template.header
    return start


def _after_header(text: str, at: int, header: str, extra: str) -> int | None:
    """Where `header` and `extra` end when they stand at `at`, or nothing.

    Two differences are harmless: templates open a block of thoughts for the live turn only, and
    some write other whitespace around a prompt than around the same header in the history.
    """
    for form in (header, OPEN_THINK_AT_END.sub("", header)):
        form += extra
        if text.startswith(form, at):
            return at + len(form)
        words = form.split()
        loose = re.compile(r"\s*" + r"\s*".join(map(re.escape, words)) + r"\s*")
        found = loose.match(text, at) if words else None
        if found:
            return found.end()
    return None


def _start_by_prefix(
    template: Template,
    messages: list[dict[str, Any]],
    tools: list[dict[str, Any]] | None,
    text: str,
    index: int,
) -> int:
    """The start of a turn when only assistant texts could be marked: the prompt as a prefix."""
    if not index:
        raise Refused(f"{template.name}: the conversation starts with the assistant (message 0)")
    prompt = _render(template, messages[:index], tools, True)
    start = _after_header(text, 0, prompt, template.header) if len(prompt) <= len(text) else None
    if start is None or not text.startswith(OPEN_THINK_AT_END.sub("", prompt)):
        raise Refused(f"{template.name} prompts message {index} in other words than it writes it")
    return start


def _without_empty_think(text: str, start: int, lead: int, message: dict[str, Any]) -> int:
    """Skips a block of thoughts that the template itself puts in and leaves empty."""
    if THINK_TAG.search(message["content"]) or "reasoning_content" in message:
        return start
    found = EMPTY_THINK.match(text, start, lead)
    if found is None and OPEN_THINK_AT_END.search(text, 0, start):
        found = CLOSING_THINK.match(text, start, lead)
    return found.end() if found else start


def _unmarked_text(messages: list[dict[str, Any]], leaves: list[Leaf], index: int) -> str | None:
    """The text of a message whose place in the render is not known, if it is such a message."""
    if index >= len(messages) or any(leaf.message == index for leaf in leaves):
        return None
    return str(messages[index]["content"].strip())


def _end(
    template: Template,
    text: str,
    index: int,
    after: int,
    limit: int,
    last: Leaf,
    alone: str | None,
) -> int:
    """Where a turn ends: behind the first end token after its last text, before the next text.

    Behind a plain text nothing else may stand before it; behind a tool call its closing marks.
    Where the place of the next message is unknown, `alone` is the render up to this turn, and it
    must end in the same words.
    """
    places = [(text.find(end, after, limit), end) for end in template.ends]
    found = min(((at, end) for at, end in places if at >= 0), default=None)
    if found is None:
        raise Refused(f"{template.name} does not close message {index} with {template.ends[0]}")
    gap = text[after : found[0]]
    unclear = gap.strip() != last.tail.strip() and last.kind != "call"
    if last.kind == "call" and alone is not None:
        unclear = not alone.endswith(text[after - len(last.text) : found[0]] + found[1])
    if unclear:
        raise Refused(f"{template.name} does not close message {index} with {found[1]}")
    return found[0] + len(found[1])


def _unprompted_header(template: Template) -> str:
    """What the template writes before an answer although it knows no generation prompt.

    Empty when the template has one, or writes nothing but whitespace there.
    """
    try:
        asked = _render(template, PROBE[:1], None)
        prompted = _render(template, PROBE[:1], None, True)
        text = _render(template, PROBE[:2], None)
    except Refused:
        return ""
    if asked != prompted or not text.startswith(prompted):
        return ""
    extra = text[len(prompted) : text.find(PROBE[1]["content"])]
    return extra if extra.strip() else ""


def _any_of(tokens: Any) -> re.Pattern[str] | None:
    found = sorted((token for token in tokens if token), key=lambda token: (-len(token), token))
    return re.compile("|".join(map(re.escape, found))) if found else None
