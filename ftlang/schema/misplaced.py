"""Fields that a block does not have: another block's, another tool's, a derived one, or a typo."""

from __future__ import annotations

from collections.abc import Iterable

from ftlang.diagnostics import Diagnostic, error
from ftlang.names.suggest import did_you_mean, near
from ftlang.schema.block import Block, Family, declared
from ftlang.schema.foreign import DERIVED, FOREIGN, WRITTEN
from ftlang.schema.run import Run
from ftlang.source import Span


def unknown_field(name: str, span: Span, cls: type[Block], family: str) -> Diagnostic:
    """What to say of a field that the block does not have: another's, a former name, or a typo."""
    if name in DERIVED and name not in FOREIGN:
        by = DERIVED[name]
        return error(
            "FT213",
            f"`{name}` is derived from `{by}`",
            span,
            notes=("the plan computes it, and the script shows the arithmetic",),
            help=(f"set `{by}` instead",),
        )
    if name in FOREIGN:
        whose, here = FOREIGN[name]
        return error(
            "FT214",
            f"`{name}` is {whose} name; here it is `{here}`",
            span,
            help=(WRITTEN.get(here, f"set `{here}`"),),
        )
    own = (*declared(cls), *cls.families)
    close = near(name, own)
    homes = _homes(name)
    if homes and not close:
        listed = " and ".join(f"`{h}`" for h in homes)
        article = "a field" if len(homes) == 1 else "fields"
        message = f"`{name}` is {article} of {listed}, not of `{family}`"
        same = homes[0].split()[0] == family.split()[0]
        kinds = _every_kind_has(name, homes[0])
        way = f"use `{homes[0]}`" if same else f"move it into `{homes[0]} {{ … }}`"
        if kinds and not same:
            way = f"move it into the `{homes[0]}` block, such as `{homes[0]} {kinds[0]} {{ … }}`"
        return error("FT202", message, span, help=(way,))
    fields_here = ", ".join(f"`{n}`" for n in own)
    help = did_you_mean(name, own) or (
        (f"`{family}` has {fields_here}",) if own else (f"`{family}` has no fields",)
    )
    return error("FT201", f"`{family}` has no field `{name}`", span, help=help)


def _homes(name: str) -> list[str]:
    """The blocks of a run that do have this field."""
    homes: list[str] = ["run"] if name in declared(Run) else []

    def look(families: Iterable[Family]) -> None:
        for family in families:
            for kind, cls in family.kinds.items():
                home = (
                    family.name if _every_kind_has(name, family.name) else family.name + " " + kind
                )
                home = home.strip()
                if name in declared(cls) and not any(h.split()[0] == family.name for h in homes):
                    homes.append(home)
                look(cls.families.values())

    look(Run.families.values())
    return homes


def _every_kind_has(name: str, family: str) -> tuple[str, ...]:
    """The kinds of a run's family, the default first, if all have the field; else nothing."""
    member = Run.families.get(family)
    if member is None or not member.has_kinds:
        return ()
    if not all(name in declared(cls) for cls in member.kinds.values()):
        return ()
    return tuple(sorted(member.kinds, key=lambda kind: kind != member.default))
