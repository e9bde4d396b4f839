"""`formatting`, `columns`, `tags` and `ranking` of a registry's entry → the call of a row format.

As soon as there are `columns`, those that it does not list are none in LLaMA-Factory, and so here.
"""

from __future__ import annotations

from ftlang.names.json_text import Member
from ftlang.names.registry_entry import LeftOut, Object, Said, attr, call, keyword
from ftlang.names.suggest import did_you_mean
from ftlang.source import Span
from ftlang.syntax import ast
from ftlang.syntax.literals import clipped

FORMATS = ("alpaca", "sharegpt", "openai")
# Names of roles that the row formats know by themselves.
USUAL = {
    "user": ("user", "human"),
    "assistant": ("assistant", "gpt"),
    "tool": ("tool", "observation"),
    "function_call": ("function_call",),
    "system": ("system",),
}
TAGS = {
    "user_tag": "user",
    "assistant_tag": "assistant",
    "observation_tag": "tool",
    "function_tag": "function_call",
    "system_tag": "system",
}


def row_format(entry: Member, fields: Object) -> ast.Attr:
    """`format = …` for the rows of an entry.  Raises LeftOut where they have none here."""
    formatting = fields.said("formatting")
    name = formatting.text if formatting is not None else "alpaca"
    if name not in FORMATS:
        assert formatting is not None
        ways = did_you_mean(name, FORMATS) or ("use `alpaca`, `sharegpt` or `openai`",)
        message = f"there is no formatting `{clipped(name)}`"
        raise LeftOut(formatting.span, message, ways[0])
    at = formatting.span if formatting is not None else entry.name
    rows = _Rows(fields, name, at)
    value = rows.alpaca() if name == "alpaca" else rows.turns()
    rows.columns.without = f"`{value.path.text}(…)` takes no such column"
    return attr("format", formatting.name if formatting is not None else at, value)


class _Rows:
    """The columns of one entry; `at` is where what follows from `formatting` is shown."""

    def __init__(self, fields: Object, formatting: str, at: Span) -> None:
        self.fields, self.formatting, self.at = fields, formatting, at
        self.columns = fields.object("columns")
        self.listed = fields.place("columns")
        self.keywords: list[ast.Keyword] = []

    def alpaca(self) -> ast.Call:
        """Rows with the parts of one question and answer in columns."""
        prompt = self.column("prompt", "instruction")
        query, response = self.column("query", "input"), self.column("response", "output")
        if prompt is None:
            why = "`columns` names no `prompt`, so that its rows have none in LLaMA-Factory"
            raise LeftOut(self.listed or self.at, why, 'list it: `"prompt": "instruction"`')
        if label := self.columns.said("kto_tag"):
            self.put("prompt", prompt, "prompt")
            self.put("input", query)
            self.put("completion", self.needed(response, "response", label.name), "completion")
            self.put("label", label, "label")
            return self.call("unpaired", "system", "history")
        if ranking := self.fields.flag("ranking"):
            self.put("prompt", prompt, "prompt")
            self.put("input", query)
            self.answers(ranking)
            return self.call("preference", "system", "history")
        if response is None:
            self.put("column", prompt, "text")
            if query is not None:
                why = "its rows have a `prompt` and a `query`, and no `response` to learn"
                raise LeftOut(query.name, why, 'list `"response"` too, or no `"query"`')
            return self.call("text")
        self.put("instruction", prompt, "instruction")
        if query is None:
            none = self.listed or self.at
            self.keywords.append(keyword("input", none, ast.Nothing(none)))
        self.put("input", query, "input")
        self.put("output", response, "output")
        return self.call("alpaca", "system", "history")

    def turns(self) -> ast.Call:
        """Rows with a list of turns, each with a role and a content."""
        tags = self.fields.object("tags")
        openai = self.formatting == "openai"
        column = self.columns.said("messages") or self.implied("conversations")
        role = tags.said("role_tag") or self.implied("role" if openai else "from")
        content = tags.said("content_tag") or self.implied("content" if openai else "value")
        roles = _roles(tags)
        plain = (role.text, content.text) == ("role", "content") and not roles
        label, ranking = self.columns.said("kto_tag"), None
        if label is None:
            ranking = self.fields.flag("ranking")
        usual = ("conversations", "from", "value")
        if label is None and ranking is None and plain and self.columns.place("system") is None:
            self.put("column", column, "messages")
            return self.call("messages", "tools")
        if label is not None or ranking is not None:
            usual = ("", "role", "content")  # by itself such a row has a prompt, and no list
        self.put("messages", column, usual[0])
        self.put("role", role, usual[1])
        self.put("content", content, usual[2])
        if roles:
            first, last = roles[0].key.span, roles[-1].value.span
            span = first.to(last)
            self.keywords.append(keyword("roles", first, ast.MapValue(tuple(roles), span)))
        if label is not None:
            self.put("label", label, "label")
            return self.call("unpaired", "system", "tools")
        if ranking is not None:
            self.answers(ranking)
            return self.call("preference", "system", "tools")
        return self.call("sharegpt", "system", "tools")

    def answers(self, ranking: Member) -> None:
        """The two answers of a ranked row."""
        for key in ("chosen", "rejected"):
            self.put(key, self.needed(self.columns.said(key), key, ranking.name), key)

    def needed(self, said: Said | None, key: str, at: Span) -> Said:
        if said is None:
            why = f"such rows need a `{key}` in `columns`, which has no default"
            raise LeftOut(at, why, f'list it: `"columns": {{"{key}": …}}`')
        return said

    def column(self, key: str, default: str) -> Said | None:
        """The name of a column: as listed, or the default where none are listed at all."""
        said = self.columns.said(key)
        return self.implied(default) if said is None and self.listed is None else said

    def implied(self, text: str) -> Said:
        return Said(text, self.at, self.at)

    def put(self, key: str, said: Said | None, usual: str = "") -> None:
        """An argument, unless it is the one that the format has anyhow."""
        if said is not None and said.text != usual:
            self.keywords.append(keyword(key, said.name, said.node()))

    def call(self, name: str, *more: str) -> ast.Call:
        """The call, with the columns that keep their names; media are told of by the usual code."""
        for key in (*more, "images", "videos", "audios"):
            self.put(key, self.columns.said(key), "tools" if key == "tools" else "")
        return call(name, self.at, (), self.keywords)


def _roles(tags: Object) -> list[ast.Pair]:
    """The roles whose names the row formats do not know."""
    pairs: dict[str, ast.Pair] = {}
    for key, role in TAGS.items():
        said = tags.said(key)
        if said is None or said.text in USUAL[role]:
            continue
        if said.text in pairs:
            raise LeftOut(said.span, f"`{clipped(said.text)}` is the tag of two roles")
        value = ast.Path((ast.Name(role, said.name),), said.name)
        pairs[said.text] = ast.Pair(ast.Str(said.text, False, said.span), value, said.span)
    return list(pairs.values())
