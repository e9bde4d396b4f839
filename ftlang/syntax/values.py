"""Mistakes in values: missing, too many, wrongly joined, wrongly set."""

from __future__ import annotations

from ftlang.syntax.literals import clipped
from ftlang.syntax.place import (
    ENDS,
    SETS,
    UNREADABLE,
    Place,
    Repair,
    equals_missing,
    virtual,
    wrong,
)
from ftlang.syntax.tokens import CLOSERS, OPENERS, VALUE_ENDS, VALUE_STARTS, Token


def no_value(place: Place) -> Repair | None:
    """`lr =` with nothing behind it."""
    last, word = place.word(-1), place.word()
    if last.type not in SETS or word.type not in ENDS or UNREADABLE not in place.accepts:
        return None
    key = _key_before(place)
    found = wrong(place, "FT019", f"`{key}` has no value" if key else "a value is missing", last)
    return Repair(found, insert=(virtual(UNREADABLE, last.end),))


def _key_before(place: Place) -> str:
    """The dotted name before the `=` that precedes this word."""
    index = place.at - 2
    while index > place.start and place.words[index].type in ("NAME", "DOT", "STRING"):
        if place.words[index - 1].type not in ("DOT", "NAME") or (
            place.words[index].type == place.words[index - 1].type
        ):
            break
        index -= 1
    if index < place.start:
        return ""
    return clipped(place.source.text[place.words[index].start : place.words[place.at - 2].end])


def parenthesised(place: Place) -> Repair | None:
    """A tuple, or parentheses around a value: read as a list."""
    word = place.word()
    if word.type != "LPAR" or "LSQB" not in place.accepts:
        return None
    close = _closer(place.words, place.at)
    end = place.words[close]
    inside = place.source.text[word.end : end.start].strip().removesuffix(",")
    several = any(each.type == "COMMA" for each in place.words[place.at : close])
    if several:
        message, better = "lists stand in `[…]`; there are no tuples", f"[{inside}]"
    else:
        message, better = "parentheses do not group; write the value alone", inside
    fix = place.edit(word.start, end.end, better) if end.text and inside else None
    found = wrong(place, "FT025", message, word, fix=fix)
    return Repair(found, retype={place.at: "LSQB", close: "RSQB"})


def _closer(words: list[Token], opener: int) -> int:
    depth = 0
    for index in range(opener, len(words)):
        depth += (words[index].type in OPENERS) - (words[index].type in CLOSERS)
        if depth == 0:
            return index
    return len(words) - 1


def empty_item(place: Place) -> Repair | None:
    """`[1,,2]` or `[,1]`."""
    word, last = place.word(), place.word(-1)
    if word.type != "COMMA" or place.inner == "LBRACE" or "LSQB" not in place.accepts:
        return None
    if last.type not in ("COMMA", "LPAR", "LSQB"):
        return None
    fix = place.edit(word.start, word.end, "")
    found = wrong(place, "FT024", "nothing stands before this comma", word, fix=fix)
    return Repair(found, skip=1)


def no_comma(place: Place) -> Repair | None:
    """`[a b]`: one mistake for a bracket, whose fix puts in every comma that is missing."""
    word = place.word()
    fits = word.type in VALUE_STARTS and "COMMA" in place.accepts
    if place.inner == "LBRACE" or not fits:
        return None
    comma = (virtual("COMMA", word.start),)
    if place.reported:
        return Repair(wrong(place, "FT023", "another comma is missing", word), insert=comma)
    gaps = _gaps(place)
    start, end = gaps[0][0], gaps[-1][1]
    text, at = "", start
    for gap, following in gaps:
        text += place.source.text[at:gap] + ","
        at = gap
        text += "" if place.source.text[gap:following] else " "
    text += place.source.text[at:end]
    what = "list" if place.inner == "LSQB" else "call"
    found = wrong(
        place,
        "FT023",
        f"a comma is missing before {place.shown(word)}",
        word,
        notes=(f"commas separate what stands in a {what}",),
        fix=place.edit(start, end, text),
    )
    return Repair(found, insert=comma)


