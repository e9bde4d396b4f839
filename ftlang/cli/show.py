"""`ftc show`: the runs of a spec with everything resolved, as text or JSON."""

from __future__ import annotations

import argparse

from ftlang import compile as compiler
from ftlang.cli import terminal
from ftlang.cli.refusal import Refusal
from ftlang.cli.specs import asked, spec
from ftlang.compile import Options
from ftlang.diagnostics import has_errors, in_order
from ftlang.names.files import Loader
from ftlang.schema.run import Spec
from ftlang.show import text


def exit_code(arguments: argparse.Namespace) -> int:
    """1 if the spec has errors, which are shown instead."""
    module, found = Loader().entry(spec(arguments.spec))
    options = Options(arguments.run, None, asked(arguments))
    specs: list[Spec] = []
    if module is not None:
        specs, diagnostics = compiler.analyse(module, options)
        found = [*found, *diagnostics]
        if not specs and not has_errors(found):
            found.append(compiler.no_run(module.source))
    terminal.show(in_order(found), arguments)
    if module is None or has_errors(found):
        return 1
    document = compiler.resolved(module, options)
    if arguments.format == "text":
        terminal.put(text.shown(specs, document, arguments.origins))
        return 0
    if len(specs) > 1:
        names = ", ".join(f"`{one.name}`" for one in specs)
        raise Refusal(f"--format json is for one run, and the spec has {names}: add `--run NAME`")
    from ftlang.show import objects

    terminal.put(objects.shown(specs[0], document, arguments.origins))
    return 0
