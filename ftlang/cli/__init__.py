"""The command line: the only layer that touches arguments, streams, files and exit codes."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING

from ftlang.cli.refusal import Refusal

if TYPE_CHECKING:
    import argparse

# A command is over before garbage matters; looking for it would be a tenth of `ftc check`.
_COLLECT = 200_000


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code of one command: 0 clean, 1 errors found, 2 usage, 3 a bug of ours."""
    before = gc.get_threshold()
    gc.set_threshold(_COLLECT)
    try:
        return _answer(argv)
    finally:
        gc.set_threshold(*before)


def _answer(argv: Sequence[str] | None) -> int:
    try:
        words = sys.argv[1:] if argv is None else list(argv)
        arguments = _plain_check(words) or _parsed(words)
    except SystemExit as stop:  # argparse has printed its message
        return stop.code if isinstance(stop.code, int) else 2
    try:
        code = _exit_code(arguments)
        sys.stdout.flush()
        return code
    except Refusal as refusal:
        print(f"ftc: {refusal}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("ftc: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of a pipe, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except Exception as bug:
        print(_bug(bug, arguments.debug), file=sys.stderr)
        return 3


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    from ftlang.cli.arguments import parser  # a tenth of `ftc check` with its library

    return parser(words).parse_args(words)


def _plain_check(words: Sequence[str]) -> argparse.Namespace | None:
    """What the parser makes of `ftc check PATH…`, the call that editors and hooks repeat.

    None for everything else, such as a path that could be an option.
    """
    if len(words) < 2 or words[0] != "check" or any(w.startswith("-") for w in words):
        return None
    plain: argparse.Namespace = SimpleNamespace(  # type: ignore[assignment]
        module="ftlang.cli.check",
        paths=list(words[1:]),
        color="auto",
        ascii=False,
        debug=False,
        format="text",
        fix=False,
        strict=False,
        defines=[],
        profiles=[],
        sets=[],
        run=None,
    )
    return plain


def _exit_code(arguments: argparse.Namespace) -> int:
    """Command modules are imported here, one a call, so that `check` never loads an emitter."""
    command = importlib.import_module(arguments.module)
    code: int = command.exit_code(arguments)
    return code


def _bug(bug: Exception, debug: bool) -> str:
    import traceback

    what = " ".join(f"{type(bug).__name__}: {bug}".split())
    lines = [
        f"error[FT901]: this is a bug in ftc: {what}",
        "  = why: ftc stopped on an error of its own; your files are as they were",
        "  = help: report it with the spec"
        + (" and the traceback below" if debug else " and the traceback that `--debug` adds"),
    ]
    return "\n".join(lines + (["", traceback.format_exc()] if debug else []))
