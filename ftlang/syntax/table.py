"""The parser of `grammar/ft.lark`, from tables built ahead of time.

Building the tables takes as long as importing Lark, so `table.json` keeps them.  It names the
grammar's digest and Lark's version; if either differs, the tables are built afresh, so a stale
file costs time and never a wrong parse.  `python -m ftlang.syntax.table` writes the file.
"""

from __future__ import annotations

import io
import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import lark

from ftlang.resources import grammar_text

STORED = Path(__file__).with_name("table.json")


@cache
def parser() -> lark.Lark:
    """The LALR parser, one a process: from the stored tables if they fit, else built."""
    text = grammar_text()
    return _stored_parser(_identity(text)) or _built_parser(text)


def fresh_table() -> str:
    """The text that `table.json` must have for this grammar and this Lark."""
    import pickle  # only the maintainer's call needs it

    text, stream = grammar_text(), io.BytesIO()
    _built_parser(text).save(stream)
    # Lark writes a pickle of plain dicts; JSON keeps the stored file readable and harmless.
    tables = pickle.loads(stream.getvalue())
    return json.dumps({"made_from": _identity(text), "tables": tables}, indent=None) + "\n"


def _identity(text: str) -> dict[str, str]:
    return {"grammar": sha256(text.encode()).hexdigest(), "lark": lark.__version__}


def _built_parser(text: str) -> lark.Lark:
    return lark.Lark(
        text, parser="lalr", lexer="basic", keep_all_tokens=True, maybe_placeholders=False
    )


def _stored_parser(identity: dict[str, str]) -> lark.Lark | None:
    try:
        stored = json.loads(STORED.read_text(encoding="utf-8"))
        if stored["made_from"] == identity:
            loaded: lark.Lark = lark.Lark.load(_with_numbers(stored["tables"]))
            return loaded
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
    STORED.write_text(fresh_table(), encoding="utf-8")
