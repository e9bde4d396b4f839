"""The objects of a registry's entry, read key by key, and the nodes that are made of them."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.diagnostics import Diagnostic, warning
from ftlang.names.json_text import Member, Value
from ftlang.names.suggest import did_you_mean
from ftlang.record import Record
from ftlang.source import Span
from ftlang.syntax import ast
from ftlang.syntax.literals import clipped

# Every key that LLaMA-Factory reads, and `revision`, which it passes over.
KEYS = {
    "": "hf_hub_url ms_hub_url om_hub_url script_url cloud_file_name file_name formatting ranking "
    "subset split folder num_samples columns tags revision",
    "columns": "prompt query response history messages system tools images videos audios chosen "
    "rejected kto_tag",
    "tags": "role_tag content_tag user_tag assistant_tag observation_tag function_tag system_tag",
}


class LeftOut(Exception):
    """An entry that cannot be a data set: the place, why, and a way out."""

    def __init__(self, span: Span, why: str, way: str = "") -> None:
        super().__init__(why)
        self.span, self.why, self.way = span, why, way


class Said(Record):
    """A text of the registry, or one that it leaves to LLaMA-Factory's defaults."""

    text: str
    name: Span
    span: Span

    def node(self) -> ast.Str:
        """The string; what a `.ft` file would take for an interpolation is escaped."""
        return ast.Str(self.text.replace("${", "$${"), False, self.span)


class Object:
    """An object of an entry; keys that nobody has taken in the end are told of.

    `where` is its key, "" for the entry itself.  `without` says what an unused key has no part in.
    """

    def __init__(self, where: str, value: Value | None) -> None:
        self.where, self.without = where, ""
        self.inner: list[Object] = []
        members = value.members if value is not None else ()
        self._members = {member.key: member for member in members}
        self._taken: set[str] = set()

    def take(self, key: str, *kinds: str) -> Member | None:
        """The member of a key, None where it is not there or null.

        Raises LeftOut for a value of none of the kinds.
        """
        self._taken.add(key)
        member = self._members.get(key)
        if member is None or member.value.kind == "null":
            return None
        if member.value.kind not in kinds:
            wanted = "`true` or `false`" if "true" in kinds else f"a JSON {kinds[0]}"
            raise LeftOut(member.value.span, f"`{key}` needs {wanted}")
        return member

    def said(self, key: str) -> Said | None:
        """The string of a key.  Raises LeftOut for a value that is none."""
        member = self.take(key, "string")
        return Said(member.value.text, member.name, member.value.span) if member else None

    def flag(self, key: str) -> Member | None:
        """The member of a key that is `true`.  Raises LeftOut for a value that is no boolean."""
        member = self.take(key, "true", "false")
        return member if member is not None and member.value.kind == "true" else None

    def object(self, key: str) -> Object:
        """The object of a key, without members where there is none."""
        member = self.take(key, "object")
        self.inner.append(Object(key, member.value if member is not None else None))
        return self.inner[-1]

    def place(self, key: str) -> Span | None:
        """Where a key stands."""
        return self._members[key].name if key in self._members else None

    def left(self) -> Iterator[Diagnostic]:
        """A warning for each key that nobody has taken, here and in the inner objects."""
        for member in self._members.values():
            if member.key not in self._taken and member.value.kind != "null":
                yield self._unused(member)
        for one in self.inner:
            yield from one.left()

    def _unused(self, member: Member) -> Diagnostic:
        key, known = clipped(member.key), KEYS[self.where].split()
        if member.key in known:
            message = f"`{key}` is not used: {self.without}"
            return warning("FT153", message, member.name, help=("remove it, or let it stand",))
        of = f"`{self.where}`" if self.where else "an entry"
        return warning(
            "FT153",
            f"`{key}` is not used: {of} has no such key",
            member.name,
            notes=("LLaMA-Factory passes over keys that it does not know",),
            help=did_you_mean(member.key, known) or ("remove it, or let it stand",),
        )


def attr(key: str, name: Span, value: ast.Value) -> ast.Attr:
    """`key = value`, where `name` spans what the key comes from."""
    path = ast.Path((ast.Name(key, name),), name)
    return ast.Attr(path, "=", value, name.to(value.span))


def keyword(key: str, name: Span, value: ast.Value) -> ast.Keyword:
    """The same as an argument."""
    return ast.Keyword(ast.Name(key, name), value, name.to(value.span))


def call(
    name: str, at: Span, args: tuple[ast.Value, ...] = (), keywords: list[ast.Keyword] | None = None
) -> ast.Call:
    """`name(args, keywords)`, all of it at one place but for the arguments."""
    return ast.Call(ast.Path((ast.Name(name, at),), at), args, tuple(keywords or ()), at)
