"""The type of a library argument, read off the text that the signature table has for it.

`list[str] | str | None` becomes a field type that takes what a spec can write of it.
"""

from __future__ import annotations

import ast as python
import re
from functools import cache

from ftlang.diagnostics import error
from ftlang.names.suggest import did_you_mean
from ftlang.record import Record
from ftlang.schema.shapes import read_map, regex
from ftlang.schema.types import UNREAD, Reading, Unread, refuse
from ftlang.schema.units import numeral
from ftlang.schema.words import Text
from ftlang.syntax import ast
from ftlang.syntax.foreign_values import FOREIGN_VALUES


class Forms(Record):
    """What a type allows: scalars by name, `none`, and the forms of its items and values.

    `objects` are classes that a spec cannot write, such as a callback's.
    """

    scalars: frozenset[str] = frozenset()
    none: bool = False
    items: Forms | None = None
    values: Forms | None = None
    objects: tuple[str, ...] = ()

    def __or__(self, other: Forms) -> Forms:
        return Forms(
            self.scalars | other.scalars,
            self.none or other.none,
            _either(self.items, other.items),
            _either(self.values, other.values),
            (*self.objects, *other.objects),
        )

    @property
    def writable(self) -> bool:
        """Whether a spec can write any value of it but `none`."""
        return bool(self.scalars) or self.items is not None or self.values is not None


def _either(one: Forms | None, other: Forms | None) -> Forms | None:
    return one | other if one is not None and other is not None else one or other


_SCALARS = frozenset({"bool", "int", "float", "str"})
_SCALAR = Forms(_SCALARS, none=True)
ANY = Forms(_SCALARS, True, _SCALAR, Forms(_SCALARS, True, _SCALAR, _SCALAR))
_WORD = Forms(frozenset({"str"}))
_LISTS = frozenset({"list", "tuple", "set", "sequence", "iterable", "collection"})
_MAPS = frozenset({"dict", "mapping", "ordereddict"})
_MEMBERS = Forms(frozenset({"member"}))


@cache
def forms(text: str, has_choices: bool) -> Forms:
    """What a type's text allows; anything for an empty text."""
    return _of(python.parse(text, mode="eval").body, has_choices) if text else ANY


def _of(node: python.expr, has_choices: bool) -> Forms:
    match node:
        case python.Constant(value=None):
            return Forms(none=True)
        case python.Constant(value=str(quoted)):
            return forms(quoted, has_choices)
        case python.BinOp(left=left, right=right):
            return _of(left, has_choices) | _of(right, has_choices)
        case python.Subscript(value=whole, slice=inner):
            parts = inner.elts if isinstance(inner, python.Tuple) else [inner]
            return _generic(_last(whole), parts, has_choices)
        case python.Name() | python.Attribute():
            return _named(_last(node), has_choices)
    return Forms(objects=(python.unparse(node),))


def _last(node: python.expr) -> str:
    """The bare name in lower case: `typing.List` and `list` are one."""
    return python.unparse(node).rpartition(".")[2].lower()


def _generic(name: str, parts: list[python.expr], has_choices: bool) -> Forms:
    if name == "literal":
        return _MEMBERS
    inner = [
        _of(p, has_choices)
        for p in parts
        if not (isinstance(p, python.Constant) and p.value is Ellipsis)
    ]
    if name in ("optional", "union"):
        start = Forms(none=name == "optional")
        for one in inner:
            start = start | one
        return start
    if name in _MAPS:
        return Forms(values=inner[-1])
    if name in _LISTS:
        items = inner[0]
        for one in inner[1:]:
            items = items | one
        return Forms(items=items)
    return Forms(objects=(name,))


def _named(name: str, has_choices: bool) -> Forms:
    if name in _SCALARS:
        return Forms(frozenset({name}))
    if name == "none":
        return Forms(none=True)
    if name == "pathlike":
        return _WORD
    if name in ("any", "object"):
        return ANY
    if name in _MAPS:
        return Forms(values=ANY)
    if name in _LISTS:
        return Forms(items=ANY)
    return _MEMBERS if has_choices else Forms(objects=(name,))


# A real number of these names is a share of something, so `35%` may stand for 0.35.
_SHARES = re.compile(r"dropout|ratio|utilization|_prob$|top_p|min_p", re.ASCII)


class ArgumentType(Record):
    """What a library argument takes: its type's text, and the choices of its enums and literals."""

    text: str
    choices: tuple[object, ...] = ()

    @property
    def forms(self) -> Forms:
        return forms(self.text, bool(self.choices))

    def words(self) -> str:
        return _words(self.forms, self.choices)

    def read(self, value: ast.Value, at: Reading) -> object:
        return _read(value, self.forms, self.choices, at)


