"""`ftc version`: versions of ftc and of the libraries it is tested with."""

from __future__ import annotations

import argparse
import platform
from importlib import metadata

from ftlang import __version__
from ftlang.cli import terminal
from ftlang.schema import signatures


def exit_code(arguments: argparse.Namespace) -> int:
    """Always 0; libraries are looked up, never imported."""
    rows = [("", "tested", "installed")]
    rows += [(name, tested, _installed(name)) for name, tested in signatures.versions().items()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [f"ftc {__version__} · Python {platform.python_version()}"]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        lines.append("  ".join(cells).rstrip())
    terminal.put("".join(f"{line}\n" for line in lines))
    return 0


def _installed(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "-"
