"""Declarations → trees: every run with what it extends, its profiles and `--set` laid over it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ftlang.diagnostics import Diagnostic, Label, error
from ftlang.names.files import DECLARATIONS, Declared, Module
from ftlang.names.merge import Merge, Shape
from ftlang.names.suggest import did_you_mean
from ftlang.names.tree import Layer, Tree
from ftlang.names.variables import TYPES, Definitions, Use, Variables
from ftlang.record import Record
from ftlang.source import SourceFile, Span
from ftlang.syntax import ast

if TYPE_CHECKING:
    from ftlang.names.given import Entry


class Asked(Record):
    """What the command line asks of names: profiles in order, `-D` and `--set` as they came."""

    profiles: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The same as words of a command line, in the order of precedence."""
        pairs = (("-D", self.defines), ("--profile", self.profiles), ("--set", self.sets))
        return tuple(word for option, values in pairs for v in values for word in (option, v))


class Document:
    """What an entry file declares, resolved.

    `runs`, `defaults`, `datasets`, `templates` and `profiles` are the entry's own, by name;
    `uses` are the variables that were put in.  Trees of other files are made when they are asked
    for: `tree` gives any declaration's, a run's without profiles and `--set`.
    """

    def __init__(
        self,
        module: Module,
        asked: Asked,
        shape: Shape,
        definitions: Definitions | None = None,
        only: str | None = None,
    ) -> None:
        self.module = module
        self.source = module.source
        self.asked, self.only = asked, only
        self.found: list[Diagnostic] = []
        self._shape = shape
        self._merge = Merge(shape, self.found)
        if definitions is None:
            given = _defined(asked, module, self.found)
            definitions = Definitions(given, self.found)
        self._definitions = definitions
        self._trees: dict[Declared, Tree | None] = {}
        self._modules = {id(m.source): m for m in _reachable(module)}
        self._profiles = [p for name in asked.profiles if (p := self._profile(name)) is not None]
        self._sets = _entries(asked, module, self.found)
        for one in self._sets:
            self._modules[id(one.module.source)] = one.module
        self.runs = self._own("run")
        self.defaults = self._own("defaults")
        self.datasets = self._own("dataset")
        self.templates = self._own("template")
        self.profiles = self._own("profile")
        for item in module.tree.items:
            self.found += _out_of_place(item)

    @property
    def uses(self) -> Sequence[Use]:
        """The variables that were put in so far."""
        return self._definitions.uses

    @property
    def partial(self) -> bool:
        """Whether names may be missing through a fault that is reported already."""
        return self.module.partial

    def own(self, kind: str) -> list[Declared]:
        """The entry file's declarations of a kind."""
        return [d for d in self.module.names.values() if d.kind == kind]

    def of(self, module: Module) -> Document:
        """The document of another file of the job, with the same `-D` and nothing else."""
        if module is self.module and not self._profiles and not self._sets:
            return self
        return Document(module, Asked(), self._shape, self._definitions)

    def find(self, path: ast.Path, kind: str) -> tuple[Declared, tuple[str, ...]] | None:
        """What a reference means in the file that it is written in, and the parts behind it."""
        found = self._written_in(path.span).name(tuple(_texts(path)))
        return found if found is not None and found[0].kind == kind else None

    def has_variable(self, path: ast.Path) -> bool:
        """Whether the file of a path has a constant or a parameter of that name."""
        return self._written_in(path.span).variable(tuple(_texts(path))) is not None

    def known(self, span: Span, kind: str) -> list[str]:
        """The names of a kind that the file of a span can write."""
        visible = self._written_in(span).visible("names")
        return [name for name, declared in visible if declared.kind == kind]

    def is_partial(self, span: Span) -> bool:
        """Whether names may be missing in the file of a span."""
        return self._written_in(span).partial

    def tree(self, of: Declared) -> Tree | None:
        """The tree of any declaration; None for one whose `extends` is broken."""
        if of not in self._trees:
            self._trees[of] = self._tree(of, entry=of.module is self.module)
        return self._trees[of]

    def plain(self, of: Declared) -> Tree | None:
        """The tree of a run as its own file has it, without profiles and `--set`."""
        return self._tree(of, entry=False)

    def _written_in(self, span: Span) -> Module:
        return self._modules.get(id(span.source), self.module)

    def _own(self, kind: str) -> dict[str, Tree]:
        trees: dict[str, Tree] = {}
        for declared in self.own(kind):
            before = len(self.found)
            tree = self.tree(declared)
            if kind == "run" and self.only not in (None, declared.name):
                del self.found[before:]  # nobody asked for this run
            if tree is not None:
                trees[declared.name] = tree
        return trees

    def _tree(self, of: Declared, entry: bool) -> Tree | None:
        chain = self._chain(of)
        if chain is None:
            return None
        block = of.node
        assert isinstance(block, ast.Block)
        tree = self._merge.new(block, Layer("spec", of.name))
        for one in chain:
            layer = Layer("spec" if one is of else "extends", one.name)
            self._lay(tree, one, layer, loose=of.kind == "profile")
        if entry and of.kind == "run":
            for one in self._profiles:
                self._lay(tree, one, Layer("profile", one.name))
            for each in self._sets:
                variables = Variables(each.module, self._definitions)
                self._merge.lay(tree, (each.entry,), Layer("set", each.text), variables)
        return tree

    def _lay(self, tree: Tree, of: Declared, layer: Layer, loose: bool = False) -> None:
        block = of.node
        assert isinstance(block, ast.Block)
        variables = Variables(of.module, self._definitions)
        merge = Merge(self._shape, self.found, loose=True) if loose else self._merge
        merge.lay(tree, block.body or (), layer, variables)

    def _chain(self, of: Declared) -> list[Declared] | None:
        """The declarations from the outermost base down to this one; None after an error."""
        chain = [of]
        while True:
            block = chain[0].node
            assert isinstance(block, ast.Block)
            if block.extends is None:
                return chain
            if block.name.text not in ("run", "defaults"):
                self.found.append(_cannot_extend(block, block.extends))
                return None
            module = chain[0].module
            found = module.name(tuple(_texts(block.extends)))
            if found is None or found[1] or found[0].kind not in ("run", "defaults"):
                if not module.partial or found is not None:
                    self.found.append(_no_base(block.extends, module, found))
                return None
            if found[0] in chain:
                self.found.append(_circle(block.extends, [found[0], *chain]))
                return None
            chain.insert(0, found[0])

    def _profile(self, name: str) -> Declared | None:
        found = self.module.name(tuple(name.split(".")))
        if found is not None and not found[1] and found[0].kind == "profile":
            return found[0]
        known = [n for n, d in self.module.visible("names") if d.kind == "profile"]
        listed = ", ".join(f"`{n}`" for n in known)
        self.found.append(
            error(
                "FT131",
                f"there is no profile `{name}`",
                Span(SourceFile(f"--profile {name}", name), 0, len(name)),
                help=did_you_mean(name, known)
                or ((f"there are {listed}",) if known else ("declare it: `profile NAME { … }`",)),
            )
        )
        return None


