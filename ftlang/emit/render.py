"""Plan to the files of a run: templates laid out, marks taken off, header and digests put on."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cache

import black
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ftlang.emit.header import header, options_line
from ftlang.emit.imports import import_lines
from ftlang.emit.python import docstring, lines
from ftlang.emit.sourcemap import source_map, unmarked
from ftlang.plan.script import Call, Code, Line, Plan
from ftlang.resources import templates_folder


class NotInBlackForm(Exception):
    """The emitted text is not what Black would write: a bug of ours."""


def render(plan: Plan, levels: int, options: Sequence[str] = ()) -> dict[str, str]:
    """The run's files by name.

    `levels` counts the folders from `train.py` up to the spec's folder; `options` are the words
    of the command line that the script depends on.  Raises NotInBlackForm when Black would change
    the script.
    """
    environment = _environment()
    name = "".join(c if c.isprintable() else "?" for c in plan.spec_name)
    above = Code(f"Path(__file__).resolve().parents[{levels}]")
    root = Line("ROOT", above, note=f"the folder of {name}")
    context = {"plan": plan, "root": root, "spec_name": name}
    marked = environment.get_template("train.py.jinja").render(context)
    clean, _ = unmarked(marked)
    head = [*options_line(options), *docstring(plan.about, plan.step), "", *import_lines(clean), ""]
    text, paths = unmarked("\n".join(head) + "\n" + marked)
    script = header(plan.spec_name, plan.run, plan.source_digest, text) + "\n" + text
    _check_form(script)
    files = {
        "train.py": script,
        "launch.sh": environment.get_template("launch.sh.jinja").render(context),
        "requirements.txt": environment.get_template("requirements.txt.jinja").render(context),
    }
    digests = {n: hashlib.sha256(t.encode()).hexdigest() for n, t in files.items()}
    below_header = {number + 1: names for number, names in paths.items()}
    files["train.ftmap.json"] = source_map(plan, below_header, _sections(script), digests)
    return files


def _check_form(script: str) -> None:
    formed = black.format_str(script, mode=black.Mode())
    if formed != script:
        pairs = zip(script.split("\n"), formed.split("\n"), strict=False)
        changed = (f"line {n}: {a!r} would be {b!r}" for n, (a, b) in enumerate(pairs, 1) if a != b)
        raise NotInBlackForm(next(changed, "the lines at the end"))


_SECTION = re.compile(r"# (\w+ · .+)|(?:def|if) (\w+)")


def _sections(script: str) -> dict[int, str]:
    """The first line of each section and its name."""
    return {
        number: match.group(1) or match.group(2)
        for number, row in enumerate(script.split("\n"), 1)
        if (match := _SECTION.match(row)) and number > 1
    }


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(templates_folder()),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.globals.update(
        put=lambda line, indent: "\n".join(lines(line, indent)),
        assigned=lambda target, value: Line(target, value),
        returned=lambda value: Line("return", value),
        bare=lambda value: Line("", value),
        seeded=lambda seed: Line("", Call("set_seed", (seed,)), seed.paths),
    )
    return environment
