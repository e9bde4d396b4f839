"""Rules on adapters: which modules they stand beside."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.diagnostics import Diagnostic, error
from ftlang.rules.registry import rule
from ftlang.schema.run import Spec
from ftlang.schema.tune import Lora


@rule("FT323", "adapters-beside-no-module")
def adapters_beside_no_module(spec: Spec) -> Iterator[Diagnostic]:
    """A list of target modules that cannot match.

    Why:
        In a list each item is the name of a module.  No module is named `all-linear`, which stands
        for all of them only by itself, and an empty list names none: PEFT then refuses the model.
    Wrong:
        tune lora { target_modules = [all-linear] }
    Right:
        tune lora { target_modules = all-linear }
    """
    targets = spec.tune.target_modules if isinstance(spec.tune, Lora) else None
    if isinstance(targets, tuple) and (not targets or "all-linear" in targets):
        yield error(
            "FT323",
            "`all-linear` is no module to put in a list" if targets else "the list names no module",
            spec.span_of("tune.target_modules"),
            help=(
                "write `target_modules = all-linear`",
                "or list names, such as `[q_proj]`",
            ),
        )