def _defined(asked: Asked, module: Module, found: list[Diagnostic]) -> dict[Declared, ast.Value]:
    if not asked.defines:
        return {}
    from ftlang.names.given import defined

    return defined(asked.defines, module, found)


def _entries(asked: Asked, module: Module, found: list[Diagnostic]) -> list[Entry]:
    if not asked.sets:
        return []
    from ftlang.names.given import entries

    return entries(asked.sets, module, found)


def _texts(path: ast.Path) -> Iterator[str]:
    for part in path.parts:
        yield part.text if isinstance(part, ast.Name) else part.value


def _reachable(module: Module) -> list[Module]:
    seen, todo = [module], [module]
    while todo:
        for one in todo.pop().imports:
            if one.module is not None and one.module not in seen:
                seen.append(one.module)
                todo.append(one.module)
    return seen


def _cannot_extend(block: ast.Block, extends: ast.Path) -> Diagnostic:
    return error(
        "FT113",
        f"a `{block.name.text}` extends nothing; only `run` and `defaults` do",
        extends.span,
        help=("remove `extends` and write the fields out",),
    )


def _no_base(
    extends: ast.Path, module: Module, found: tuple[Declared, tuple[str, ...]] | None
) -> Diagnostic:
    name = extends.text
    known = [n for n, d in module.visible("names") if d.kind in ("run", "defaults")]
    labels: tuple[Label, ...] = ()
    if found is not None and not found[1]:
        message = f"`{name}` is a `{found[0].kind}`, which nothing extends"
        labels = (Label(found[0].span, "declared here"),)
    else:
        message = f"there is no run and no defaults `{name}`"
    help = did_you_mean(name, known) or (
        f"declare it: `defaults {extends.parts[-1].span.text} {{ … }}`",
        'or bring its file in: `use "base.ft"`',
    )
    return error("FT129", message, extends.span, labels=labels, help=help)


def _circle(extends: ast.Path, chain: list[Declared]) -> Diagnostic:
    shown = " → ".join(f"`{d.name}`" for d in reversed(chain))
    return error(
        "FT130",
        f"`{extends.text}` extends itself",
        extends.span,
        notes=(f"the bases form a circle: {shown}",) if len(chain) > 2 else (),
        help=("remove one `extends`",),
    )


def _out_of_place(item: ast.Item) -> Iterator[Diagnostic]:
    """What stands at the top of a file and is no declaration."""
    match item:
        case ast.Param() if item.type.text not in TYPES:
            yield error(
                "FT135",
                f"there is no parameter type `{item.type.text}`",
                item.type.span,
                help=did_you_mean(item.type.text, TYPES)
                or ("the types are " + ", ".join(f"`{t}`" for t in TYPES),),
            )
        case ast.Attr() | ast.Unset():
            yield error(
                "FT115",
                f"`{item.path.text}` stands outside any block",
                item.path.span,
                notes=("fields belong to a run or to one of its blocks",),
                help=("move it into a `run NAME { … }`",),
            )
        case ast.Block() if item.name.text not in DECLARATIONS:
            family = item.name.text
            near = did_you_mean(family, DECLARATIONS)
            yield error(
                "FT110",
                f"`{family}` is not a declaration",
                item.name.span,
                notes=("a file declares " + ", ".join(f"`{d}`" for d in DECLARATIONS),),
                help=near or (f"put `{family}` inside a `run NAME {{ … }}`",),
            )
        case ast.Block(kind=None):
            family = item.name.text
            names = {"run": "sft", "dataset": "support", "defaults": "base", "profile": "smoke"}
            yield error(
                "FT111",
                f"this `{family}` has no name",
                item.name.span,
                help=(f"name it, as in `{family} {names.get(family, 'house')} {{ … }}`",),
            )
