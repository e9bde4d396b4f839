"""Tokens → the words that the parser reads: trivia goes, and what is wrong in a word is said.

Whatever can be decided from a word and its neighbours is decided here, so that the parser sees
what was meant and the mistake is reported once.
"""

from __future__ import annotations

import re
import unicodedata

from ftlang.diagnostics import Diagnostic, Edit, error
from ftlang.source import SourceFile, Span
from ftlang.syntax.literals import QUOTES, bad_escapes, clipped, numeral, quoted
from ftlang.syntax.tokens import TRIVIA, VALUE_ENDS, Token

COUNT_PREFIXES = frozenset({"k", "K", "M", "G", "B", "T", "Ki", "Mi", "Gi", "Ti"})
STRING_PREFIXES = frozenset({"r", "b", "f", "u", "rb", "br", "fr", "rf", "R", "B", "F"})
_ENTRY_STARTS = frozenset({"_NL", "COMMA", "LBRACE", "RBRACE", "$END"})
_ARITHMETIC = frozenset("+-*/%^<>&|!?")
_NAME = re.compile(r"[^\W\d]\w*(-\w+)*\Z")
_NONE = Token("$END", "", 0, 0)


def words(source: SourceFile, tokens: list[Token]) -> tuple[list[Token], list[Diagnostic]]:
    """The tokens that carry meaning, newlines included, and what was wrong in them."""
    reader = _Words(source, tokens)
    while reader.at < len(tokens):
        reader.read()
    return reader.kept, reader.found


