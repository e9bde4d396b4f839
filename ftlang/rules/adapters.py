"""Rules on adapters: which modules they stand beside, and on what weights."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.diagnostics import Diagnostic, Label, error
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


@rule("FT325", "adapter-on-the-head")
def adapter_on_the_head(spec: Spec) -> Iterator[Diagnostic]:
    """An adapter on the language model's head.

    Why:
        TRL computes the loss from the head's weights, in chunks, and refuses a head with an
        adapter after the model is loaded.  A head that is trained whole is fine.
    Wrong:
        tune lora { target_modules = [q_proj, lm_head] }
    Right:
        tune lora { target_modules = [q_proj], modules_to_save = [lm_head] }
    """
    targets = spec.tune.target_modules if isinstance(spec.tune, Lora) else ()
    if isinstance(targets, tuple) and "lm_head" in targets:
        yield error(
            "FT325",
            "`lm_head` cannot have an adapter",
            spec.span_of("tune.target_modules"),
            help=("train it whole: `modules_to_save = [lm_head]`",),
        )


@rule("FT324", "dora-on-8-bit-weights")
def dora_on_8_bit_weights(spec: Spec) -> Iterator[Diagnostic]:
    """DoRA on weights of 8 bits.

    Why:
        DoRA needs the norm of the weights, which it reads back by expanding them; bitsandbytes
        cannot expand 8-bit weights before their first product, and the first step fails.
    Wrong:
        model { base = builtin("tiny-llama"), quantize int8 }
        tune lora { use_dora = true }
    Right:
        model { base = builtin("tiny-llama"), quantize nf4 }
        tune lora { use_dora = true }
    """
    quantize = spec.model.quantize
    if not isinstance(spec.tune, Lora) or not spec.tune.use_dora or quantize is None:
        return
    if quantize.kind == "int8":
        yield error(
            "FT324",
            "`use_dora` does not train on 8-bit weights",
            spec.span_of("tune.use_dora"),
            labels=(Label(spec.span_of("model.quantize"), "quantized here"),),
            help=("use `quantize nf4`", "or leave `use_dora` out"),
        )
