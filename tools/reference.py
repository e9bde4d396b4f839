"""Writes REFERENCE.md from the schema, the rules and docs/reference.in.md; a test compares.

Run it after a change of any of them: `python tools/reference.py`.
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from ftlang import compile as compiler  # noqa: E402
from ftlang.cli import pages  # noqa: E402
from ftlang.cli.arguments import COMMANDS  # noqa: E402
from ftlang.compile import Options  # noqa: E402
from ftlang.manual import json_schema, reference  # noqa: E402
from ftlang.names.files import Loader  # noqa: E402
from ftlang.rules import registry  # noqa: E402
from ftlang.show import text as show  # noqa: E402
from ftlang.source import SourceFile  # noqa: E402

# How a severity is given in the source: by `error(…)` and `warning(…)`, or by its name.
_CALL = re.compile(r'\b(error|warning|note)\(\s*"(FT\d{3})"')
_NAMED = re.compile(r'"(FT\d{3})",\s*Severity\.(\w+)')
_THEMES = {
    "0": "Syntax",
    "1": "Names and files",
    "2": "Fields, types and units",
    "5": "What this release does not have",
    "6": "Output",
    "7": "Found when a script is audited or run",
    "9": "Bugs of ours",
}


def severities() -> dict[str, str]:
    """Code to severity, as the source of the compiler gives it."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / "ftlang").rglob("*.py")):
        text = path.read_text("utf-8")
        found |= {code: kind for kind, code in _CALL.findall(text)}
        found |= {code: kind.lower() for code, kind in _NAMED.findall(text)}
    return found


def _either(source: str) -> str:
    """The severity of a rule that decides by the case."""
    found = [kind for kind in ("error", "warning") if re.search(rf"\b{kind}\b", source)]
    return " or ".join(found)


def codes() -> str:
    """Every code by theme: the rules first, as they are about what a spec means."""
    kinds = severities()
    parts: list[str] = []
    themes: dict[str, list[tuple[str, str, str]]] = {}
    for rule in registry.rules():
        theme = rule.check.__module__.rpartition(".")[2]
        kind = kinds.get(rule.code) or _either(inspect.getsource(rule.check))
        themes.setdefault(theme, []).append((rule.code, kind, rule.title))
    for theme in sorted(themes, key=lambda name: themes[name][0][0]):
        title = f"Rules: {theme.replace('_', ' ')}"
        parts.append(f"**{title}**\n\n" + _table(themes[theme]))
    others = sorted(pages.codes())
    for first, title in _THEMES.items():
        rows = [(code, kinds.get(code, "error"), said) for code, said in others if code[2] == first]
        parts.append(f"**{title}**\n\n" + _table(rows))
    return "\n\n".join(parts)


def _table(rows: list[tuple[str, str, str]]) -> str:
    return reference.table(("code", "severity", "title"), rows)


# What each command takes; a test compares the options with the command line's own.
FORMS = {
    "check": "PATH… [--fix] [--strict] [--format text|short|json]",
    "fmt": "PATH… [--check] [--diff]",
    "compile": "SPEC [-o DIR] [--check|--stdout]",
    "run": "SPEC [-o DIR] [--resume | --fresh]",
    "audit": "SPEC [-o DIR] [--rows N|all] [--format text|json]",
    "show": "SPEC [--origins] [--format text|json]",
    "explain": "NAME, or --list [WHAT]",
    "where": "SCRIPT:LINE",
    "schema": "--json",
    "version": "",
    "init": "sft",
}


def commands() -> str:
    """The table of commands."""
    rows = [(f"`ftc {name} {FORMS[name]}`".replace(" `", "`"), COMMANDS[name][0]) for name in FORMS]
    return reference.table(("command", "does"), rows)


SHORTEST = """\
run first {
  model { base = hf("Qwen/Qwen3-0.6B", revision = "c1899de289a04d12100db370d81485cdf75e47ca") }
  tune lora
  data { train = files("rows.jsonl") }
  method sft
}
"""


def shown() -> str:
    """What `ftc show` prints of the shortest run."""
    module = Loader().text(SourceFile("spec.ft", SHORTEST))
    specs, _ = compiler.analyse(module, Options())
    return show.shown(specs, compiler.resolved(module, Options()))


def text() -> str:
    """REFERENCE.md."""
    template = (ROOT / "docs/reference.in.md").read_text("utf-8")
    given = {
        "codes": codes(),
        "commands": commands(),
        "shortest": SHORTEST.strip(),
        "shown": shown().strip(),
    }
    return reference.filled(template, given)


if __name__ == "__main__":
    (ROOT / "REFERENCE.md").write_text(text(), encoding="utf-8")
    (ROOT / "docs/spec.schema.json").write_text(json_schema.text(), encoding="utf-8")
