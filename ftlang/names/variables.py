"""Puts constants and parameters into values: `$rate`, `$d.rate`, `"${name}"`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ftlang.diagnostics import Diagnostic, Label, error
from ftlang.names.files import Declared, Module
from ftlang.names.suggest import did_you_mean
from ftlang.names.written import INTERPOLATION
from ftlang.record import Record
from ftlang.source import Span
from ftlang.syntax import ast

# What a parameter may be declared as, and which literals it takes.
TYPES = ("int", "float", "share", "string", "bool", "quantity")

# How many definitions may lead through one another, and how many a value may hold: twenty lines
# that each hold the one before twice would make a million.
DEEPEST, MOST = 24, 256


class Use(Record):
    """A variable that was put in: the span of its definition, and where it is used."""

    definition: Span
    use: Span


class Definitions:
    """What every `let` and `param` of a job means; `given` holds the values of `-D`."""

    def __init__(self, given: Mapping[Declared, ast.Value], found: list[Diagnostic]) -> None:
        self.given, self.found = given, found
        self.uses: list[Use] = []
        self._values: dict[Declared, tuple[ast.Value, tuple[Span, ...]] | None] = {}
        self._open: list[Declared] = []

    def value(self, of: Declared, at: Span) -> tuple[ast.Value, tuple[Span, ...]] | None:
        """The value and the spans that it went through, or None after an error."""
        if of in self._open:
            chain = [d.name for d in self._open[self._open.index(of) :]]
            shown = " → ".join(f"`${name}`" for name in (*chain, of.name))
            self.found.append(
                error(
                    "FT124",
                    f"`${of.name}` is defined by itself",
                    at,
                    labels=(Label(of.span, "its definition"),),
                    notes=(f"the definitions form a circle: {shown}",) if len(chain) > 1 else (),
                    help=("give one of them a value of its own",),
                )
            )
            return None
        if of not in self._values:
            if len(self._open) >= DEEPEST:
                why = f"more than {DEEPEST} definitions lead through one another"
                self.found.append(_too_long(of, at, why))
                return None
            self._open.append(of)
            self._values[of] = self._defined(of, at)
            self._open.pop()
        return self._values[of]

    def _defined(self, of: Declared, at: Span) -> tuple[ast.Value, tuple[Span, ...]] | None:
        node = of.node
        assert isinstance(node, ast.Let | ast.Param)
        written = self.given.get(of, node.value)
        if written is None:
            kind = node.type.text if isinstance(node, ast.Param) else ""
            self.found.append(
                error(
                    "FT126",
                    f"the parameter `{of.name}` has no value",
                    at,
                    labels=(Label(of.span, "declared without a default"),),
                    help=(
                        f"give it on the command line: `-D {of.name}=…`",
                        f"or give it a default: `param {of.name}: {kind} = …`",
                    ),
                )
            )
            return None
        value, through = Variables(of.module, self).put(written)
        if isinstance(value, ast.Unreadable):
            return None
        if len(through) > MOST:
            why = f"more than {MOST} definitions are put into it, one inside the other"
            self.found.append(_too_long(of, at, why))
            return None
        if isinstance(node, ast.Param) and not self._fits(node, value):
            return None
        return value, (value.span, *through)

    def _fits(self, node: ast.Param, value: ast.Value) -> bool:
        """Whether a parameter's value is of its type; FT125 where it is not."""
        kind = node.type.text
        if kind not in TYPES:
            return True  # FT135, said of the declaration
        if _is_of(kind, value):
            return True
        self.found.append(
            error(
                "FT125",
                f"the parameter `{node.name.text}` is {_AN[kind]}, not `{value.span.text}`",
                value.span,
                labels=(Label(node.type.span, f"declared as `{kind}`"),),
                help=(f"write {_LIKE[kind]}",),
            )
        )
        return False


def _too_long(of: Declared, at: Span, why: str) -> Diagnostic:
    return error(
        "FT142",
        f"`${of.name}` takes too many definitions to follow",
        at,
        labels=(Label(of.span, "its definition"),),
        notes=(why,),
        help=("write the value out in one of them",),
    )


_AN = {
    "int": "a whole number",
    "float": "a number",
    "share": "a share",
    "string": "a string",
    "bool": "`true` or `false`",
    "quantity": "a number with a unit",
}
_LIKE = {
    "int": "a number such as `42` or `4Ki`",
    "float": "a number such as `2e-4`",
    "share": "a share such as `5%` or `0.05`",
    "string": 'a string such as `"final"`',
    "bool": "`true` or `false`",
    "quantity": "a quantity such as `3 epochs`",
}
_WHOLE = re.compile(r"[+-]?\d+\Z")
_COUNTS = frozenset({"k", "K", "M", "B", "G", "T", "Ki", "Mi", "Gi", "Ti"})


def _is_of(kind: str, value: ast.Value) -> bool:
    match kind, value:
        case "string", ast.Str():
            return True
        case "bool", ast.Bool():
            return True
        case "int", ast.Number(text=text, unit=unit):
            return bool(_WHOLE.match(text)) and (not unit or unit in _COUNTS)
        case "float", ast.Number(unit=unit):
            return not unit
        case "share", ast.Number(text=text, unit=unit):
            return unit == "%" or (not unit and not (_WHOLE.match(text) and int(text)))
        case "quantity", ast.Number(unit=unit):
            return bool(unit) and unit != "%" and unit not in _COUNTS
    return False


