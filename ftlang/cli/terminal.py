"""Streams: colours, and where diagnostics and documents go."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

from ftlang.diagnostics import Diagnostic

if TYPE_CHECKING:
    import argparse

    from ftlang.report.text import Style


def style(arguments: argparse.Namespace, stream: TextIO) -> Style:
    """Colour on a terminal unless NO_COLOR is set; ASCII where asked or where all else fails."""
    wanted = arguments.color == "always" or (
        arguments.color == "auto"
        and stream.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
    )
    from ftlang.report.text import Style

    return Style(colour=wanted, ascii_only=arguments.ascii or not _draws_boxes(stream))


def show(found: Iterable[Diagnostic], arguments: argparse.Namespace, outcome: str = "") -> None:
    """Diagnostics in text, to stderr."""
    from ftlang.report import text  # dear, and not needed where nothing is wrong

    sys.stderr.write(text.render(found, style(arguments, sys.stderr), outcome))


def put(document: str) -> None:
    """A document to stdout, as UTF-8 with LF endings whatever the locale."""
    sys.stdout.flush()
    sys.stdout.buffer.write(document.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()


def _draws_boxes(stream: TextIO) -> bool:
    try:
        "┌─│┆".encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
