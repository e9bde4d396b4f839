"""`ftc run`: compile a spec, then train by its launch file."""

from __future__ import annotations

import argparse

from ftlang.cli import terminal, training
from ftlang.cli.compile import NOTHING, compiled, written
from ftlang.diagnostics import has_errors


def exit_code(arguments: argparse.Namespace) -> int:
    """The exit code of the first `launch.sh` that fails; 0 if every run of the spec succeeds."""
    result = compiled(arguments)
    if has_errors(result.found):
        terminal.show(result.found, arguments, NOTHING)
        return 1
    terminal.show(result.found, arguments)
    interpreter = training.python()
    if not written(result.outputs, arguments):
        return 1
    for output in result.outputs:
        launch = output.folder.resolve() / "launch.sh"
        # By bash, since a download or an odd checkout may have lost the file's executable bit.
        resume = {"FTC_RESUME": arguments.start} if arguments.start else {}
        if code := training.exit_code(["bash", str(launch)], interpreter, resume):
            return code
    return 0