def _gaps(place: Place) -> list[tuple[int, int]]:
    """Where commas are missing, from this word to the bracket's end: (after, before) offsets."""
    gaps, depth = [], 0
    for index in range(place.at, len(place.words)):
        word, last = place.words[index], place.words[index - 1]
        if depth == 0 and word.type in VALUE_STARTS and last.type in VALUE_ENDS:
            unit = last.type == "NUMBER" and word.type == "NAME"
            if index == place.at or not unit:
                gaps.append((last.end, word.start))
        depth += (word.type in OPENERS) - (word.type in CLOSERS)
        if depth < 0:
            break
    return gaps


def keyword_in_list(place: Place) -> Repair | None:
    """`[a = 1]`."""
    word, last = place.word(), place.word(-1)
    if place.inner != "LSQB" or word.type not in SETS | {"COLON"} or last.type != "NAME":
        return None
    found = wrong(
        place,
        "FT037",
        f"a list holds values; `{last.text} {word.text}` is for maps and calls",
        last,
        word,
        help=("write a map: `{ name = value }`",),
    )
    return Repair(found)


# Assignment


def colon(place: Place) -> Repair | None:
    """`r: 16`, read as `=`."""
    word, last = place.word(), place.word(-1)
    if word.type != "COLON":
        return None
    first = place.words[place.start]
    if "LBRACE" in place.accepts and last.type == "NAME" and place.word(1).type in ENDS:
        head = clipped(place.source.text[first.start : last.end])
        return Repair(wrong(place, "FT021", f"blocks stand in braces: `{head} {{ … }}`", word))
    if "EQ" not in place.accepts:
        return None
    if first.type == "LET" and place.word(1).type == "NAME" and place.word(2).type == "EQ":
        found = wrong(
            place, "FT034", "a `let` has no type; only a `param` has", word, place.word(1),
            fix=place.edit(last.end, place.word(1).end, ""),
        )  # fmt: skip
        return Repair(found, skip=2)
    if place.word(1).type in ENDS:
        message = f"blocks stand in braces: `{last.text} {{ … }}`"
        return Repair(wrong(place, "FT021", message, word))
    space = "" if place.source.text[word.end : word.end + 1].isspace() else " "
    found = wrong(
        place,
        "FT021",
        "a field is set with `=`, not with `:`",
        word,
        fix=place.edit(last.end, word.end, f" ={space}"),
    )
    return Repair(found, retype={place.at: "EQ"})


def no_equals(place: Place) -> Repair | None:
    """`r 16`, where only a value can follow."""
    word, last = place.word(), place.word(-1)
    if "EQ" not in place.accepts or word.type in ENDS or word.type not in VALUE_STARTS | {"LBRACE"}:
        return None
    if word.type == "STRING" and place.word(1).type in ("LBRACE", "EXTENDS"):
        return None
    if word.type in ("NAME", "LBRACE") and not place.in_map:
        dotted = len(place.entry) > 1
        blocklike = word.type == "LBRACE" or place.word(1).type in ("LBRACE", "EXTENDS")
        if not dotted or blocklike:
            return None
    if place.word(1).type in SETS:  # `r 0 = 16`: the value stands behind
        found = wrong(place, "FT049", f"{place.shown(word)} does not fit here", word)
        return Repair(found, skip=1)
    if place.word(1).type == "LBRACE":
        return None
    return Repair(equals_missing(place, last, word), insert=(virtual("EQ", last.end, "="),))


def second_equals(place: Place) -> Repair | None:
    """`a = b = 3`."""
    word, last = place.word(), place.word(-1)
    if word.type not in SETS or "_NL" not in place.accepts or len(place.entry) < 3:
        return None
    found = wrong(place, "FT026", "an entry sets one field, so it has one `=`", word)
    return Repair(found) if last.type in VALUE_ENDS else None
