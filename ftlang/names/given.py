"""What the command line gives: values of parameters (`-D`) and single entries (`--set`)."""

from __future__ import annotations

from collections.abc import Iterable

from ftlang.diagnostics import Diagnostic, Severity, error
from ftlang.names.files import Declared, Module
from ftlang.names.suggest import did_you_mean
from ftlang.record import Record
from ftlang.source import SourceFile, Span
from ftlang.syntax import ast, parse


class Entry(Record):
    """One `--set`: its text, the entry in it, and the module that its names belong to."""

    text: str
    entry: ast.Entry
    module: Module


def defined(
    texts: Iterable[str], module: Module, found: list[Diagnostic]
) -> dict[Declared, ast.Value]:
    """The parameters that `-D name=value` sets, by declaration."""
    given: dict[Declared, ast.Value] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not name:
            source = SourceFile(f"-D {text}", text)
            message = f"`{text}` sets no parameter"
            usage = ("write `-D name=value`",)
            found.append(error("FT127", message, Span(source, 0, len(text)), help=usage))
            continue
        declared = _parameter(name, text, module, found)
        if declared is not None and (read := _value(declared, name, value, found)) is not None:
            given[declared] = read
    return given


def _parameter(name: str, text: str, module: Module, found: list[Diagnostic]) -> Declared | None:
    """The parameter of a name: one that the entry sees, else the only one of any file."""
    source = SourceFile(f"-D {text}", text)
    span = Span(source, 0, len(name))
    declared = module.variable(tuple(name.split(".")))
    everywhere = _parameters(module)
    if declared is None and "." not in name:
        same = [d for d in everywhere if d.name == name]
        if len(same) > 1:
            files = ", ".join(f"`{d.module.source.name}`" for d in same)
            message = f"several files declare the parameter `{name}`: {files}"
            way = "name the file by its `use … as`: `-D file.name=value`"
            found.append(error("FT127", message, span, help=(way,)))
            return None
        declared = same[0] if same else None
    if declared is not None and declared.kind == "param":
        return declared
    if module.partial and declared is None:
        return None
    help: tuple[str, ...] = did_you_mean(name, [d.name for d in everywhere])
    message = f"there is no parameter `{name}`"
    if declared is not None:
        message = f"`{name}` is a `let`, which no command changes"
        help = (f"declare it as `param {declared.name}: …`",)
    if not help:
        listed = ", ".join(f"`{d.name}`" for d in everywhere)
        help = (f"the parameters are {listed}",) if listed else ("the spec declares none",)
    found.append(error("FT127", message, span, help=help))
    return None


def _parameters(module: Module) -> list[Declared]:
    seen, todo, found = {id(module)}, [module], []
    while todo:
        one = todo.pop(0)
        found += [d for d in one.variables.values() if d.kind == "param"]
        for each in one.imports:
            if each.module is not None and id(each.module) not in seen:
                seen.add(id(each.module))
                todo.append(each.module)
    return found


def _value(declared: Declared, name: str, text: str, found: list[Diagnostic]) -> ast.Value | None:
    """The value, read as the language reads it; a plain text will do for a string."""
    node = declared.node
    source = SourceFile(f"-D {name}={text}", text)
    if isinstance(node, ast.Param) and node.type.text == "string" and not text.startswith('"'):
        return ast.Str(text.replace("${", "$${"), False, Span(source, 0, len(text)))
    head = "let x = "
    tree, mistakes = parse(SourceFile(source.name, head + text))
    item = tree.items[0] if len(tree.items) == 1 else None
    if mistakes or not isinstance(item, ast.Let):
        message = f"`{text}` is no value" if text else f"`{name}` is given no value"
        help = ("write it as in a spec, such as `-D seed=7`",)
        found.append(error("FT127", message, Span(source, 0, len(text)), help=help))
        return None
    return _moved(item.value, source, len(head))


def _moved(value: ast.Value, source: SourceFile, by: int) -> ast.Value:
    """A scalar with its span in the text as it was given."""
    span = Span(source, value.span.start - by, value.span.end - by)
    match value:
        case ast.Str():
            return ast.Str(value.value, value.triple, span)
        case ast.Number():
            return ast.Number(value.text, value.unit, span)
        case ast.Bool():
            return ast.Bool(value.value, span)
        case ast.Path():
            return ast.Path((ast.Name(span.text, span),), span)
        case ast.Unreadable():
            return ast.Unreadable(span)
    return value


def entries(texts: Iterable[str], module: Module, found: list[Diagnostic]) -> list[Entry]:
    """The entries of `--set`, each a text in the grammar of a body."""
    read: list[Entry] = []
    for text in texts:
        source = SourceFile(f"--set {text}", text)
        tree, mistakes = parse(source)
        found += mistakes
        if any(one.severity is Severity.ERROR for one in mistakes):
            continue
        items = tree.items
        if len(items) != 1 or not isinstance(items[0], ast.Attr | ast.Block | ast.Unset):
            what = f"{len(items)} entries" if len(items) != 1 else "a declaration"
            found.append(
                error(
                    "FT128",
                    f"`--set` takes one entry of a run, not {what}",
                    Span(source, 0, len(text)),
                    help=("write one a `--set`, such as `--set 'training.seed = 7'`",),
                )
            )
            continue
        own = Module(source, tree, [])
        own.names, own.variables = module.names, module.variables
        own.imports, own.partial = module.imports, module.partial
        read.append(Entry(text, items[0], own))
    return read
