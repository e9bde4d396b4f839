"""Mistakes in the head of a block: names missing, too many, quoted, dotted; `extends`."""

from __future__ import annotations

from ftlang.syntax.literals import clipped, string_value
from ftlang.syntax.place import (
    ENDS,
    NAME,
    SETS,
    UNREADABLE,
    Place,
    Repair,
    begins_entry,
    equals_missing,
    virtual,
    wrong,
)
from ftlang.syntax.tokens import Token

_NAMED = frozenset({"run", "defaults", "dataset", "template", "profile"})


def extends(place: Place) -> Repair | None:
    """`extends` without a base, a body, or the name of its own block."""
    word, last, first = place.word(), place.word(-1), place.words[place.start]
    if word.text == "extends" and {"EXTENDS"} <= place.accepts and place.word(1).type == "LBRACE":
        found = wrong(place, "FT031", "`extends` needs what it extends", word)
        return Repair(found, skip=1)
    if last.type == "EXTENDS":
        found = wrong(place, "FT031", "`extends` needs what it extends", last)
        return Repair(found)
    if last.text == "extends" and place.at == place.start + 2 and word.type == "NAME":
        found = wrong(
            place, "FT031", f"this `{first.text}` has no name of its own", last,
            help=(f"write `{first.text} NAME extends {word.text} {{ … }}`",),
        )  # fmt: skip
        return Repair(found, nameless=True)
    extends = next((each for each in place.entry if each.type == "EXTENDS"), None)
    if extends and "LBRACE" in place.accepts and word.type in ENDS:
        found = wrong(
            place,
            "FT031",
            f"`{first.text}` extends another, so it has a body",
            extends,
            last,
            fix=place.edit(last.end, last.end, " { }"),
        )
        braces = (virtual("LBRACE", last.end), virtual("RBRACE", last.end))
        return Repair(found, insert=braces)
    return None


def head(place: Place) -> Repair | None:
    """A head of names: too few, too many, quoted, dotted."""
    entry, word, last = place.entry, place.word(), place.word(-1)
    if not entry or any(each.type not in ("NAME", "DOT") for each in entry):
        return None
    if word.type == "STRING" and place.word(1).type in ("LBRACE", "EXTENDS"):
        return quoted_name(place)
    dotted = any(each.type == "DOT" for each in entry)
    if dotted and last.type == "DOT":
        return None
    if dotted and word.type in ("NAME", "LBRACE"):
        found = wrong(
            place,
            "FT029",
            "the name of a block has no dots",
            entry[0],
            last,
            help=(f"write `{entry[0].text} {{ … }}` and put the inner block into it",),
        )
        return Repair(found, nameless=True)
    if word.type in ENDS and (dotted or len(entry) == 1):
        name = clipped(place.source.text[entry[0].start : last.end])
        found = wrong(
            place,
            "FT027",
            f"`{name}` alone says nothing",
            entry[0],
            last,
            help=(f"set it: `{name} = …`", f"or open a block: `{name} {{ … }}`"),
        )
        value = (virtual("EQ", last.end, "="), virtual(UNREADABLE, last.end))
        return Repair(found, insert=value)
    return _second_name(place) if len(entry) == 2 and not dotted else None


def quoted_name(place: Place) -> Repair:
    """`run "a" { … }`, read without the quotes."""
    word = place.word()
    value = string_value(word.text)
    usable = NAME.match(value) is not None
    found = wrong(
        place,
        "FT030",
        "the name of a block is not quoted",
        word,
        help=() if usable else ("names have letters, digits, `_` and inner `-`",),
        fix=place.edit(word.start, word.end, value) if usable else None,
    )
    return Repair(found, insert=(word._replace(type="NAME", text=value),), skip=1)


def _second_name(place: Place) -> Repair | None:
    """After two names: a dot, a call, an `=` or a third name."""
    (first, second), word = place.entry, place.word()
    if word.type == "DOT":
        end = place.at
        while place.words[end].type in ("DOT", "NAME"):
            end += 1
        final = place.words[end - 1]
        if place.words[end].type not in ("LBRACE", "EXTENDS") and first.text not in _NAMED:
            return _restart_with_equals(place, first, second)
        written = place.source.text[second.start : final.end]
        better = "-".join(part for part in written.split(".") if part)
        found = wrong(
            place,
            "FT029",
            "the name of a block has no dots",
            second,
            final,
            help=(f"for example `{better}`",),
        )
        if place.words[end].type in ENDS:
            return Repair(found)
        name = second._replace(text=better, end=final.end)
        return Repair(found, insert=(first, name), skip=end - place.start, restart=True)
    if word.type == "LPAR":
        return _restart_with_equals(place, first, second)
    if word.type in SETS:
        better = f"{first.text}_{second.text}"
        found = wrong(
            place, "FT028", "the name of a field is one word", first, second,
            help=(f"for example `{better}`",),
        )  # fmt: skip
        return Repair(found)
    if word.type == "NAME" and not _pair_follows(place):
        found = wrong(
            place,
            "FT028",
            f"a block has a name and a kind; `{word.text}` is one word too many",
            word,
            fix=place.edit(second.end, word.end, ""),
        )
        return Repair(found, skip=1)
    return None


def _pair_follows(place: Place) -> bool:
    """Whether the third name starts an entry of its own: `method sft lr = 1`."""
    after = place.word(1).type
    return begins_entry(place) and after != "LBRACE"


def _restart_with_equals(place: Place, key: Token, value: Token) -> Repair:
    found = equals_missing(place, key, value)
    return Repair(found, insert=(key, virtual("EQ", key.end, "=")), skip=1, restart=True)
