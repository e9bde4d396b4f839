"""What is wrong where a word does not fit, and how to read on.

`mistake` looks at the entry so far, the word and what would have fitted.  The first reading that
applies wins, so they stand from the most to the least special.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ftlang.syntax.heads import extends, head, quoted_name
from ftlang.syntax.literals import string_value
from ftlang.syntax.place import (
    NAME,
    SETS,
    Place,
    Repair,
    begins_entry,
    last_visible,
    virtual,
    wrong,
)
from ftlang.syntax.statements import foreign_import, let, param, unset, use
from ftlang.syntax.tokens import VALUE_STARTS
from ftlang.syntax.values import (
    colon,
    empty_item,
    keyword_in_list,
    no_comma,
    no_equals,
    no_value,
    parenthesised,
    second_equals,
)

_INDENT = re.compile(r"[ \t]*")


def mistake(place: Place) -> Repair:
    """The mistake at a place, and how to go on after it."""
    for reading in _READINGS:
        repair = reading(place)
        if repair is not None:
            return repair
    return _unexpected(place)


def next_entry(place: Place) -> Repair | None:
    """Another entry on the same line: after a whole entry, or a name behind a number."""
    word, last = place.word(), place.word(-1)
    if place.inner != "LBRACE" or "_NL" not in place.accepts or not begins_entry(place):
        return None
    line_start = place.source.line_starts[place.span(last).line - 1]
    indent = _INDENT.match(place.source.text, line_start)
    found = wrong(
        place,
        "FT022",
        f"a new line or a comma is missing before {place.shown(word)}",
        word,
        fix=place.edit(last.end, word.start, "\n" + (indent[0] if indent else "")),
    )
    return Repair(found, insert=(virtual("_NL", word.start),))


def more_values(place: Place) -> Repair | None:
    """`x = a b`, or a quote that ended a string too soon."""
    word, last = place.word(), place.word(-1)
    if "_NL" not in place.accepts or word.type not in VALUE_STARTS:
        return None
    if last.type == "STRING" and last.end == word.start:
        found = wrong(
            place,
            "FT043",
            r"a quote inside a string is written `\"`",
            last,
            word,
            help=(r'write `\"` for each quote inside, or use """…"""',),
        )
        return Repair(found)
    if not any(each.type in SETS for each in place.entry):
        return None
    message = f"one value is expected, and {place.shown(word)} is another"
    help_: tuple[str, ...] = ("write a list: `[a, b]`", "or quote the text")
    if last.type == "VAR" and word.type == "NAME":
        name = last.text.lstrip("$").rpartition(".")[2]
        help_ = (f"let the unit be part of the value: `let {name} = 8 {word.text}`",)
    return Repair(wrong(place, "FT042", message, word, help=help_))


def no_entry(place: Place) -> Repair | None:
    """A word that begins no entry."""
    word = place.word()
    if place.at != place.start:
        first = place.entry[0]
        if len(place.entry) == 1 and first.type == "NAME" and word.type == "LPAR":
            message = f"`{first.text}(…)` is a value; say which field it is for"
            return Repair(wrong(place, "FT040", message, first))
        return None
    if word.type == "STRING" and place.word(1).type in SETS | {"COLON"}:
        name = string_value(word.text)
        usable = NAME.match(name) is not None
        found = wrong(
            place,
            "FT032",
            "the name of a field is not quoted; only the keys of a map may be",
            word,
            help=() if usable else ("for a map write `field = { … }`",),
            fix=place.edit(word.start, word.end, name) if usable else None,
        )
        return Repair(found, insert=(word._replace(type="NAME", text=name),), skip=1)
    names = place.word(1).type == "NAME" and place.word(2).type == "LBRACE"
    if word.type == "STRING" and (names or place.word(1).type == "LBRACE"):
        return quoted_name(place)
    message = f"an entry does not begin with {place.shown(word)}"
    help_ = ("write `name = value` or `name { … }`",)
    return Repair(wrong(place, "FT040", message, word, help=help_))


def _unexpected(place: Place) -> Repair:
    word = last_visible(place)
    wanted = [text for type_, text in _WANTED.items() if type_ in place.accepts]
    message = f"{place.shown(place.word())} does not fit here"
    help_ = (f"expected {' or '.join(wanted[:3])}",) if wanted else ()
    return Repair(wrong(place, "FT049", message, word, help=help_))


_WANTED = {
    "STRING": "a value",
    "EQ": "`=`",
    "COMMA": "a comma",
    "LBRACE": "`{`",
    "NAME": "a name",
    "RPAR": "`)`",
    "RSQB": "`]`",
}

_READINGS: tuple[Callable[[Place], Repair | None], ...] = (
    no_value,
    parenthesised,
    empty_item,
    no_comma,
    keyword_in_list,
    colon,
    param,
    foreign_import,
    no_entry,
    extends,
    no_equals,
    use,
    let,
    head,
    next_entry,
    unset,
    second_equals,
    more_values,
)
