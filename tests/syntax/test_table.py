"""The stored parse tables are those of the grammar, and a stale file is not used."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ftlang.syntax import table


def test_stored_tables_equal_a_fresh_build() -> None:
    """If this fails: `python -m ftlang.syntax.table`."""
    stored = json.loads(table.STORED.read_text(encoding="utf-8"))
    assert stored == json.loads(table.fresh_table())


def test_stored_tables_are_used() -> None:
    assert table._stored_parser(table._identity(table.grammar_text())) is not None


@pytest.mark.parametrize("content", ["", "{}", '{"made_from": {"grammar": "", "lark": "0"}}', None])
def test_a_stale_or_broken_file_is_passed_over(
    content: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if content is not None:
        (tmp_path / "table.json").write_text(content, encoding="utf-8")
    monkeypatch.setattr(table, "STORED", tmp_path / "table.json")
    table.parser.cache_clear()
    try:
        tokens = [token.type for token in table.parser().lex("a = 1", dont_ignore=True)]
        assert tokens == ["NAME", "WS", "EQ", "WS", "NUMBER"]
    finally:
        table.parser.cache_clear()


def test_the_grammar_has_no_conflicts() -> None:
    """Lark would settle a shift/reduce conflict silently; `strict` needs a further package."""
    program = (
        "import logging, lark; from ftlang.resources import grammar_text\n"
        "from lark import logger; logger.setLevel(logging.DEBUG)\n"
        "lark.Lark(grammar_text(), parser='lalr', lexer='basic', debug=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert "Shift/Reduce" not in done.stderr