def _words(allowed: Forms, choices: tuple[object, ...]) -> str:
    ways = []
    strings = [c for c in choices if isinstance(c, str)]
    if allowed.scalars & {"member", "str"} and strings:
        shown = strings if len(strings) <= 8 else [*strings[:7], "…"]
        ways += [f"`{c}`" if c != "…" else c for c in shown]
    elif "str" in allowed.scalars:
        ways.append("a string")
    if "bool" in allowed.scalars:
        ways.append("`true` or `false`")
    elif False in choices and True not in choices:
        ways.append("`false`")
    if "float" in allowed.scalars:
        ways.append("a number")
    elif "int" in allowed.scalars:
        ways.append("a whole number")
    if allowed.items is not None:
        ways.append("a list")
    if allowed.values is not None:
        ways.append("a map")
    if allowed.none and "none" not in strings:
        ways.append("`none`")
    return " or ".join([", ".join(ways[:-1]), ways[-1]] if len(ways) > 1 else ways) or "`none`"


def _read(value: ast.Value, allowed: Forms, choices: tuple[object, ...], at: Reading) -> object:
    match value:
        case ast.Bool():
            if "bool" in allowed.scalars or any(value.value is c for c in choices):
                return value.value
        case ast.Nothing():
            if "none" in choices:
                return "none"
            if allowed.none:
                return None
        case ast.Number():
            if allowed.scalars & {"int", "float"}:
                return _number(value, allowed, choices, at)
        case ast.Str():
            if allowed.scalars & {"str", "member"}:
                read = Text().read(value, at)
                return _member(read, value, choices, at) if isinstance(read, str) else read
        case ast.Path():
            if allowed.scalars & {"str", "member"} and value.text not in FOREIGN_VALUES:
                return _member(value.text, value, choices, at)
        case ast.Call() if value.path.text == "regex" and "str" in allowed.scalars:
            return regex(value, at)
        case ast.Call() if value.path.text in ("hf", "path") and _PLACE.search(at.name):
            return _weights(value, at)
        case ast.ListValue() if allowed.items is not None:
            inner = allowed.items
            read_items = [_read(item, inner, choices, at) for item in value.items]
            return UNREAD if any(i is UNREAD for i in read_items) else tuple(read_items)
        case ast.MapValue() if allowed.values is not None:
            return read_map(value, _Typed(allowed.values), at)
    help: tuple[str, ...] = ()
    if allowed.objects and not allowed.writable:
        help = (f"it takes an object of {' or '.join(allowed.objects)}; leave it out",)
    elif allowed.items is not None and isinstance(value, ast.Str | ast.Path):
        help = (f"put it in `[ ]`: `[{value.span.text}]`",)
    return refuse(value, _words(allowed, choices), at, help)


# Arguments that name weights, which `hf(…)` and `path(…)` do as well.
_PLACE = re.compile(r"(_path|_dir|_model)$", re.ASCII)


def _weights(value: ast.Call, at: Reading) -> object:
    from ftlang.schema.constructors import JUDGE

    return JUDGE.read(value, at)


def _number(value: ast.Number, allowed: Forms, choices: tuple[object, ...], at: Reading) -> object:
    read = numeral(value.text, value.unit)
    wanted = _words(allowed, choices)
    if read is None:
        return _refused_unit(value, wanted, at)
    if read.unit == "%" and "float" in allowed.scalars and _SHARES.search(at.name):
        return read.value / 100
    if read.unit or (read.multiplier and "int" not in allowed.scalars):
        return _refused_unit(value, wanted, at)
    amount = read.scaled
    if "int" in allowed.scalars and isinstance(amount, int):
        return amount
    if "float" in allowed.scalars:
        return float(amount)
    message = f"`{at.name}` needs {wanted}, not `{value.span.text}`"
    at.found.append(error("FT203", message, value.span))
    return UNREAD


def _refused_unit(value: ast.Number, wanted: str, at: Reading) -> Unread:
    message = f"`{at.name}` needs {wanted}, not `{value.span.text}`"
    at.found.append(error("FT204", message, value.span))
    return UNREAD


def _member(word: str, value: ast.Value, choices: tuple[object, ...], at: Reading) -> object:
    members = [c for c in choices if isinstance(c, str)]
    if not members or any(_matches(word, m) for m in members):
        return word
    shown = ", ".join(f"`{m}`" for m in members)
    help = did_you_mean(word, members) or (f"use one of {shown}",)
    message = f"`{at.name}` has no member `{word}`"
    at.found.append(error("FT206", message, value.span, help=help))
    return UNREAD


def _matches(word: str, member: str) -> bool:
    """Equality, where a bracket such as `pissa_niter_[number of iters]` stands for a number."""
    if "[" not in member:
        return word == member
    start, _, rest = member.partition("[")
    end = rest.partition("]")[2]
    middle = word[len(start) : len(word) - len(end)]
    return word.startswith(start) and word.endswith(end) and middle.isdigit()


class _Typed(Record):
    """Forms as the type of a map's values."""

    allowed: Forms

    def words(self) -> str:
        return _words(self.allowed, ())

    def read(self, value: ast.Value, at: Reading) -> object:
        return _read(value, self.allowed, (), at)
