"""`ftc explain`: what a diagnostic means and what to do."""

from __future__ import annotations

import argparse

from ftlang.cli import pages, terminal
from ftlang.cli.arguments import Refusal
from ftlang.rules import registry


def exit_code(arguments: argparse.Namespace) -> int:
    """0, or a Refusal for a code that does not exist."""
    if arguments.list:
        rows = sorted([*pages.codes(), *registry.codes()])
        terminal.put("".join(f"{code}  {title}\n" for code, title in rows))
        return 0
    code = arguments.code.upper()
    page = registry.page(code) or pages.page(code)
    if page is None:
        raise Refusal(f"there is no code `{arguments.code}`; `ftc explain --list` has them all")
    terminal.put(page)
    return 0
