"""The parser of `grammar/ft.lark`, from tables built ahead of time.

Building the tables takes as long as importing Lark, so `table.json` keeps them.  It names the
grammar's digest and Lark's version; if either differs, the tables are built afresh, so a stale
file costs time and never a wrong parse.  `python -m ftlang.syntax.table` writes the file.
"""

from __future__ import annotations

import io
import json
import os
import re
from functools import cache
from hashlib import sha256
from typing import Any

import lark

from ftlang.resources import grammar_text

STORED = os.path.join(os.path.dirname(__file__), "table.json")


Scanner = tuple[re.Pattern[str], dict[str, dict[str, str]]]


def parser() -> lark.Lark:
    """The LALR parser, one a process: from the stored tables if they fit, else built."""
    return _both()[0]


def scanner() -> Scanner:
    """The pattern with a group for each terminal, and the words that have a terminal of their own.

    It is the one that Lark's basic lexer makes, which makes it anew for each text.
    """
    return _both()[1]


@cache
def _both() -> tuple[lark.Lark, Scanner]:
    text = grammar_text()
    stored = _stored(_identity(text))
    if stored is not None:
        return stored
    built = _built_parser(text)
    pattern, flags, words = _scanner_of(built)
    return built, (re.compile(pattern, flags), words)


def fresh_table() -> str:
    """The text that `table.json` must have for this grammar and this Lark."""
    import pickle  # only the maintainer's call needs it

    text, stream = grammar_text(), io.BytesIO()
    built = _built_parser(text)
    built.save(stream)
    # Lark writes a pickle of plain dicts; JSON keeps the stored file readable and harmless.
    tables = pickle.loads(stream.getvalue())
    made = {"made_from": _identity(text), "scanner": _scanner_of(built), "tables": tables}
    return json.dumps(made, indent=None) + "\n"


def _scanner_of(built: lark.Lark) -> tuple[str, int, dict[str, dict[str, str]]]:
    """What Lark's basic lexer matches with: pattern, flags, and words of their own terminals."""
    lexer: Any = built._build_lexer(dont_ignore=True)
    [pattern] = lexer.scanner._mres
    words = {}
    for terminal, callback in lexer.callback.items():
        inner = callback.scanner
        words[terminal] = {t.pattern.value: t.name for t in inner.terminals}
    return pattern.pattern, lexer.g_regex_flags, words


def _identity(text: str) -> dict[str, str]:
    return {"grammar": sha256(text.encode()).hexdigest(), "lark": lark.__version__}


def _built_parser(text: str) -> lark.Lark:
    return lark.Lark(
        text, parser="lalr", lexer="basic", keep_all_tokens=True, maybe_placeholders=False
    )


def _stored(identity: dict[str, str]) -> tuple[lark.Lark, Scanner] | None:
    try:
        with open(STORED, encoding="utf-8") as file:
            stored = json.load(file)
        if stored["made_from"] == identity:
            loaded: lark.Lark = lark.Lark.load(_with_numbers(stored["tables"]))
            pattern, flags, words = stored["scanner"]
            return loaded, (re.compile(pattern, flags), words)
    except (OSError, ValueError, LookupError, TypeError):
        pass
    return None


def _with_numbers(tables: dict[str, Any]) -> dict[str, Any]:
    """JSON has only string keys; Lark numbers its states, tokens and rules."""
    table = tables["data"]["parser"]["parser"]
    tables["memo"] = {int(key): value for key, value in tables["memo"].items()}
    table["tokens"] = {int(key): value for key, value in table["tokens"].items()}
    table["states"] = {
        int(state): {int(key): action for key, action in row.items()}
        for state, row in table["states"].items()
    }
    return tables


if __name__ == "__main__":
    with open(STORED, "w", encoding="utf-8") as file:
        file.write(fresh_table())
