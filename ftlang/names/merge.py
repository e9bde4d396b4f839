"""Lays bodies over each other: `extends`, the run itself, profiles, `--set`, in that order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from ftlang.diagnostics import Diagnostic, Label, Severity, error
from ftlang.names.once import parts_of, set_once
from ftlang.names.suggest import did_you_mean
from ftlang.names.tree import Given, Layer, Tree
from ftlang.names.variables import Variables
from ftlang.record import Record
from ftlang.syntax import ast


class Shape(Record):
    """What merging must know of the schema.

    `common` are the fields of a family that every kind of it has, which survive a change of
    kind; `without` those of them that a kind lacks after all, by family and kind; `named` the
    families whose blocks have a name instead of a kind.  `defaults` are the families of a run
    that it has without writing them, by the kind that they then have.
    """

    common: Mapping[str, Collection[str]] = {}
    without: Mapping[tuple[str, str], Collection[str]] = {}
    named: Collection[str] = ()
    defaults: Mapping[str, str] = {}

    def survive(self, family: str, kind: str) -> set[str]:
        """The inherited fields that a block of this kind takes over from another kind."""
        return set(self.common.get(family, ())) - set(self.without.get((family, kind), ()))


class Merge:
    """Lays the entries of bodies over a tree; `found` collects what is wrong.

    A `loose` merge is for a body without its run, such as a profile's by itself: what it changes
    need not be there.
    """

    def __init__(self, shape: Shape, found: list[Diagnostic], loose: bool = False) -> None:
        self.shape, self.found, self.loose = shape, found, loose
        self.top: Tree | None = None

    def new(self, block: ast.Block, layer: Layer) -> Tree:
        """The tree of a block without its body."""
        bare = block.body is None
        return Tree(block.name, block.kind, block.head, block.span, layer, bare)

    def lay(
        self, tree: Tree, body: Iterable[ast.Entry], layer: Layer, variables: Variables
    ) -> None:
        """Lays one body over the tree: blocks first, then fields, dotted paths, and `unset`."""
        self.top = tree
        self._lay(tree, set_once(body, self.shape.named, self.found), layer, variables)

    def _lay(
        self, tree: Tree, body: Iterable[ast.Entry], layer: Layer, variables: Variables
    ) -> None:
        later: list[ast.Attr | ast.Unset] = []
        for entry in body:
            if isinstance(entry, ast.Block):
                self._block(tree, entry, layer, variables)
            elif isinstance(entry, ast.Attr) and len(entry.path.parts) == 1:
                self._set(tree, entry.path.parts[-1], entry, layer, variables)
            else:
                later.append(entry)
        for entry in later:
            if isinstance(entry, ast.Unset):
                self._unset(tree, entry, layer)
            else:
                self._dotted(tree, entry, layer, variables)

    def _block(self, tree: Tree, block: ast.Block, layer: Layer, variables: Variables) -> None:
        if block.extends is not None:
            self.found.append(
                error(
                    "FT113",
                    "only `run` and `defaults` extend another",
                    block.extends.span,
                    help=("remove `extends` and write the fields out",),
                )
            )
            return
        family = block.name.text
        siblings = tree.blocks
        key = family
        if family in self.shape.named and block.kind is not None:
            siblings, key = tree.named.setdefault(family, {}), block.kind.text
        before = siblings.get(key)
        new = self.new(block, layer)
        if before is not None:
            same = new.kind is None or _kind(before) == _kind(new)  # a kind left out is FT211
            new.bare = new.bare and (before.bare or not same)
            self._inherit(new, before, family, same)
        siblings[key] = new
        tree.attrs.pop(family, None)
        tree.removed.pop(family, None)
        self._lay(new, block.body or (), layer, variables)

    def _inherit(self, new: Tree, before: Tree, family: str, same: bool) -> None:
        """Of a block of the same kind everything stays, of another only what all kinds have."""
        if same:
            new.attrs, new.blocks, new.named = before.attrs, before.blocks, before.named
            new.dropped, new.removed = before.dropped, before.removed
            return
        common = self.shape.survive(family, _kind(new))
        new.attrs = {name: g for name, g in before.attrs.items() if name in common}
        new.dropped = {name: g for name, g in before.attrs.items() if name not in common}
        gone = [*new.dropped, *before.blocks, *before.named]
        if gone and before.layer != new.layer:
            self.found.append(_left_behind(new, before, gone))

    def _set(
        self,
        tree: Tree,
        part: ast.Name | ast.Str,
        attr: ast.Attr,
        layer: Layer,
        variables: Variables,
    ) -> None:
        name = part.text if isinstance(part, ast.Name) else part.value
        value, through = variables.put(attr.value)
        own = ast.Path((part,), part.span)
        given = Given(own, value, attr.span, layer, attr.value.span, through)
        if attr.op == "+=":
            added = self._added(tree.attrs.get(name), given, name, tree)
            if added is None:
                return
            given = added
        tree.attrs[name] = given
        tree.removed.pop(name, None)

    def _added(self, before: Given | None, more: Given, name: str, tree: Tree) -> Given | None:
        """The list or map with the new items behind those it had, or None after an error."""
        old = before.value if before is not None else None
        new = more.value
        if isinstance(old, ast.Unreadable) or isinstance(new, ast.Unreadable):
            return before
        value: ast.Value
        if (before is None or old is None) and self.loose:
            return more
        if before is None or old is None:
            self.found.append(
                error(
                    "FT133",
                    f"no layer has given `{name}`, so there is nothing to add to",
                    more.path.span,
                    notes=self._whose(more.layer),
                    help=did_you_mean(name, tree.attrs)
                    or (f"write `{name} = …` with all that it shall hold",),
                )
            )
            return None
        if isinstance(old, ast.ListValue) and isinstance(new, ast.ListValue):
            value = ast.ListValue((*old.items, *new.items), new.span)
        elif isinstance(old, ast.MapValue) and isinstance(new, ast.MapValue):
            given = {_key(pair.key) for pair in new.pairs}
            kept = (pair for pair in old.pairs if _key(pair.key) not in given)
            value = ast.MapValue((*kept, *new.pairs), new.span)
        else:
            what = "a list" if isinstance(old, ast.ListValue) else "a map"
            both = isinstance(old, ast.ListValue | ast.MapValue)
            message = f"`+=` adds {what} to {what}" if both else "`+=` adds to lists and maps only"
            self.found.append(
                error(
                    "FT133",
                    message,
                    more.value.span if both else more.path.span,
                    labels=(Label(before.written, "this is what it has"),),
                    help=(f"write `{name} += [ … ]`",)
                    if isinstance(old, ast.ListValue)
                    else (f"write `{name} = …`",),
                )
            )
            return None
        return Given(
            more.path,
            value,
            more.span,
            more.layer,
            more.written,
            (*before.through, before.written, *more.through),
        )

    def _dotted(self, tree: Tree, attr: ast.Attr, layer: Layer, variables: Variables) -> None:
        """Sets `training.batch = 8` in the block that some layer has given."""
        parts = parts_of(attr.path)
        at, missing = _block_at(tree, parts[:-1])
        if self.loose and missing is not None:
            at, missing = self._made(at, attr.path.parts[missing:-1], layer), None
        if missing == 0 and len(parts) == 2 and at is self.top and parts[0] in self.shape.defaults:
            at, missing = self._default(at, attr.path.parts[0], layer), None
        if missing is None:
            self._set(at, attr.path.parts[-1], attr, layer, variables)
        elif parts[missing] in at.attrs and missing == len(parts) - 2:
            self._map_key(at, parts[missing], attr, layer, variables)
        else:
            self.found.append(
                _no_block(
                    at, attr.path.parts[missing], parts[missing], attr.path, self._whose(layer)
                )
            )

    def _default(self, tree: Tree, part: ast.Name | ast.Str, layer: Layer) -> Tree:
        """A block that the run has by default, now that something in it is set."""
        name = part if isinstance(part, ast.Name) else ast.Name(part.value, part.span)
        kind = self.shape.defaults[name.text]
        head = ast.Name(kind, part.span) if kind else None
        tree.blocks[name.text] = Tree(name, head, part.span, part.span, layer)
        return tree.blocks[name.text]

    def _whose(self, layer: Layer) -> tuple[str, ...]:
        """Which run it is that a layer from outside does not fit."""
        if layer.kind not in ("profile", "set") or self.top is None or self.top.kind is None:
            return ()
        return (f"it is laid over every run, and `{self.top.kind.text}` has none",)

    def _made(self, tree: Tree, parts: tuple[ast.Name | ast.Str, ...], layer: Layer) -> Tree:
        """Blocks for the parts of a path that nothing has given yet, their kinds unknown."""
        for part in parts:
            name = part if isinstance(part, ast.Name) else ast.Name(part.value, part.span)
            inner = Tree(name, None, name.span, name.span, layer)
            inner.patched = True
            tree.blocks[name.text] = inner
            tree = inner
        return tree

    def _map_key(
        self, tree: Tree, name: str, attr: ast.Attr, layer: Layer, variables: Variables
    ) -> None:
        """`rank_pattern."layers.0" = 16` sets one key of a map that is there."""
        last = attr.path.parts[-1]
        key = last if isinstance(last, ast.Str) else ast.Path((last,), last.span)
        value, through = variables.put(attr.value)
        pair = ast.MapValue((ast.Pair(key, value, attr.span),), attr.value.span)
        own = ast.Path((attr.path.parts[-2],), attr.path.parts[-2].span)
        more = Given(own, pair, attr.span, layer, attr.value.span, through)
        before = tree.attrs[name]
        if isinstance(before.value, ast.MapValue):
            added = self._added(before, more, name, tree)
            if added is not None:
                tree.attrs[name] = added
            return
        if not isinstance(before.value, ast.Unreadable):
            part = attr.path.parts[-2]
            self.found.append(_no_block(tree, part, name, attr.path, self._whose(layer)))

    def _unset(self, tree: Tree, entry: ast.Unset, layer: Layer) -> None:
        """Takes a field or a block away, so that the default holds again."""
        parts = parts_of(entry.path)
        at, missing = _block_at(tree, parts[:-1])
        if missing is not None and missing == len(parts) - 2 and parts[missing] in at.named:
            named = at.named[parts[missing]]
            if named.pop(parts[-1], None) is not None:
                return
        tables = (at.attrs, at.blocks, at.named)
        for table in tables if missing is None else ():
            if parts[-1] in table:
                del table[parts[-1]]
                at.removed[parts[-1]] = entry.path.span
                return
        if self.loose:
            return
        wrong = parts[-1] if missing is None else parts[missing]
        if missing is not None and missing == len(parts) - 2 and wrong in at.named:
            wrong = parts[-1]
        self.found.append(
            error(
                "FT132",
                f"no layer has given `{entry.path.text}`, so there is nothing to unset",
                entry.path.span,
                notes=self._whose(layer),
                help=did_you_mean(wrong, _names_in(at)) or ("remove the line",),
            )
        )


def _block_at(tree: Tree, parts: tuple[str, ...]) -> tuple[Tree, int | None]:
    """The block that a path leads to, or the last one on the way and the part that is missing."""
    at, index = tree, 0
    while index < len(parts):
        name = parts[index]
        step = 1
        inner = at.blocks.get(name)
        if inner is None and name in at.named and index + 1 < len(parts):
            inner, step = at.named[name].get(parts[index + 1]), 2
        if inner is None:
            return at, index + step - 1
        at, index = inner, index + step
    return at, None


def _names_in(tree: Tree) -> list[str]:
    """Every name that a path can go on with in a block."""
    named = [name for one in tree.named.values() for name in one]
    maps = [name for name, given in tree.attrs.items() if isinstance(given.value, ast.MapValue)]
    return [*maps, *tree.blocks, *tree.named, *named, *tree.attrs]


def _kind(tree: Tree) -> str:
    return tree.kind.text if tree.kind is not None else ""


def _key(key: ast.Path | ast.Str) -> str:
    return key.value if isinstance(key, ast.Str) else key.text


def _no_block(
    tree: Tree, part: ast.Name | ast.Str, name: str, path: ast.Path, notes: tuple[str, ...]
) -> Diagnostic:
    from ftlang.names.foreign_blocks import BLOCKS

    ours, rest = BLOCKS.get(name), path.text.removeprefix(name)
    way = f"write the block out: `{name} {{ … }}`"
    if ours is not None and path.text.startswith(name + "."):
        way = f"here the block is `{ours}`: write `{ours}{rest} = …`"
    return error(
        "FT114",
        f"no block `{name}` is given here, so `{path.text}` has nothing to change",
        part.span,
        notes=notes,
        help=(
            *did_you_mean(name, _names_in(tree)),
            way,
        ),
    )


def _left_behind(new: Tree, before: Tree, gone: list[str]) -> Diagnostic:
    """FT134, a note: which inherited fields another kind does not take over."""
    listed = ", ".join(f"`{name}`" for name in gone)
    count = "counts" if len(gone) == 1 else "count"
    was = " ".join(filter(None, (before.name.text, _kind(before))))
    now = " ".join(filter(None, (new.name.text, _kind(new))))
    kept = ", ".join(f"`{name}`" for name in new.attrs)
    return Diagnostic(
        "FT134",
        Severity.NOTE,
        f"`{now}` replaces `{was}`, whose {listed} no longer {count}",
        new.head,
        labels=(Label(before.head, "inherited from here"),),
        notes=(f"what every kind has stays: {kept}",) if kept else (),
    )
