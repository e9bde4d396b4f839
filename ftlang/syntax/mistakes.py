"""What is wrong where a word does not fit, and how to read on.

`mistake` looks at the entry so far, the word and what would have fitted.  The first reading that
applies wins, so they stand from the most to the least special.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from ftlang.diagnostics import Diagnostic, Edit, error
from ftlang.source import SourceFile, Span
from ftlang.syntax.literals import clipped, quoted, string_value
from ftlang.syntax.tokens import CLOSERS, OPENERS, RESERVED, VALUE_ENDS, VALUE_STARTS, Token

UNREADABLE = "BARE"  # with an empty text: the value of an entry whose own could not be read
NAME = re.compile(r"[^\W\d]\w*(-\w+)*\Z")
_ENDS = frozenset({"_NL", "COMMA", "RBRACE", "RPAR", "RSQB", "$END"})
_SETS = frozenset({"EQ", "PLUS_EQ"})
_IMPORTS = frozenset({"import", "include", "from", "load", "require", "source"})
_NAMED = frozenset({"run", "defaults", "dataset", "template", "profile"})
_INDENT = re.compile(r"[ \t]*")
_STATEMENTS = frozenset({"USE", "LET", "PARAM", "UNSET"})


@dataclass(frozen=True, slots=True)
class Repair:
    """The diagnostic, and how the driver goes on.

    `insert` words are fed, then `skip` words left out; with `restart` that happens from the
    entry's beginning.  `retype` changes words in place.  Without any of them the driver gives
    the entry up; `nameless` then says that its head does not tell which block it is.
    """

    found: Diagnostic
    insert: tuple[Token, ...] = ()
    skip: int = 0
    retype: dict[int, str] = field(default_factory=dict)
    restart: bool = False
    nameless: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where a word does not fit.

    `start` is the index of the entry's first word; `inner` the innermost open bracket, `LBRACE`
    for a body, a map and the file itself; `accepts` the terminals that would have fitted;
    `reported` says that the entry has a mistake already, so that only the repair matters.
    """

    source: SourceFile
    words: list[Token]
    at: int
    start: int
    inner: str
    in_map: bool
    accepts: set[str]
    reported: bool

    def word(self, offset: int = 0) -> Token:
        """A word by its distance from this one; outside the file a newline."""
        index = self.at + offset
        return self.words[index] if 0 <= index < len(self.words) else Token("_NL", "", 0, 0)

    @property
    def entry(self) -> list[Token]:
        """The words of the entry before this one."""
        return self.words[self.start : self.at]

    def span(self, first: Token, last: Token | None = None) -> Span:
        return Span(self.source, first.start, max(first.end, (last or first).end))

    def shown(self, token: Token) -> str:
        """A word as diagnostics name it."""
        if token.type == "_NL":
            return "the end of the line"
        if token.type == "$END":
            return "the end of the file"
        return f"`{clipped(self.source.text[token.start : token.end])}`"

    def edit(self, start: int, end: int, text: str) -> Edit:
        return Edit(Span(self.source, start, end), text)


def mistake(place: Place) -> Repair:
    """The mistake at a place, and how to go on after it."""
    for reading in _READINGS:
        repair = reading(place)
        if repair is not None:
            return repair
    return _unexpected(place)


def runs_together(words: list[Token], at: int) -> bool:
    """Whether the name at an index, which follows a number, begins another entry."""
    after, then = words[at + 1].type, words[min(at + 2, len(words) - 1)].type
    return after in _SETS | {"LBRACE", "DOT", "COLON", "EXTENDS", "LPAR"} or (
        after == "NAME" and then in ("LBRACE", "EXTENDS")
    )


def _begins_entry(place: Place) -> bool:
    """Whether an entry of its own seems to start at this word."""
    first = place.word()
    if first.type in _STATEMENTS:
        return True
    if first.type != "NAME":
        return False
    after, then = place.word(1), place.word(2)
    if after.type in _SETS | {"LBRACE", "COLON"}:
        return True
    if after.type in ("NAME", *RESERVED):
        return then.type in _ENDS | {"LBRACE", "EXTENDS"} and then.type not in ("RPAR", "RSQB")
    offset = 1
    while place.word(offset).type == "DOT" and place.word(offset + 1).type in ("NAME", "STRING"):
        offset += 2
    return offset > 1 and place.word(offset).type in _SETS


