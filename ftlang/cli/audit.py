"""`ftc audit`: run the emitted script's own tokenizer and data functions, and report."""

from __future__ import annotations

import argparse

from ftlang.cli import terminal, training, write
from ftlang.cli.compile import NOTHING, compiled, single, written
from ftlang.diagnostics import has_errors
from ftlang.report import json


def exit_code(arguments: argparse.Namespace) -> int:
    """The audit's exit code; 1 without auditing if the spec does not compile."""
    result = compiled(arguments)
    as_json = arguments.format == "json"
    if has_errors(result.found):
        if as_json:
            terminal.put(json.render(result.found, [str(arguments.spec)], "L1"))
        else:
            terminal.show(result.found, arguments, NOTHING)
        return 1
    outputs = [single(result.outputs, "--format json")] if as_json else result.outputs
    terminal.show(result.found, arguments)
    interpreter = training.python()
    if not written(outputs, arguments):
        return 1
    codes = []
    for output in outputs:
        script = output.folder.resolve() / write.SCRIPT
        options = ["--rows", arguments.rows, "--format", arguments.format]
        command = [interpreter, "-m", "ftruntime.audit", str(script), *options]
        codes.append(training.exit_code(command, interpreter))
    return max(codes)
