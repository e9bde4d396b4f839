"""Mistakes in `use`, `let`, `param` and `unset`."""

from __future__ import annotations

import re

from ftlang.syntax.literals import quoted
from ftlang.syntax.place import ENDS, Place, Repair, last_visible, virtual, wrong
from ftlang.syntax.tokens import OPENERS, VALUE_STARTS, Token

_IMPORTS = frozenset({"import", "include", "from", "load", "require", "source"})


def foreign_import(place: Place) -> Repair | None:
    """`import "base.ft"`, read as `use`."""
    first, word = place.words[place.start], place.word()
    if place.at != place.start + 1 or first.text not in _IMPORTS or word.type != "STRING":
        return None
    if first.text == "from" and place.word(1).text == "import":
        message = "another file is brought in with `use`, not with `from`"
        end = place.at
        while place.words[end].type not in ENDS:
            end += 1
        found = wrong(place, "FT033", message, first, help=(f"write `use {word.text}`",))
        return Repair(
            found, insert=(first._replace(type="USE"), word), skip=end - place.start, restart=True
        )
    if place.word(1).type not in ENDS | {"AS"}:
        return None
    found = wrong(
        place,
        "FT033",
        f"another file is brought in with `use`, not with `{first.text}`",
        first,
        fix=place.edit(first.start, first.end, "use"),
    )
    return Repair(found, insert=(first._replace(type="USE"),), skip=1, restart=True)


def use(place: Place) -> Repair | None:
    """A path without quotes, `as` left out, or nothing."""
    if place.words[place.start].type != "USE":
        return None
    word, last = place.word(), place.word(-1)
    if "STRING" in place.accepts:
        end = _end_of_path(place)
        if end == place.at:
            message = "`use` needs the path of a file"
            return Repair(wrong(place, "FT033", message, last, help=('write `use "base.ft"`',)))
        final = place.words[end - 1]
        path = place.source.text[word.start : final.end]
        found = wrong(
            place,
            "FT033",
            "the path of a `use` is quoted",
            word,
            final,
            fix=place.edit(word.start, final.end, quoted(path)),
        )
        string = Token("STRING", quoted(path), word.start, final.end)
        return Repair(found, insert=(string,), skip=end - place.at)
    if "AS" in place.accepts and word.type == "NAME" and place.word(1).type in ENDS:
        found = wrong(
            place,
            "FT033",
            f"`as` is missing before `{word.text}`",
            word,
            fix=place.edit(word.start, word.start, "as "),
        )
        return Repair(found, insert=(virtual("AS", word.start, "as"),))
    message = f"`use` does not take {place.shown(word)} here"
    return Repair(wrong(place, "FT033", message, last_visible(place)))


def _end_of_path(place: Place) -> int:
    """The index after the words that seem to make up an unquoted path."""
    end = place.at
    while place.words[end].type not in ENDS | set(OPENERS) | {"AS"}:
        end += 1
    return end


def let(place: Place) -> Repair | None:
    """A `let` without its name or its value."""
    if place.words[place.start].type != "LET" or not {"NAME", "EQ"} & place.accepts:
        return None
    if place.at > place.start + 2:
        return None
    message = "a `let` has a name and a value: `let rate = 2e-4`"
    return Repair(wrong(place, "FT034", message, last_visible(place)))


def param(place: Place) -> Repair | None:
    """A `param` without its name or its type."""
    first, word, last = place.words[place.start], place.word(), place.word(-1)
    if first.type != "PARAM" or place.at > place.start + 3:
        return None
    if "COLON" in place.accepts and word.type == "EQ":
        type_ = _type_of(place.word(1))
        found = wrong(
            place,
            "FT034",
            f"the parameter `{last.text}` has no type",
            last,
            help=(f"write `param {last.text}: {type_ or 'int'} = …`",),
            fix=place.edit(last.end, last.end, f": {type_}") if type_ else None,
        )
        at = last.end
        return Repair(found, insert=(virtual("COLON", at), virtual("NAME", at, type_ or "")))
    if "EQ" in place.accepts and word.type in VALUE_STARTS:
        return None
    message = "a `param` has a name and a type: `param seed: int = 42`"
    return Repair(wrong(place, "FT034", message, last_visible(place)))


def _type_of(value: Token) -> str:
    if value.type == "NUMBER":
        if value.text.endswith("%"):
            return "share"
        return "int" if re.fullmatch(r"[+-]?\d+", value.text) else "float"
    return {"STRING": "string", "TEXT": "string", "TRUE": "bool", "FALSE": "bool"}.get(
        value.type, ""
    )


def unset(place: Place) -> Repair | None:
    """`unset` with no field, or with more than one."""
    if place.words[place.start].type != "UNSET":
        return None
    message = "`unset` takes the name of one field: `unset optimizer.weight_decay`"
    return Repair(wrong(place, "FT035", message, last_visible(place)))
