"""What strings and numerals say: escapes, indents, units.  Shared by the checks and the tree."""

from __future__ import annotations

import re

from ftlang.record import Record

QUOTES = "“”‘’'`"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}
_ESCAPE = re.compile(r"\\(?:u\{(?P<code>[0-9A-Fa-f]{1,6})\}|(?P<char>[\s\S]?))")
_NUMERAL = re.compile(
    r"(?P<text>[+-]?[0-9]+(?:_[0-9]+)*(?:\.[0-9]+(?:_[0-9]+)*)?(?:[eE][+-]?[0-9]+)?)"
    r"(?P<unit>%|[^\W\d_]*)\Z"
)


class Numeral(Record):
    """A numeral without its underscores, and the unit glued to it."""

    text: str
    unit: str


def numeral(written: str) -> Numeral | None:
    """The parts of `2e-4`, `1_000`, `4Ki` or `5%`; None where it is not one."""
    match = _NUMERAL.match(written)
    return Numeral(match["text"].replace("_", ""), match["unit"]) if match else None


def string_value(written: str) -> str:
    """The value of a string in any kind of quotes, closed or not; bad escapes stay as they are."""
    if written.startswith('"""'):
        return _text_value(written)
    if written[:1] in QUOTES:
        return written[1:-1] if len(written) > 1 and written[-1] in QUOTES else written[1:]
    inner = written[1:-1] if _is_closed(written) else written[1:]
    return _ESCAPE.sub(lambda match: _unescaped(match) or match[0], inner)


def quoted(value: str) -> str:
    """The value as a string literal."""
    for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r")):
        value = value.replace(plain, escaped)
    return f'"{value}"'


def clipped(written: str) -> str:
    """What was written, on one short line, for a message."""
    line = " ".join(written.split())
    line = line if len(line) <= 40 else line[:37] + "…"
    return line if line.isprintable() else ascii(line)[1:-1]


def bad_escapes(written: str) -> list[tuple[int, int]]:
    """Offsets in a string literal, start and end, of the escapes that mean nothing."""
    return [match.span() for match in _ESCAPE.finditer(written) if _unescaped(match) is None]


def _is_closed(written: str) -> bool:
    """Whether the last quote ends the string: an odd run of backslashes before it escapes it."""
    if len(written) < 2 or written[-1] != '"':
        return False
    before = written[1:-1]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 0


def _unescaped(match: re.Match[str]) -> str | None:
    if match["code"] is None:
        return _ESCAPES.get(match["char"])
    code = int(match["code"], 16)
    return chr(code) if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else None


def _text_value(written: str) -> str:
    closed = len(written) >= 6 and written.endswith('"""')
    inner = re.sub(r"\r\n?", "\n", written[3:-3] if closed else written[3:])
    if "\n" not in inner:
        return inner
    lines = inner.removeprefix("\n").split("\n")
    indents = [re.match(r"[ \t]*", line)[0] for line in lines if line.strip()]  # type: ignore[index]
    common = _common_prefix(indents)
    return "\n".join(line[len(common) :] if line.strip() else "" for line in lines)


def _common_prefix(texts: list[str]) -> str:
    if not texts:
        return ""
    low, high = min(texts), max(texts)
    size = next((at for at, char in enumerate(low) if char != high[at]), len(low))
    return low[:size]
