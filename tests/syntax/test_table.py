"""The stored parse tables are those of the grammar, and a stale file is not used."""

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ftlang.source import SourceFile
from ftlang.syntax import table
from ftlang.syntax.tokens import _lexed
from ftlang.syntax.tokens import tokens as lexed


def shape(text: str) -> dict[str, Any]:
    """Tables without the numbers that Lark gives, which differ from build to build.

    States are numbered in the order in which a walk from the start meets them.
    """
    tables = json.loads(text)["tables"]
    memo, data = tables["memo"], tables["data"]["parser"]
    table_ = data["parser"]

    def rule(number: dict[str, int]) -> Any:
        made = memo[str(number["@"])]
        return made["origin"]["name"], [each["name"] for each in made["expansion"]]

    (start,) = table_["start_states"].values()
    order, actions = {start: 0}, {}
    for state in order_of_walk(start, table_, order):
        actions[order[state]] = {
            table_["tokens"][token]: rule(target) if kind else order[target]
            for token, (kind, target) in table_["states"][str(state)].items()
        }
    terminals = [memo[str(each["@"])] for each in data["lexer_conf"]["terminals"]]
    by_name = {each["name"]: each for each in terminals}
    return {"actions": actions, "terminals": by_name, "ignored": data["lexer_conf"]["ignore"]}


def order_of_walk(start: int, table_: dict[str, Any], order: dict[int, int]) -> list[int]:
    """All states, breadth first, by the names of the symbols that lead to them."""
    walk = [start]
    for state in walk:
        row = table_["states"][str(state)]
        for token in sorted(row, key=lambda each: table_["tokens"][each]):
            kind, target = row[token]
            if kind == 0 and target not in order:
                order[target] = len(order)
                walk.append(target)
    return walk


def test_stored_tables_equal_a_fresh_build() -> None:
    """If this fails: `python -m ftlang.syntax.table`."""
    stored, fresh = Path(table.STORED).read_text(encoding="utf-8"), table.fresh_table()
    assert json.loads(stored)["made_from"] == json.loads(fresh)["made_from"]
    assert shape(stored) == shape(fresh)
    assert len(shape(stored)["actions"]) > 50
    assert json.loads(stored)["scanner"] == json.loads(fresh)["scanner"]


ROOT = Path(__file__).resolve().parents[2]


def test_tokens_are_those_of_lark() -> None:
    """On every spec of the repository, every page, and random pieces of them."""
    texts = [p.read_text("utf-8") for p in sorted(ROOT.rglob("*.ft")) if ".venv" not in p.parts]
    texts += [p.read_text("utf-8") for p in sorted((ROOT / "tests/spec").glob("*.md"))]
    numbers = random.Random(7)
    for _ in range(200):
        text = numbers.choice(texts)
        at = numbers.randrange(len(text))
        texts.append(text[at : at + 300] + numbers.choice(["\x00", '"', "“", "\u2028", "$", ".5"]))
    for text in texts:
        theirs = [(t.type, str(t)) for t in table.parser().lex(text, dont_ignore=True)]
        assert [(t.type, t.text) for t in _lexed(text, 0)] == theirs


def test_stored_tables_are_used() -> None:
    assert table._stored(table._identity(table.grammar_text())) is not None


@pytest.mark.parametrize("content", ["", "{}", '{"made_from": {"grammar": "", "lark": "0"}}', None])
def test_a_stale_or_broken_file_is_passed_over(
    content: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if content is not None:
        (tmp_path / "table.json").write_text(content, encoding="utf-8")
    monkeypatch.setattr(table, "STORED", tmp_path / "table.json")
    table._both.cache_clear()
    try:
        tokens = [token.type for token in table.parser().lex("a = 1", dont_ignore=True)]
        assert tokens == ["NAME", "WS", "EQ", "WS", "NUMBER"]
        assert [t.type for t in lexed(SourceFile("a.ft", "a = 1"))] == tokens
    finally:
        table._both.cache_clear()


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
