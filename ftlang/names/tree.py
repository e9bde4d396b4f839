"""AST to resolved tree: each path of a body is set once, and dotted paths stand in their blocks."""

from __future__ import annotations

from ftlang.diagnostics import Diagnostic, Label, error
from ftlang.names.planned import planned
from ftlang.source import SourceFile, Span
from ftlang.syntax import ast


class Tree:
    """One block with everything that was set in it: attributes by name, blocks by family."""

    def __init__(
        self, name: ast.Name, kind: ast.Name | None, head: Span, span: Span, bare: bool = False
    ) -> None:
        self.name, self.kind, self.head, self.span, self.bare = name, kind, head, span, bare
        self.attrs: dict[str, ast.Attr] = {}
        self.blocks: dict[str, Tree] = {}


class Document:
    """What an entry file declares.  `partial` says that something planned was left out of it."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.runs: dict[str, Tree] = {}
        self.datasets: dict[str, Tree] = {}
        self.partial = False


def resolve(file: ast.File) -> tuple[Document, list[Diagnostic]]:
    """The declarations of one parsed file, and what is wrong with their names."""
    found: list[Diagnostic] = []
    document = Document(file.source)
    for item in file.items:
        if isinstance(item, ast.Block):
            _declare(document, item, found)
        elif isinstance(item, ast.Use | ast.Let | ast.Param):
            found.append(_planned_item(item))
            document.partial = True
        else:
            found.append(_outside(item))
    return document, found


def _declare(document: Document, block: ast.Block, found: list[Diagnostic]) -> None:
    family = block.name.text
    if family in ("defaults", "profile", "template"):
        found.append(planned(block.head, f"`{family}`"))
        document.partial = True
        return
    if family not in ("run", "dataset"):
        found.append(
            error(
                "FT110",
                f"`{family}` is not a declaration",
                block.name.span,
                notes=("a file declares `run NAME { … }` and `dataset NAME { … }`",),
                help=(f"put `{family}` inside a `run NAME {{ … }}`",),
            )
        )
        return
    if block.kind is None:
        what = "run sft" if family == "run" else "dataset support"
        found.append(
            error(
                "FT111",
                f"this `{family}` has no name",
                block.name.span,
                help=(f"name it, as in `{what} {{ … }}`",),
            )
        )
        return
    if block.extends is not None:
        found.append(planned(block.extends.span, "`extends`"))
        document.partial = True
        return
    tree = _tree(block, found)
    declared = document.runs if family == "run" else document.datasets
    first = document.runs.get(block.kind.text) or document.datasets.get(block.kind.text)
    if first is not None and first.kind is not None:
        found.append(
            error(
                "FT112",
                f"`{block.kind.text}` is declared twice",
                block.kind.span,
                labels=(Label(first.kind.span, "first declared here"),),
                help=("give one of them another name",),
            )
        )
        return
    declared[block.kind.text] = tree


def _tree(block: ast.Block, found: list[Diagnostic]) -> Tree:
    tree = Tree(block.name, block.kind, block.head, block.span, bare=block.body is None)
    later: list[ast.Attr] = []
    for entry in block.body or ():
        if isinstance(entry, ast.Unset):
            found.append(planned(entry.span, "`unset`"))
        elif isinstance(entry, ast.Block):
            _add_block(tree, entry, found)
        elif entry.op != "=":
            found.append(planned(entry.span, "`+=`"))
        elif len(entry.path.parts) > 1:
            later.append(entry)
        else:
            _set(tree, entry.path.text, entry, found)
    for attr in later:
        _set_dotted(tree, attr, found)
    return tree


def _add_block(tree: Tree, block: ast.Block, found: list[Diagnostic]) -> None:
    if block.extends is not None:
        found.append(
            error(
                "FT113",
                "only a `run` extends another",
                block.extends.span,
                help=("remove `extends` and write the fields out",),
            )
        )
        return
    child = _tree(block, found)
    first = tree.blocks.get(block.name.text)
    if first is not None:
        found.append(_twice(block.name.text, block.head, first.head))
        return
    attr = tree.attrs.get(block.name.text)
    if attr is not None:
        found.append(_twice(block.name.text, block.head, attr.path.span))
        return
    tree.blocks[block.name.text] = child


def _set(tree: Tree, name: str, attr: ast.Attr, found: list[Diagnostic]) -> None:
    first = tree.attrs.get(name)
    block = tree.blocks.get(name)
    if first is not None:
        found.append(_twice(name, attr.path.span, first.path.span))
    elif block is not None:
        found.append(_twice(name, attr.path.span, block.head))
    else:
        tree.attrs[name] = attr


def _set_dotted(tree: Tree, attr: ast.Attr, found: list[Diagnostic]) -> None:
    """Sets `training.batch = 8` in the block that the same body gives."""
    at = tree
    for part in attr.path.parts[:-1]:
        name = part.text if isinstance(part, ast.Name) else part.value
        inner = at.blocks.get(name)
        if inner is None:
            found.append(
                error(
                    "FT114",
                    f"no block `{name}` is given here, so `{attr.path.text}` has nothing to change",
                    part.span,
                    help=(f"write the block out: `{name} {{ … }}`",),
                )
            )
            return
        at = inner
    last = attr.path.parts[-1]
    _set(at, last.text if isinstance(last, ast.Name) else last.value, attr, found)


def _twice(name: str, again: Span, first: Span) -> Diagnostic:
    return error(
        "FT208",
        f"`{name}` is set twice in this block",
        again,
        labels=(Label(first, "first set here"),),
        help=("keep one of them",),
    )


def _outside(item: ast.Attr | ast.Unset) -> Diagnostic:
    return error(
        "FT115",
        f"`{item.path.text}` stands outside any block",
        item.path.span,
        notes=("fields belong to a run or to one of its blocks",),
        help=("move it into a `run NAME { … }`",),
    )


def _planned_item(item: ast.Use | ast.Let | ast.Param) -> Diagnostic:
    word = {ast.Use: "use", ast.Let: "let", ast.Param: "param"}[type(item)]
    start = item.span.start
    return planned(Span(item.span.source, start, start + len(word)), f"`{word}`")
