"""The arguments of every command.  Parsing them imports no command, no compiler."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from ftlang import __version__


def parser(argv: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """The parser of `ftc`; `module` of its result names the command's module.

    Where `argv` begins with a command, only that one is built: the others are not needed.
    """
    top = argparse.ArgumentParser(
        prog="ftc",
        description="The fine-tuning compiler: .ft specs in, a readable training script out.",
        epilog="Exit codes: 0 clean, 1 errors found, 2 wrong usage, 3 a bug in ftc.",
        allow_abbrev=False,
    )
    _common(top, default=True)
    version = f"ftc {__version__}"
    top.add_argument("--version", action="version", version=version, help="print it and stop")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    first = argv[0] if argv else ""
    for name in [first] if first in COMMANDS else COMMANDS:
        does, build = COMMANDS[name]
        command = commands.add_parser(name, help=does, description=f"{does}.", allow_abbrev=False)
        command.set_defaults(module=f"ftlang.cli.{name}")
        _common(command, default=False)
        build(command)
    return top


def _check(to: argparse.ArgumentParser) -> None:
    to.add_argument("paths", nargs="+", metavar="PATH", help="specs or folders")
    to.add_argument("--run", metavar="NAME", help="tell only of this run, and of what runs share")
    _asked(to)
    to.add_argument("--fix", action="store_true", help="apply the fixes that are certain")
    to.add_argument("--strict", action="store_true", help="exit 1 on warnings too")
    _format(to, "text", "short", "json")


def _fmt(to: argparse.ArgumentParser) -> None:
    to.add_argument(
        "paths", nargs="+", type=Path, metavar="PATH", help="specs or folders; `-` is stdin"
    )
    to.add_argument("--check", action="store_true", help="write nothing; exit 1 if files change")
    to.add_argument("--diff", action="store_true", help="write nothing; print what would change")


def _compile(to: argparse.ArgumentParser) -> None:
    _spec(to)
    instead = to.add_mutually_exclusive_group()
    instead.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 with a diff if files are stale"
    )
    instead.add_argument("--stdout", action="store_true", help="print the script instead")


def _run(to: argparse.ArgumentParser) -> None:
    _spec(to)
    start = to.add_mutually_exclusive_group()
    start.add_argument(
        "--resume",
        dest="start",
        action="store_const",
        const="only",
        help="go on from the last whole checkpoint; stop where there is none",
    )
    start.add_argument(
        "--fresh",
        dest="start",
        action="store_const",
        const="fresh",
        help="start anew; what an earlier run left is moved aside",
    )


def _audit(to: argparse.ArgumentParser) -> None:
    _spec(to)
    to.add_argument(
        "--rows", type=_rows, default="5", metavar="N|all", help="rows to show (default: 5)"
    )
    _format(to, "text", "json")


def _show(to: argparse.ArgumentParser) -> None:
    _read(to)
    to.add_argument("--origins", action="store_true", help="where each value comes from")
    _format(to, "text", "json")


def _explain(to: argparse.ArgumentParser) -> None:
    what = to.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "what",
        nargs="*",
        default=[],
        metavar="NAME",
        help="a code (FT201), block (tune), kind (tune lora), field (training.batch) or word",
    )
    what.add_argument(
        "--list",
        nargs="?",
        const="codes",
        choices=("codes", "blocks", "fields", "constructors", "units"),
        help="one line for each of them (default: codes)",
    )


def _where(to: argparse.ArgumentParser) -> None:
    to.add_argument("place", metavar="SCRIPT:LINE", help="such as generated/job/train.py:12")


def _schema(to: argparse.ArgumentParser) -> None:
    to.add_argument("--json", action="store_true", help="as JSON Schema (the default)")


def _version(to: argparse.ArgumentParser) -> None:
    """`ftc version` takes nothing."""


def _init(to: argparse.ArgumentParser) -> None:
    to.add_argument("method", choices=["sft"], help="the training method")


def _common(to: argparse.ArgumentParser, default: bool) -> None:
    """Options of every command, accepted before and after its name."""
    shared = to.add_argument_group("output")

    def value(of: object) -> object:
        return of if default else argparse.SUPPRESS

    shared.add_argument(
        "--color",
        choices=["auto", "always", "never"],
        default=value("auto"),
        help="colours; auto is on a terminal unless NO_COLOR is set",
    )
    shared.add_argument(
        "--ascii", action="store_true", default=value(False), help="draw without box characters"
    )
    shared.add_argument(
        "--debug", action="store_true", default=value(False), help="traceback if ftc has a bug"
    )


def _read(to: argparse.ArgumentParser) -> None:
    to.add_argument("spec", type=Path, metavar="SPEC", help="an .ft file")
    to.add_argument("--run", metavar="NAME", help="only this run of the spec")
    _asked(to)


def _spec(to: argparse.ArgumentParser) -> None:
    _read(to)
    to.add_argument(
        "-o",
        dest="out",
        type=Path,
        metavar="DIR",
        help="folder for <run>/train.py (default: generated/ beside the spec)",
    )


def _asked(to: argparse.ArgumentParser) -> None:
    """What is laid over a run from outside, in the order of precedence."""
    for option, name, value, does in (
        ("-D", "defines", "NAME=VALUE", "value of a parameter"),
        ("--profile", "profiles", "P", "lay this profile over the runs"),
        ("--set", "sets", "ENTRY", "one entry of a run, such as 'training.seed = 7'"),
    ):
        to.add_argument(option, dest=name, action="append", default=[], metavar=value, help=does)


def _format(to: argparse.ArgumentParser, *names: str) -> None:
    to.add_argument("--format", choices=names, default="text", help="default: text")


def _rows(text: str) -> str:
    if text == "all" or (text.isascii() and text.isdigit()):
        return text
    raise argparse.ArgumentTypeError(f"{text!r} is neither a number of rows nor `all`")


# What each command does, in the order of `ftc --help`, and its arguments.
COMMANDS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "check": ("find mistakes in specs", _check),
    "fmt": ("lay specs out in the one way there is", _fmt),
    "compile": ("write the training script of a spec", _compile),
    "run": ("compile a spec, then train", _run),
    "audit": ("check tokenizer, data and masks of a spec; needs no GPU", _audit),
    "show": ("a spec with everything resolved, and where it comes from", _show),
    "explain": ("what a diagnostic, a block or a field means", _explain),
    "where": ("the spec line behind a line of a script", _where),
    "schema": ("the JSON Schema of what `ftc show --format json` prints", _schema),
    "version": ("versions of ftc and of the libraries it is tested with", _version),
    "init": ("print a small commented spec to start from", _init),
}
