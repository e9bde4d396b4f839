"""Who may import whom: the table of the architecture, read off the source by `ast`."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# What each layer of ftlang may import of ours, beside itself.
BELOW_SYNTAX = {"record", "source", "diagnostics", "resources"}
BELOW_RULES = BELOW_SYNTAX | {"syntax", "names", "schema"}
BELOW_COMPILE = BELOW_RULES | {"rules", "plan", "emit"}
LAYERS = {
    "record": set(),
    "source": {"record"},
    "resources": set(),
    "diagnostics": {"record", "source"},
    "syntax": BELOW_SYNTAX,
    "names": BELOW_SYNTAX | {"syntax"},
    "schema": BELOW_SYNTAX | {"syntax", "names"},
    "rules": {"record", "source", "diagnostics", "schema", "plan"},
    "plan": {"record", "source", "diagnostics", "schema"},
    "emit": {"record", "source", "diagnostics", "resources", "plan"},
    "allow": BELOW_SYNTAX | {"syntax"},
    "compile": BELOW_COMPILE | {"allow"},
    "report": BELOW_COMPILE | {"compile"},
    "show": BELOW_RULES,
    "manual": BELOW_RULES | {"rules", "show"},
    "cli": BELOW_COMPILE | {"compile", "report", "show", "manual"},
    "__main__": {"cli"},
    "__init__": set(),
}
NEVER = {("rules", "ftlang.plan.trl")}
THIRD_PARTY = {"syntax": {"lark"}, "emit": {"jinja2", "black", "merge3"}}
NETWORK = {"socket", "ssl", "urllib.request", "http", "ftplib", "smtplib", "asyncio"}
RUNTIME_NEVER = {"ftlang", "lark", "black", "jinja2", "merge3"}


def modules(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def dotted(path: Path, top: Path) -> str:
    return ".".join(path.relative_to(top).with_suffix("").parts)


def imports(module: str, text: str) -> Iterator[str]:
    """Full names that a module imports, at its top or inside functions."""
    package = module.removesuffix(".__init__").split(".")
    if not module.endswith(".__init__"):
        package = package[:-1]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            name = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{name}.{alias.name}" for alias in node.names)


def violations(module: str, text: str) -> list[str]:
    """What a module of ftlang imports against the table."""
    layer = module.split(".")[1]
    found = []
    for name in imports(module, text):
        top, *rest = name.split(".")
        if top == "ftlang":
            target = rest[0] if rest else "__init__"
            fine = target in LAYERS[layer] | {layer} or target not in LAYERS
            fine = fine and not any(
                layer == who and f"{name}.".startswith(f"{what}.") for who, what in NEVER
            )
        elif top in sys.stdlib_module_names:
            fine = not any(f"{name}.".startswith(f"{one}.") for one in NETWORK)
        else:
            fine = top in THIRD_PARTY.get(layer, set())
        if not fine:
            found.append(f"{module} imports {name}")
    return found


@pytest.mark.parametrize("path", modules(ROOT / "ftlang"), ids=lambda p: dotted(p, ROOT))
def test_the_compiler_keeps_its_layers(path: Path) -> None:
    module = dotted(path, ROOT)
    assert module.split(".")[1] in LAYERS, f"{module} stands in no layer"
    assert violations(module, path.read_text("utf-8")) == []


def runtime_violations(module: str, text: str) -> list[str]:
    found = sorted({name.partition(".")[0] for name in imports(module, text)} & RUNTIME_NEVER)
    return [f"{module} imports {name}" for name in found]


@pytest.mark.parametrize(
    "path", modules(ROOT / "runtime"), ids=lambda p: dotted(p, ROOT / "runtime")
)
def test_the_runtime_knows_no_compiler(path: Path) -> None:
    module = dotted(path, ROOT / "runtime")
    assert runtime_violations(module, path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("ftlang.source", "from ftlang.diagnostics import Diagnostic"),
        ("ftlang.syntax.build", "import ftlang.schema.read"),
        ("ftlang.syntax.build", "from ..names import load"),
        ("ftlang.names.load", "from lark import Lark"),
        ("ftlang.schema.read", "from ftlang.plan import trl"),
        ("ftlang.rules.data", "from ftlang.plan.trl import lower"),
        ("ftlang.rules.data", "from ftlang.plan import trl"),
        ("ftlang.plan.trl", "def f():\n    import jinja2"),
        ("ftlang.emit.render", "from ftlang import schema"),
        ("ftlang.report.text", "from ftlang.cli import main"),
        ("ftlang.cli.check", "import torch"),
        ("ftlang.cli.check", "from ftruntime import audit"),
        ("ftlang.cli.check", "import urllib.request"),
        ("ftlang.cli.check", "from urllib import request"),
        ("ftlang.compile", "from ftlang.report.text import render"),
    ],
)
def test_a_wrong_import_is_seen(module: str, line: str) -> None:
    assert len(violations(module, line)) == 1


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("ftlang.syntax.build", "from lark import Lark"),
        ("ftlang.rules.data", "from ftlang.plan.batch import steps"),
        ("ftlang.emit.render", "from ftlang.plan.script import Plan"),
        ("ftlang.cli.check", "from ftlang import __version__, compile"),
    ],
)
def test_a_right_import_is_let_through(module: str, line: str) -> None:
    assert violations(module, line) == []


def test_a_wrong_import_of_the_runtime_is_seen() -> None:
    text = "import torch\nfrom ftlang.source import Span\ndef f():\n    import black\n"
    assert runtime_violations("ftruntime.x", text) == [
        "ftruntime.x imports black",
        "ftruntime.x imports ftlang",
    ]
