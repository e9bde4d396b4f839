"""`ftc explain`: what a diagnostic means and what to do, and what the language's names mean."""

from __future__ import annotations

import argparse
import re

from ftlang.cli import pages, terminal
from ftlang.cli.refusal import Refusal
from ftlang.rules import registry

_CODE = re.compile(r"(FT)?(\d{3})", re.IGNORECASE)


def exit_code(arguments: argparse.Namespace) -> int:
    """0, or a Refusal for what the language does not have."""
    if arguments.list == "codes":
        rows = sorted([*pages.codes(), *registry.codes()])
        terminal.put("".join(f"{code}  {title}\n" for code, title in rows))
        return 0
    terminal.put(_listing(arguments.list) if arguments.list else _page(arguments.what))
    return 0


def _listing(what: str) -> str:
    from ftlang.manual.topics import listing

    return listing(what)


def _page(words: list[str]) -> str:
    code = _CODE.fullmatch(words[0])
    if code and len(words) == 1:
        name = f"FT{code[2]}"
        page = registry.page(name) or pages.page(name)
        if page is None:
            raise Refusal(f"there is no code `{words[0]}`; `ftc explain --list` has them all")
        return page
    from ftlang.manual import topics

    page = topics.page(words)
    if page is None:
        help = topics.suggestions(words) or ("`ftc explain --list fields` has all fields",)
        raise Refusal(f"the language has no `{' '.join(words)}`; {help[0]}")
    return page
