"""`ftc compile`: write the training script of each run of a spec."""

from __future__ import annotations

import argparse
import shlex
import sys

from ftlang import compile as compiler
from ftlang.cli import terminal, write
from ftlang.cli.refusal import Refusal
from ftlang.cli.specs import asked, spec
from ftlang.compile import Options, Output, Result
from ftlang.diagnostics import has_errors
from ftlang.names.resolve import Asked
from ftlang.report.counted import counted

NOTHING = "Nothing was written."


def exit_code(arguments: argparse.Namespace) -> int:
    """1 if there are errors, edited files in the way, or (`--check`) stale files."""
    result = compiled(arguments)
    if has_errors(result.found):
        terminal.show(result.found, arguments, NOTHING)
        return 1
    terminal.show(result.found, arguments)
    if arguments.stdout:
        terminal.put(single(result.outputs, "--stdout").files[write.SCRIPT])
        return 0
    if arguments.check:
        return _stale(result.outputs, arguments)
    return 0 if written(result.outputs, arguments) else 1


def compiled(arguments: argparse.Namespace) -> Result:
    """What the compiler makes of the spec: outputs, or errors; raises Refusal without a spec."""
    return compiler.compile(
        spec(arguments.spec), Options(arguments.run, arguments.out, asked(arguments))
    )


def _as_compiled(output: Output, arguments: argparse.Namespace) -> Output:
    """The output with the options that its script was compiled with, where none are given now."""
    now = asked(arguments)
    on_disk = write.found_on_disk(output).get(write.SCRIPT, "")
    words = write.options_of(on_disk)
    if now != Asked() or not words:
        return output
    pairs = list(zip(words[::2], words[1::2], strict=False))
    values = {
        option: tuple(value for name, value in pairs if name == option)
        for option in ("--profile", "-D", "--set")
    }
    then = Asked(values["--profile"], values["-D"], values["--set"])
    again = compiler.compile(arguments.spec, Options(output.run, arguments.out, then))
    return again.outputs[0] if again.outputs else output


def single(outputs: list[Output], option: str) -> Output:
    """The one output there is; raises Refusal if a spec of several runs leaves it open."""
    if len(outputs) > 1:
        names = ", ".join(f"`{output.run}`" for output in outputs)
        raise Refusal(f"{option} is for one run, and the spec has {names}: add `--run NAME`")
    return outputs[0]


def written(outputs: list[Output], arguments: argparse.Namespace) -> bool:
    """Write them and say so on stderr, or show why not."""
    done = write.write(outputs)
    if done.found:
        terminal.show(done.found, arguments, NOTHING)
        return False
    for output in outputs:
        folder = write.place(output.folder)
        names = ", ".join(sorted(output.files, key=lambda name: (name != write.SCRIPT, name)))
        new = output.run in done.changed
        what = f"Wrote {folder}/: {names}" if new else f"Up to date: {folder}/"
        print(what, file=sys.stderr)
    return True


def _stale(fresh: list[Output], arguments: argparse.Namespace) -> int:
    entry, out = arguments.spec, arguments.out
    try:
        outputs = [_as_compiled(one, arguments) for one in fresh]
        diffs = {one.run: write.differences(write.found_on_disk(one), one) for one in outputs}
    except OSError as refused:
        raise Refusal(f"`{refused.filename}` cannot be read: {refused.strerror}") from refused
    terminal.put("".join(diffs.values()))
    stale = [run for run, diff in diffs.items() if diff]
    if stale:
        runs = counted(len(stale), "run")
        names = ", ".join(f"`{run}`" for run in stale)
        command = f"ftc compile {entry}" + (f" -o {out}" if out is not None else "")
        with_ = {write.options_of(one.files[write.SCRIPT]) for one in outputs if one.run in stale}
        command += "".join(f" {shlex.join(words)}" for words in sorted(with_)[:1] if words)
        print(f"{runs} out of date: {names}. `{command}` updates.", file=sys.stderr)
    for one in outputs:
        if one.run not in stale:
            words = write.options_of(one.files[write.SCRIPT])
            made = f" (with {shlex.join(words)})" if words else ""
            print(f"Up to date: {write.place(one.folder)}/{made}", file=sys.stderr)
    return 1 if stale else 0
