"""Finds the files that ship beside the code: the grammar and the templates of the output.

A wheel holds them inside the package (`_grammar`, `_templates`); a checkout and an editable
install keep them beside it, and `importlib.resources` does not find relocated folders there.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def _folder(inside: str, beside: str) -> Path:
    for candidate in (_PACKAGE / inside, _PACKAGE.parent / beside):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"neither {inside} in {_PACKAGE} nor {beside} beside it")


def grammar_text() -> str:
    """The text of `ft.lark`, with LF line ends.

    Raises FileNotFoundError where the installation is incomplete.
    """
    return (_folder("_grammar", "grammar") / "ft.lark").read_text(encoding="utf-8")


def templates_folder() -> Path:
    """The folder of the output's Jinja templates.

    Raises FileNotFoundError where the installation is incomplete.
    """
    return _folder("_templates", "codegen_templates")