class _Words:
    def __init__(self, source: SourceFile, tokens: list[Token]) -> None:
        self.source, self.tokens, self.at = source, tokens, 0
        self.kept: list[Token] = []
        self.found: list[Diagnostic] = []

    @property
    def last(self) -> Token:
        return self.kept[-1] if self.kept else _NONE

    def next(self, index: int) -> tuple[int, Token]:
        """The next word after an index, and its index; past the end a `$END`."""
        index += 1
        while index < len(self.tokens) and self.tokens[index].type in TRIVIA:
            index += 1
        if index < len(self.tokens):
            return index, self.tokens[index]
        return index, _NONE

    def raw(self, index: int) -> Token:
        return self.tokens[index] if index < len(self.tokens) else _NONE

    def wrong(self, code: str, message: str, start: int, end: int, **more: object) -> None:
        self.found.append(error(code, message, Span(self.source, start, end), **more))

    def edit(self, start: int, end: int, text: str) -> Edit:
        return Edit(Span(self.source, start, end), text)

    def read(self) -> None:
        token = self.tokens[self.at]
        self.at += 1
        check = getattr(self, "_" + token.type.strip("_").lower(), None)
        if check is not None:
            check(token)
        elif token.type not in TRIVIA:
            self.kept.append(token)

    # Comments

    def _slashes(self, token: Token) -> None:
        self.wrong(
            "FT008",
            "comments start with `#`, not with `//`",
            token.start,
            token.start + 2,
            fix=self.edit(token.start, token.start + 2, "#"),
        )

    def _block_comment(self, token: Token) -> None:
        self.wrong(
            "FT008",
            "comments start with `#` on each line; there is no `/* … */`",
            token.start,
            token.start + 2,
            help=("start every line of the comment with `#`",),
        )

    # Strings

    def _string(self, token: Token) -> None:
        last = self.last
        before = self.kept[-2] if len(self.kept) > 1 else _NONE
        prefixed = last.type == "NAME" and last.end == token.start and before.end < last.start
        if prefixed and last.text in STRING_PREFIXES:
            self.kept.pop()
            self.wrong(
                "FT044",
                f"strings have no prefix such as `{last.text}`",
                last.start,
                token.end,
                help=('write text with backslashes, such as a regex, as """…"""',),
                fix=self._unprefixed(last, token),
            )
        else:
            self._check_escapes(token)
        self.kept.append(token)

    def _unprefixed(self, prefix: Token, token: Token) -> Edit | None:
        if "f" in prefix.text.lower() and "{" in token.text:
            return None
        inner = token.text[1:-1]
        raw = "r" in prefix.text.lower() and "\\" in inner
        return self.edit(prefix.start, token.end, f'"""{inner}"""' if raw else token.text)

    def _check_escapes(self, token: Token) -> None:
        bad = bad_escapes(token.text)
        if not bad:
            return
        shown = token.text[bad[0][0] : bad[0][1]]
        doubled = token.text
        for start, _ in reversed(bad):
            doubled = doubled[:start] + "\\" + doubled[start:]
        self.wrong(
            "FT290",
            f"`{shown}` is not an escape",
            token.start + bad[0][0],
            token.start + bad[0][1],
            notes=(r"the escapes are `\n`, `\t`, `\r`, `\"`, `\\` and `\u{…}`",),
            help=("double the backslash", 'or write the text as """…""", which has no escapes'),
            fix=self.edit(token.start, token.end, doubled),
        )

    def _bad_string(self, token: Token) -> None:
        if token.text[0] in QUOTES:
            self._foreign_quotes(token)
        else:
            self._string_left_open(token)
        self.kept.append(token._replace(type="STRING"))

    def _foreign_quotes(self, token: Token) -> None:
        text = token.text
        closed = len(text) > 1 and text[-1] in QUOTES
        straight = {"'": "single quotes", "`": "backticks"}
        kind = straight.get(text[0], "typographic quotes")
        self.wrong(
            "FT005",
            f'strings stand in plain double quotes `"…"`, not in {kind}',
            token.start,
            token.end,
            help=() if closed else ("close the string as well",),
            fix=self.edit(token.start, token.end, quoted(text[1:-1])) if closed else None,
        )

    def _string_left_open(self, token: Token) -> None:
        text = token.text
        if "\n" in text or "\r" in text:
            message = "a string ends on the line where it starts"
            more: dict[str, object] = {"help": ('write text of several lines as """…"""',)}
        elif text.endswith('\\"') and len(text) > 2:
            message = r"this string is not closed: `\"` is a quote inside it"
            fixed = self.edit(token.start, token.end, text[:-1] + '\\"')
            more = {"help": ("double the last backslash",), "fix": fixed}
        else:
            message = "this string is not closed"
            more = {"help": ('close it with `"` on the same line',)}
        self.wrong("FT004", message, token.start, token.end, **more)

    def _bad_text(self, token: Token) -> None:
        self.wrong(
            "FT006",
            'this text is not closed by `"""`',
            token.start,
            token.start + 3,
            help=('close it with `"""`',),
        )
        self.kept.append(token._replace(type="TEXT"))

    # Numbers

    def _number(self, token: Token) -> None:
        after, following = self.next(self.at - 1)
        if self.last.type == "NAME" and following.type in ("LBRACE", "EXTENDS"):
            self._not_a_name(token)
        elif numeral(token.text):
            self._join_prefix(token, after, following)
        else:
            self._bad_numeral(token)

    def _join_prefix(self, token: Token, after: int, unit: Token) -> None:
        """Reads `2 B tokens` as `2B tokens`."""
        at, thing = self.next(after)
        ends = self.next(at)[1].type in {"_NL", "COMMA", "$END", "RBRACE", "RPAR", "RSQB"}
        joined = unit.type == thing.type == "NAME" and unit.text in COUNT_PREFIXES
        if not (joined and ends and numeral(token.text + unit.text)):
            self.kept.append(token)
            return
        self.wrong(
            "FT036",
            f"`{unit.text}` stands right behind its number",
            token.start,
            thing.end,
            fix=self.edit(token.end, unit.start, ""),
        )
        self.kept.append(Token("NUMBER", token.text + unit.text, token.start, unit.end))
        self.at = after + 1

    def _bad_numeral(self, token: Token) -> None:
        text = token.text
        pointed = re.sub(r"(?<!\d)\.(?=\d)", "0.", text, count=1)
        pointed = re.sub(r"(?<=\d)\.(?!\d)", ".0", pointed, count=1)
        joined = re.sub(r"_+(?=[^\W\d])|_+\Z", "", re.sub(r"_+", "_", text))
        if numeral(pointed):
            code, better = "FT014", pointed
            message = f"`{clipped(text)}` needs a digit on both sides of the point"
        elif "_" in text and numeral(joined):
            code, better = "FT015", joined
            message = f"in `{clipped(text)}` an underscore is not between two digits"
        else:
            code, better = "FT016", _decimal(text) or ""
            message = f"`{clipped(text)}` is not a number"
        fix = self.edit(token.start, token.end, better) if better else None
        help_ = (f"write `{better}`",) if better else ("quote it if it is text",)
        self.wrong(code, message, token.start, token.end, help=help_, fix=fix)
        if better:
            self.kept.append(token._replace(text=better))
        else:
            self.kept.append(Token("BARE", "", token.start, token.end))

    # Words

    def _bare(self, token: Token) -> None:
        text, last, following = token.text, self.last, self.next(self.at - 1)[1]
        if re.fullmatch(r"/|[0-9.]+/[0-9.]+", text):
            self._arithmetic(token, "/")
            if text != "/":
                self.kept.append(Token("BARE", "", token.start, token.end))
        elif last.type == "USE":
            self.wrong(
                "FT033",
                "the path of a `use` is quoted",
                token.start,
                token.end,
                fix=self.edit(token.start, token.end, quoted(text)),
            )
            self.kept.append(token._replace(type="STRING", text=quoted(text)))
        elif last.type in ("LET", "PARAM") or (
            last.type == "NAME" and following.type in ("LBRACE", "EXTENDS")
        ):
            self._not_a_name(token)
        else:
            self.wrong(
                "FT017",
                f"`{clipped(text)}` must be quoted",
                token.start,
                token.end,
                notes=("only names, joined by dots, go without quotes",),
                fix=self.edit(token.start, token.end, quoted(text)),
            )
            self.kept.append(token._replace(type="STRING", text=quoted(text)))

    def _not_a_name(self, token: Token) -> None:
        better = re.sub(r"[^\w-]+|(?<=\w)-+(?!\w)", "-", token.text).strip("-")
        if not _NAME.match(better):
            better = "x" + better
        usable = bool(_NAME.match(better))
        self.wrong(
            "FT018",
            f"`{clipped(token.text)}` is not a name",
            token.start,
            token.end,
            notes=("a name has letters, digits, `_` and inner `-`, and begins with a letter",),
            help=(f"for example `{better}`",) if usable else (),
        )
        self.kept.append(token._replace(type="NAME", text=better if usable else "x"))

    def _eq(self, token: Token) -> None:
        last = self.last
        if last.type == "EQ":
            gap = last.end == token.start
            self.wrong(
                "FT026",
                "`==` compares; a field is set with `=`" if gap else "one `=` is enough",
                last.start if gap else token.start,
                token.end,
                fix=self.edit(last.end, token.end, ""),
            )
        elif last.type == "COLON" and last.end == token.start:
            self.kept[-1] = Token("EQ", "=", last.start, token.end)
            self._foreign_assignment(last.start, token.end)
        else:
            self.kept.append(token)

    def _foreign_assignment(self, start: int, end: int) -> None:
        self.wrong(
            "FT026",
            f"a field is set with `=`, not with `{self.source.text[start:end]}`",
            start,
            end,
            fix=self.edit(start, end, "="),
        )

    # Characters that begin nothing

    def _stray(self, token: Token) -> None:
        char, raw = token.text, self.raw(self.at)
        if char == "\0":
            self.wrong("FT002", "a NUL character", token.start, token.end)
        elif char == ";":
            self._semicolon(token)
        elif char == "$" and raw.type == "LBRACE" and self._bare_interpolation(token):
            pass
        elif self.last.type == "EQ" and char == ">" and self.last.end == token.start:
            self._foreign_assignment(self.last.start, token.end)
        elif raw.type == "EQ" and raw.start == token.end and char in _ARITHMETIC:
            self.kept.append(raw)
            self.at += 1
            self._foreign_assignment(token.start, raw.end)
        elif char == "-" and self.last.type in _ENTRY_STARTS and raw.type == "WS":
            self.wrong(
                "FT041",
                "lists are written `[a, b]`, not with dashes",
                token.start,
                token.end,
            )
        elif char in _ARITHMETIC and (self.last.type in VALUE_ENDS or raw.type == "VAR"):
            self._arithmetic(token, char)
        else:
            self._unknown_characters(token)

    def _semicolon(self, token: Token) -> None:
        ends = self.next(self.at - 1)[1].type in ("_NL", "$END", "RBRACE")
        self.wrong(
            "FT009",
            "entries end with the line or with `,`, not with `;`",
            token.start,
            token.end,
            fix=self.edit(token.start, token.end, "" if ends else ","),
        )
        self.kept.append(token._replace(type="COMMA"))

    def _bare_interpolation(self, token: Token) -> bool:
        """Reads `${name}` outside a string as `$name`."""
        match = re.compile(r"\$\{\s*([^\W\d][\w.-]*)\s*\}").match(self.source.text, token.start)
        if match is None:
            return False
        end = match.end()
        self.wrong(
            "FT039",
            "`${…}` belongs in strings; outside them a variable is `$name`",
            token.start,
            end,
            fix=self.edit(token.start, end, "$" + match[1]),
        )
        self.kept.append(Token("VAR", "$" + match[1], token.start, end))
        while self.at < len(self.tokens) and self.tokens[self.at].start < end:
            self.at += 1
        return True

    def _arithmetic(self, token: Token, operator: str) -> None:
        self.wrong(
            "FT038",
            f"there is no arithmetic or logic in a spec, so `{operator}` means nothing here",
            token.start,
            token.end,
            help=("write the result", "or quote it if it is text"),
        )

    def _unknown_characters(self, token: Token) -> None:
        first = self.at - 1
        while self.raw(self.at).type == "STRAY" and self.raw(self.at).text not in ";\0$":
            self.at += 1
        text = "".join(t.text for t in self.tokens[first : self.at])
        named = (
            f" ({unicodedata.name(text, 'no name')})"
            if not text.isascii() and len(text) == 1
            else ""
        )
        plural = "s mean" if len(text) > 1 else " means"
        self.wrong(
            "FT003",
            f"the character{plural} nothing here: `{clipped(text) or ascii(text)[1:-1]}`{named}",
            token.start,
            self.tokens[self.at - 1].end,
            help=("quote it if it is text",),
        )


def _decimal(text: str) -> str | None:
    """The decimal form of `0x10`, `0b1` or `0o7`, or of digits of another script."""
    try:
        return str(int(text, 0 if text.isascii() else 10))
    except ValueError:
        return None