def _virtual(type_: str, at: int, text: str = "") -> Token:
    return Token(type_, text, at, at)


def _wrong(
    place: Place,
    code: str,
    message: str,
    first: Token,
    last: Token | None = None,
    *,
    help: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
    fix: Edit | None = None,
) -> Diagnostic:
    return error(code, message, place.span(first, last), help=help, notes=notes, fix=fix)


# Values


def _no_value(place: Place) -> Repair | None:
    last, word = place.word(-1), place.word()
    if last.type not in _SETS or word.type not in _ENDS or UNREADABLE not in place.accepts:
        return None
    key = _key_before(place)
    found = _wrong(place, "FT019", f"`{key}` has no value" if key else "a value is missing", last)
    return Repair(found, insert=(_virtual(UNREADABLE, last.end),))


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


def _tuple(place: Place) -> Repair | None:
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
    found = _wrong(place, "FT025", message, word, fix=fix)
    return Repair(found, retype={place.at: "LSQB", close: "RSQB"})


def _closer(words: list[Token], opener: int) -> int:
    depth = 0
    for index in range(opener, len(words)):
        depth += (words[index].type in OPENERS) - (words[index].type in CLOSERS)
        if depth == 0:
            return index
    return len(words) - 1


def _empty_item(place: Place) -> Repair | None:
    word, last = place.word(), place.word(-1)
    if word.type != "COMMA" or place.inner == "LBRACE" or "LSQB" not in place.accepts:
        return None
    if last.type not in ("COMMA", "LPAR", "LSQB"):
        return None
    fix = place.edit(word.start, word.end, "")
    found = _wrong(place, "FT024", "nothing stands before this comma", word, fix=fix)
    return Repair(found, skip=1)


