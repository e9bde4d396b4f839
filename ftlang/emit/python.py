"""Expressions as Python text in Black's form, and the one way for a string to get there."""

from __future__ import annotations

from collections.abc import Mapping

from black.strings import str_width

from ftlang.plan.script import Argument, Call, Code, Entries, Expression, Items, Joined, Line

WIDTH = 88

# A line's origins travel behind it between these two characters, until `sourcemap` takes them off.
MARK, MARK_END = "\ue000", "\ue001"


def literal(value: object) -> str:
    """A Python literal.  Every string of a user goes through here: quoted, escaped, printable.

    Quotes are chosen as Black chooses them.  Characters that are not printable, such as
    bidirectional controls, are written as escapes.  Raises TypeError for anything but scalars.
    """
    if isinstance(value, str):
        quote = "'" if value.count("'") < value.count('"') else '"'
        return quote + "".join(_escaped(c, quote) for c in value) + quote
    if value is None or isinstance(value, bool | int):
        return repr(value)
    if isinstance(value, float):
        return _float(value)
    raise TypeError(f"no literal for {type(value).__name__}")


_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\"}


def _escaped(char: str, quote: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    if char == quote:
        return "\\" + char
    if char.isprintable():
        return char
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _float(value: float) -> str:
    """The shortest form that reads back equal: `2e-4` rather than `0.0002`, `0.05`, `1.0`."""
    text = repr(value)
    if value != 0 and (abs(value) < 1e-2 or abs(value) >= 1e16):
        for digits in range(17):
            mantissa, exponent = f"{value:.{digits}e}".split("e")
            short = f"{mantissa}e{int(exponent)}"
            if float(short) == value:
                return short
    return text


def flat(value: Expression) -> str:
    """The expression on one line."""
    match value:
        case Code():
            return value.text
        case Joined():
            return f"{value.folder} / {literal(value.path)}"
        case Call():
            return f"{value.function}({', '.join(_argument(a) for a in value.arguments)})"
        case Items():
            return f"[{', '.join(flat(item) for item in value.items)}]"
        case Entries():
            shown = (f"{literal(e.name)}: {flat(e.value)}" for e in value.entries)
            return "{" + ", ".join(shown) + "}"
        case Mapping():
            pairs = (f"{literal(k)}: {literal(v)}" for k, v in value.items())
            return "{" + ", ".join(pairs) + "}"
        case tuple():
            return f"[{', '.join(literal(item) for item in value)}]"
    return literal(value)


def _argument(argument: Argument) -> str:
    text = flat(argument.value)
    return f"{argument.name}={text}" if argument.name else text


def _tall(value: Expression) -> bool:
    if isinstance(value, Call):
        inner = any(_tall(a.value) or a.note for a in value.arguments)
        return inner or (value.tall and len(value.arguments) > 0)
    return isinstance(value, Items) and any(_tall(item) for item in value.items)


def lines(line: Line, indent: str, suffix: str = "") -> list[str]:
    """A statement as lines of text, each with the origins that it comes from behind it."""
    prefix = f"{line.target} = " if line.target and line.target != "return" else ""
    prefix = "return " if line.target == "return" else prefix
    return _laid(prefix, line.value, indent, suffix, line.paths, line.note)


def _laid(
    prefix: str,
    value: Expression,
    indent: str,
    suffix: str,
    paths: tuple[str, ...],
    note: str,
) -> list[str]:
    """The expression behind its prefix: on one line where that fits, else one part a line."""
    one = f"{indent}{prefix}{flat(value)}{suffix}"
    parts_of = _parts(value)
    if (not _tall(value) and str_width(one) <= WIDTH) or parts_of is None:
        where = _all_paths(value, paths)
        if note and str_width(f"{one}  # {note}") > WIDTH:
            return [_marked(f"{indent}# {note}", where), _marked(one, where)]
        return [_marked(f"{one}  # {note}" if note else one, where)]
    opening, closing, parts = parts_of
    within = indent + "    "
    result = [_marked(f"{indent}# {note}", paths)] if note else []
    result.append(_marked(f"{indent}{prefix}{opening}", paths))
    for head, part, part_paths, part_note in parts:
        result += _laid(head, part, within, ",", part_paths, part_note)
    return [*result, _marked(f"{indent}{closing}{suffix}", paths)]


_Part = tuple[str, Expression, tuple[str, ...], str]


def _parts(value: Expression) -> tuple[str, str, list[_Part]] | None:
    """What opens and closes an expression, and what stands between; None for one without parts."""
    match value:
        case Call() if value.arguments:
            parts: list[_Part] = [
                (f"{a.name}=" if a.name else "", a.value, a.paths, a.note) for a in value.arguments
            ]
            return f"{value.function}(", ")", parts
        case Joined():  # too wide for an operator, which Black would break at its sign
            return f"{value.folder}.joinpath(", ")", [("", value.path, (), "")]
        case Items() if value.items:
            return "[", "]", [("", item, (), "") for item in value.items]
        case Entries() if value.entries:
            entries = [(f"{literal(e.name)}: ", e.value, e.paths, e.note) for e in value.entries]
            return "{", "}", entries
        case Mapping() if value:
            return "{", "}", [(f"{literal(k)}: ", v, (), "") for k, v in value.items()]
        case tuple() if value:
            return "[", "]", [("", item, (), "") for item in value]
    return None


def _all_paths(value: Expression, paths: tuple[str, ...]) -> tuple[str, ...]:
    """The paths of everything that a flat line holds, each once."""
    found = list(paths)
    if isinstance(value, Call | Entries):
        arguments = value.arguments if isinstance(value, Call) else value.entries
        for argument in arguments:
            found += _all_paths(argument.value, argument.paths)
    if isinstance(value, Items):
        for item in value.items:
            found += _all_paths(item, ())
    return tuple(dict.fromkeys(found))


def _marked(text: str, paths: tuple[str, ...]) -> str:
    return f"{text}{MARK}{','.join(paths)}{MARK_END}" if paths else text


def docstring(*paragraphs: str) -> list[str]:
    """A module docstring's lines: user text that can neither end it nor escape from it.

    Trailing blanks are dropped, for Black would; a lone quote at an end gets a space, as in Black.
    """
    text = "\n\n".join(p for p in paragraphs if p)
    text = "".join(c if c.isprintable() or c == "\n" else _escaped(c, "") for c in text)
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    rows = [row.rstrip() for row in text.strip().split("\n")]
    if len(rows) == 1:
        row = rows[0]
        end = " " if row.endswith('"') else ""
        start = " " if row.startswith('"') else ""
        return [f'"""{start}{row}{end}"""']
    start = " " if rows[0].startswith('"') else ""
    return [f'"""{start}{rows[0]}', *rows[1:], '"""']