class Variables:
    """The variables that a file sees: it puts them into the file's values."""

    def __init__(self, module: Module, definitions: Definitions) -> None:
        self.module, self.definitions = module, definitions

    def put(self, value: ast.Value) -> tuple[ast.Value, tuple[Span, ...]]:
        """The value with its variables replaced, and the spans of their definitions.

        What cannot be replaced becomes `Unreadable`, its diagnostic recorded.
        """
        through: list[Span] = []
        return self._put(value, through), tuple(through)

    def _put(self, value: ast.Value, through: list[Span]) -> ast.Value:
        match value:
            case ast.Var():
                return self._variable(value, through)
            case ast.Str() if "${" in value.value:
                return self._string(value, through)
            case ast.ListValue():
                items = tuple(self._put(item, through) for item in value.items)
                return value if _same(items, value.items) else ast.ListValue(items, value.span)
            case ast.MapValue():
                pairs = tuple(
                    ast.Pair(p.key, self._put(p.value, through), p.span) for p in value.pairs
                )
                return ast.MapValue(pairs, value.span)
            case ast.Call():
                args = tuple(self._put(item, through) for item in value.args)
                keywords = tuple(
                    ast.Keyword(k.name, self._put(k.value, through), k.span) for k in value.keywords
                )
                return ast.Call(value.path, args, keywords, value.span)
        return value

    def _variable(self, var: ast.Var, through: list[Span]) -> ast.Value:
        found = self._named(var.name, var.span)
        if found is None:
            return ast.Unreadable(var.span)
        value, spans = found
        through += spans
        self.definitions.uses.append(Use(value.span, var.span))
        return value

    def _named(self, name: str, span: Span) -> tuple[ast.Value, tuple[Span, ...]] | None:
        declared = self.module.variable(tuple(name.split(".")))
        if declared is not None:
            return self.definitions.value(declared, span)
        if not self.module.partial:
            self.definitions.found.append(self._unknown(name, span))
        return None

    def _unknown(self, name: str, span: Span) -> Diagnostic:
        help = did_you_mean(name, dict(self.module.visible("variables")))
        if name == "run.name":
            help = ('write `"${run.name}"`: a run\'s name stands in strings only',)
        elif not help and self.module.name((name,)) is not None:
            help = (f"`{name}` is no constant: write it without the dollar sign",)
        return error(
            "FT123",
            f"`${name}` names no constant and no parameter",
            span,
            help=help or (f"declare it: `let {name.rpartition('.')[2]} = …`",),
        )

    def _unknown_inside(self, name: str, written: str, span: Span) -> Diagnostic:
        known = dict(self.module.visible("variables"))
        return error(
            "FT116",
            f"`{written}` names nothing",
            span,
            notes=("in a string stand `${run.name}` and `${…}` of a `let` or `param`",),
            help=(*did_you_mean(name, (*known, "run.name")), "write `$${` for a literal `${`"),
        )

    def _string(self, value: ast.Str, through: list[Span]) -> ast.Value:
        """The string with its `${name}` put in; `${run.name}` and `$${` are left for the run."""
        failed = False

        def put(match: re.Match[str]) -> str:
            nonlocal failed
            written, name = match.group(0), (match.group(2) or "").strip()
            if match.group(1) or (name == "run.name" and written.endswith("}")):
                return written
            at = _inside(value, written)
            declared = self.module.variable(tuple(name.split("."))) if name else None
            if declared is None or not written.endswith("}"):
                failed = True
                if not self.module.partial:
                    self.definitions.found.append(self._unknown_inside(name, written, at))
                return ""
            found = self.definitions.value(declared, at)
            text = self._as_text(name, found[0], at) if found is not None else None
            if found is None or text is None:
                failed = True
                return ""
            through.extend(found[1])
            # The text is as it was written: its `$${` and `${run.name}` are left for the run too.
            glued = text.endswith("$") and value.value.startswith("{", match.end())
            return f"{text}$" if glued else text

        text = INTERPOLATION.sub(put, value.value)
        if failed:
            return ast.Unreadable(value.span)
        return value if text == value.value else ast.Str(text, value.triple, value.span)

    def _as_text(self, name: str, value: ast.Value, span: Span) -> str | None:
        """A string, or a whole number without a unit, as text; else None after an error."""
        if isinstance(value, ast.Str):
            return value.value
        if isinstance(value, ast.Number) and not value.unit and _WHOLE.match(value.text):
            return value.text
        self.definitions.found.append(
            error(
                "FT116",
                f"`${{{name}}}` is neither a string nor a whole number",
                span,
                labels=(Label(value.span, "its value"),),
                help=("write the text out, or define it as a string",),
            )
        )
        return None


def _same(new: tuple[ast.Value, ...], old: tuple[ast.Value, ...]) -> bool:
    return all(a is b for a, b in zip(new, old, strict=True))


def _inside(value: ast.Str, written: str) -> Span:
    """Where an interpolation stands in its string; the whole string where escapes hide it."""
    span = value.span
    at = span.text.find(written)
    if at < 0:
        return span
    return Span(span.source, span.start + at, span.start + at + len(written))