def _no_comma(place: Place) -> Repair | None:
    word = place.word()
    fits = word.type in VALUE_STARTS and "COMMA" in place.accepts
    if place.inner == "LBRACE" or not fits:
        return None
    comma = (_virtual("COMMA", word.start),)
    if place.reported:
        return Repair(_wrong(place, "FT023", "another comma is missing", word), insert=comma)
    gaps = _gaps(place)
    start, end = gaps[0][0], gaps[-1][1]
    text, at = "", start
    for gap, following in gaps:
        text += place.source.text[at:gap] + ","
        at = gap
        text += "" if place.source.text[gap:following] else " "
    text += place.source.text[at:end]
    what = "list" if place.inner == "LSQB" else "call"
    found = _wrong(
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


def _keyword_in_list(place: Place) -> Repair | None:
    word, last = place.word(), place.word(-1)
    if place.inner != "LSQB" or word.type not in _SETS | {"COLON"} or last.type != "NAME":
        return None
    found = _wrong(
        place,
        "FT037",
        f"a list holds values; `{last.text} {word.text}` is for maps and calls",
        last,
        word,
        help=("write a map: `{ name = value }`",),
    )
    return Repair(found)


# Assignment


def _colon(place: Place) -> Repair | None:
    word, last = place.word(), place.word(-1)
    if word.type != "COLON" or "EQ" not in place.accepts:
        return None
    first = place.words[place.start]
    if first.type == "LET":
        found = _wrong(
            place, "FT034", "a `let` has no type; only a `param` has", word, place.word(1),
            fix=place.edit(last.end, place.word(1).end, ""),
        )  # fmt: skip
        return Repair(found, skip=2 if place.word(1).type == "NAME" else 1)
    if place.word(1).type in _ENDS:
        message = f"blocks stand in braces: `{last.text} {{ … }}`"
        return Repair(_wrong(place, "FT021", message, word))
    space = "" if place.source.text[word.end : word.end + 1].isspace() else " "
    found = _wrong(
        place,
        "FT021",
        "a field is set with `=`, not with `:`",
        word,
        fix=place.edit(last.end, word.end, f" ={space}"),
    )
    return Repair(found, retype={place.at: "EQ"})


def _import(place: Place) -> Repair | None:
    first, word = place.words[place.start], place.word()
    if place.at != place.start + 1 or first.text not in _IMPORTS or word.type != "STRING":
        return None
    if place.word(1).type not in _ENDS | {"AS"}:
        return None
    found = _wrong(
        place,
        "FT033",
        f"another file is brought in with `use`, not with `{first.text}`",
        first,
        fix=place.edit(first.start, first.end, "use"),
    )
    return Repair(found, insert=(first._replace(type="USE"),), skip=1, restart=True)


def _no_equals(place: Place) -> Repair | None:
    word, last = place.word(), place.word(-1)
    if (
        "EQ" not in place.accepts
        or word.type in _ENDS
        or word.type not in VALUE_STARTS | {"LBRACE"}
    ):
        return None
    if word.type == "STRING" and place.word(1).type in ("LBRACE", "EXTENDS"):
        return None
    if word.type in ("NAME", "LBRACE") and not place.in_map:
        dotted = len(place.entry) > 1
        blocklike = word.type == "LBRACE" or place.word(1).type in ("LBRACE", "EXTENDS")
        if not dotted or blocklike:
            return None
    return Repair(_equals_missing(place, last, word), insert=(_virtual("EQ", last.end, "="),))


def _equals_missing(place: Place, key: Token, value: Token) -> Diagnostic:
    fix = place.edit(key.end, value.start, " = ")
    message = f"`=` is missing between `{key.text}` and {place.shown(value)}"
    return _wrong(place, "FT020", message, value, fix=fix)


def _second_equals(place: Place) -> Repair | None:
    word, last = place.word(), place.word(-1)
    if word.type not in _SETS or "_NL" not in place.accepts or len(place.entry) < 3:
        return None
    found = _wrong(place, "FT026", "an entry sets one field, so it has one `=`", word)
    return Repair(found) if last.type in VALUE_ENDS else None


# Statements


def _use(place: Place) -> Repair | None:
    if place.words[place.start].type != "USE":
        return None
    word, last = place.word(), place.word(-1)
    if "STRING" in place.accepts:
        end = _end_of_path(place)
        if end == place.at:
            message = "`use` needs the path of a file"
            return Repair(_wrong(place, "FT033", message, last, help=('write `use "base.ft"`',)))
        final = place.words[end - 1]
        path = place.source.text[word.start : final.end]
        found = _wrong(
            place,
            "FT033",
            "the path of a `use` is quoted",
            word,
            final,
            fix=place.edit(word.start, final.end, quoted(path)),
        )
        string = Token("STRING", quoted(path), word.start, final.end)
        return Repair(found, insert=(string,), skip=end - place.at)
    if "AS" in place.accepts and word.type == "NAME" and place.word(1).type in _ENDS:
        found = _wrong(
            place,
            "FT033",
            f"`as` is missing before `{word.text}`",
            word,
            fix=place.edit(word.start, word.start, "as "),
        )
        return Repair(found, insert=(_virtual("AS", word.start, "as"),))
    message = f"`use` does not take {place.shown(word)} here"
    return Repair(_wrong(place, "FT033", message, _visible(place)))


def _end_of_path(place: Place) -> int:
    """The index after the words that seem to make up an unquoted path."""
    end = place.at
    while place.words[end].type not in _ENDS | set(OPENERS) | {"AS"}:
        end += 1
    return end


def _let(place: Place) -> Repair | None:
    if place.words[place.start].type != "LET" or not {"NAME", "EQ"} & place.accepts:
        return None
    if place.at > place.start + 2:
        return None
    message = "a `let` has a name and a value: `let rate = 2e-4`"
    return Repair(_wrong(place, "FT034", message, _visible(place)))


def _param(place: Place) -> Repair | None:
    first, word, last = place.words[place.start], place.word(), place.word(-1)
    if first.type != "PARAM" or place.at > place.start + 3:
        return None
    if "COLON" in place.accepts and word.type == "EQ":
        type_ = _type_of(place.word(1))
        found = _wrong(
            place,
            "FT034",
            f"the parameter `{last.text}` has no type",
            last,
            help=(f"write `param {last.text}: {type_ or 'int'} = …`",),
            fix=place.edit(last.end, last.end, f": {type_}") if type_ else None,
        )
        at = last.end
        return Repair(found, insert=(_virtual("COLON", at), _virtual("NAME", at, type_ or "")))
    if "EQ" in place.accepts and word.type in VALUE_STARTS:
        return None
    message = "a `param` has a name and a type: `param seed: int = 42`"
    return Repair(_wrong(place, "FT034", message, _visible(place)))


def _type_of(value: Token) -> str:
    if value.type == "NUMBER":
        if value.text.endswith("%"):
            return "share"
        return "int" if re.fullmatch(r"[+-]?\d+", value.text) else "float"
    return {"STRING": "string", "TEXT": "string", "TRUE": "bool", "FALSE": "bool"}.get(
        value.type, ""
    )


def _unset(place: Place) -> Repair | None:
    if place.words[place.start].type != "UNSET":
        return None
    message = "`unset` takes the name of one field: `unset optimizer.weight_decay`"
    return Repair(_wrong(place, "FT035", message, _visible(place)))


def _visible(place: Place) -> Token:
    """This word, or the one before where this one is the end of a line."""
    word = place.word()
    return place.word(-1) if word.type in _ENDS and place.at > place.start else word


# Heads of blocks


def _extends(place: Place) -> Repair | None:
    word, last, first = place.word(), place.word(-1), place.words[place.start]
    if word.text == "extends" and {"EXTENDS"} <= place.accepts and place.word(1).type == "LBRACE":
        found = _wrong(place, "FT031", "`extends` needs what it extends", word)
        return Repair(found, skip=1)
    if last.type == "EXTENDS":
        found = _wrong(place, "FT031", "`extends` needs what it extends", last)
        return Repair(found)
    if last.text == "extends" and place.at == place.start + 2 and word.type == "NAME":
        found = _wrong(
            place, "FT031", f"this `{first.text}` has no name of its own", last,
            help=(f"write `{first.text} NAME extends {word.text} {{ … }}`",),
        )  # fmt: skip
        return Repair(found, nameless=True)
    extends = next((each for each in place.entry if each.type == "EXTENDS"), None)
    if extends and "LBRACE" in place.accepts and word.type in _ENDS:
        found = _wrong(
            place,
            "FT031",
            f"`{first.text}` extends another, so it has a body",
            extends,
            last,
            fix=place.edit(last.end, last.end, " { }"),
        )
        braces = (_virtual("LBRACE", last.end), _virtual("RBRACE", last.end))
        return Repair(found, insert=braces)
    return None


def _head(place: Place) -> Repair | None:
    """A head of names: too few, too many, quoted, dotted."""
    entry, word, last = place.entry, place.word(), place.word(-1)
    if not entry or any(each.type not in ("NAME", "DOT") for each in entry):
        return None
    if word.type == "STRING" and place.word(1).type in ("LBRACE", "EXTENDS"):
        return _quoted_name(place)
    dotted = any(each.type == "DOT" for each in entry)
    if dotted and last.type == "DOT":
        return None
    if dotted and word.type in ("NAME", "LBRACE"):
        found = _wrong(
            place,
            "FT029",
            "the name of a block has no dots",
            entry[0],
            last,
            help=(f"write `{entry[0].text} {{ … }}` and put the inner block into it",),
        )
        return Repair(found, nameless=True)
    if word.type in _ENDS and (dotted or len(entry) == 1):
        name = clipped(place.source.text[entry[0].start : last.end])
        found = _wrong(
            place,
            "FT027",
            f"`{name}` alone says nothing",
            entry[0],
            last,
            help=(f"set it: `{name} = …`", f"or open a block: `{name} {{ … }}`"),
        )
        value = (_virtual("EQ", last.end, "="), _virtual(UNREADABLE, last.end))
        return Repair(found, insert=value)
    return _second_name(place) if len(entry) == 2 and not dotted else None


def _quoted_name(place: Place) -> Repair:
    word = place.word()
    value = string_value(word.text)
    usable = NAME.match(value) is not None
    found = _wrong(
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
        found = _wrong(
            place,
            "FT029",
            "the name of a block has no dots",
            second,
            final,
            help=(f"for example `{better}`",),
        )
        if place.words[end].type in _ENDS:
            return Repair(found)
        name = second._replace(text=better, end=final.end)
        return Repair(found, insert=(first, name), skip=end - place.start, restart=True)
    if word.type == "LPAR":
        return _restart_with_equals(place, first, second)
    if word.type in _SETS:
        better = f"{first.text}_{second.text}"
        found = _wrong(
            place, "FT028", "the name of a field is one word", first, second,
            help=(f"for example `{better}`",),
        )  # fmt: skip
        return Repair(found)
    if word.type == "NAME" and not _pair_follows(place):
        found = _wrong(
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
    return _begins_entry(place) and after != "LBRACE"


def _restart_with_equals(place: Place, key: Token, value: Token) -> Repair:
    found = _equals_missing(place, key, value)
    return Repair(found, insert=(key, _virtual("EQ", key.end, "=")), skip=1, restart=True)


# Ends of entries


def _next_entry(place: Place) -> Repair | None:
    """Another entry on the same line: after a whole entry, or a name behind a number."""
    word, last = place.word(), place.word(-1)
    if place.inner != "LBRACE" or "_NL" not in place.accepts or not _begins_entry(place):
        return None
    line_start = place.source.line_starts[place.span(last).line - 1]
    indent = _INDENT.match(place.source.text, line_start)
    found = _wrong(
        place,
        "FT022",
        f"a new line or a comma is missing before {place.shown(word)}",
        word,
        fix=place.edit(last.end, word.start, "\n" + (indent[0] if indent else "")),
    )
    return Repair(found, insert=(_virtual("_NL", word.start),))


def _more_values(place: Place) -> Repair | None:
    word, last = place.word(), place.word(-1)
    if "_NL" not in place.accepts or word.type not in VALUE_STARTS:
        return None
    if last.type == "STRING" and last.end == word.start:
        found = _wrong(
            place,
            "FT043",
            r"a quote inside a string is written `\"`",
            last,
            word,
            help=(r'write `\"` for each quote inside, or use """…"""',),
        )
        return Repair(found)
    if not any(each.type in _SETS for each in place.entry):
        return None
    message = f"one value is expected, and {place.shown(word)} is another"
    help_ = ("write a list: `[a, b]`", "or quote the text")
    return Repair(_wrong(place, "FT042", message, word, help=help_))


def _no_entry(place: Place) -> Repair | None:
    word = place.word()
    if place.at != place.start:
        first = place.entry[0]
        if len(place.entry) == 1 and first.type == "NAME" and word.type == "LPAR":
            message = f"`{first.text}(…)` is a value; say which field it is for"
            return Repair(_wrong(place, "FT040", message, first))
        return None
    if word.type == "STRING" and place.word(1).type in _SETS | {"COLON"}:
        name = string_value(word.text)
        usable = NAME.match(name) is not None
        found = _wrong(
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
        return _quoted_name(place)
    message = f"an entry does not begin with {place.shown(word)}"
    help_ = ("write `name = value` or `name { … }`",)
    return Repair(_wrong(place, "FT040", message, word, help=help_))


def _unexpected(place: Place) -> Repair:
    word = _visible(place)
    wanted = [text for type_, text in _WANTED.items() if type_ in place.accepts]
    message = f"{place.shown(place.word())} does not fit here"
    help_ = (f"expected {' or '.join(wanted[:3])}",) if wanted else ()
    return Repair(_wrong(place, "FT049", message, word, help=help_))


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
    _no_value,
    _tuple,
    _empty_item,
    _no_comma,
    _keyword_in_list,
    _colon,
    _param,
    _import,
    _no_entry,
    _extends,
    _no_equals,
    _use,
    _let,
    _head,
    _next_entry,
    _unset,
    _second_equals,
    _more_values,
)
