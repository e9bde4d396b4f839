"""Finds the files that ship beside the code: the grammar and the templates of the output.

A wheel holds them inside the package (`_grammar`, `_templates`); a checkout and an editable
install keep them beside it, and `importlib.resources` does not find relocated folders there.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_PACKAGE = os.path.dirname(os.path.realpath(__file__))


def _folder(inside: str, beside: str) -> str:
    for candidate in (
        os.path.join(_PACKAGE, inside),
        os.path.join(os.path.dirname(_PACKAGE), beside),
    ):
        if os.path.isdir(candidate):
            return candidate
    raise FileNotFoundError(f"neither {inside} in {_PACKAGE} nor {beside} beside it")


def grammar_text() -> str:
    """The text of `ft.lark`, with LF line ends.

    Raises FileNotFoundError where the installation is incomplete.
    """
    with open(os.path.join(_folder("_grammar", "grammar"), "ft.lark"), encoding="utf-8") as file:
        return file.read()


def templates_folder() -> Path:
    """The folder of the output's Jinja templates.

    Raises FileNotFoundError where the installation is incomplete.
    """
    from pathlib import Path

    return Path(_folder("_templates", "codegen_templates"))
