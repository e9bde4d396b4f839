"""Rules on lists of modules: what is adapted, left out, or trained whole beside the adapters."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.diagnostics import Diagnostic, Label, error, warning
from ftlang.rules.registry import rule
from ftlang.schema.run import Spec
from ftlang.schema.tune import Lora

# Names of linear layers, and of blocks that hold some, in the common families of models; the
# libraries quantize all of them and leave heads, embeddings and norms as they are.
LINEAR = frozenset(
    {
        *("q_proj", "k_proj", "v_proj", "o_proj", "qkv_proj", "out_proj"),
        *("query_key_value", "Wqkv", "c_attn", "c_proj", "c_fc"),
        *("gate_proj", "up_proj", "down_proj", "gate_up_proj", "fc1", "fc2"),
        *("dense", "dense_h_to_4h", "dense_4h_to_h", "self_attn", "mlp"),
    }
)


def _within(name: str, other: str) -> bool:
    """Whether every module that `name` stands for is one that `other` stands for."""
    return name == other or name.endswith("." + other)


@rule("FT360", "module-in-two-lists")
def module_in_two_lists(spec: Spec) -> Iterator[Diagnostic]:
    """A module that is to get an adapter and is also left out, or trained whole.

    Why:
        PEFT puts no adapter on a module of `exclude_modules` or `modules_to_save`, and says
        nothing.  Where that leaves no module at all, it refuses the model after it is loaded.
    Wrong:
        tune lora { target_modules = [q_proj, v_proj], exclude_modules = [v_proj] }
    Right:
        tune lora { target_modules = [q_proj] }
    """
    if not isinstance(spec.tune, Lora) or not isinstance(spec.tune.target_modules, tuple):
        return
    targets, excluded = spec.tune.target_modules, spec.tune.exclude_modules
    lists = {
        "exclude_modules": (excluded if isinstance(excluded, tuple) else (), "left out here"),
        "modules_to_save": (spec.tune.modules_to_save or (), "trained whole here"),
    }
    gone = {t for t in targets for names, _ in lists.values() for n in names if _within(t, n)}
    for name, (others, where) in lists.items():
        both = [t for t in targets if any(_within(t, n) for n in others)]
        if not both:
            continue
        kind = error if gone == set(targets) else warning
        yield kind(
            "FT360",
            f"`{both[0]}` gets no adapter: it is in `{name}` too",
            spec.span_of("tune.target_modules"),
            labels=(Label(spec.span_of(f"tune.{name}"), where),),
            notes=("no module is left for an adapter",) if gone == set(targets) else (),
            help=("take it out of one of the two lists",),
        )


@rule("FT361", "module-named-twice")
def module_named_twice(spec: Spec) -> Iterator[Diagnostic]:
    """A module that stands twice in one list.

    Why:
        The second mention changes nothing; mostly another module was meant, such as `k_proj`
        beside `q_proj`.
    Wrong:
        tune lora { target_modules = [q_proj, q_proj] }
    Right:
        tune lora { target_modules = [q_proj, k_proj] }
    """
    if not isinstance(spec.tune, Lora):
        return
    for name in ("target_modules", "exclude_modules", "modules_to_save"):
        names = getattr(spec.tune, name)
        if not isinstance(names, tuple):
            continue
        twice = next((n for i, n in enumerate(names) if n in names[:i]), None)
        if twice is not None:
            yield warning(
                "FT361",
                f"`{twice}` stands twice in `{name}`",
                spec.span_of(f"tune.{name}"),
                help=("remove one, or name the module that was meant",),
            )


@rule("FT362", "quantized-module-trained-whole")
def quantized_module_trained_whole(spec: Spec) -> Iterator[Diagnostic]:
    """A linear layer that is quantized and is to be trained whole.

    Why:
        Quantized weights are integers without gradient, and a copy of them is no better: PEFT
        stops with "only Tensors of floating point dtype can require gradients".  Heads,
        embeddings and norms are not quantized and can be trained whole.
    Wrong:
        model { base = builtin("tiny-llama"), quantize nf4 }
        tune lora { target_modules = [q_proj], modules_to_save = [v_proj] }
    Right:
        model { base = builtin("tiny-llama"), quantize nf4 }
        tune lora { target_modules = [q_proj, v_proj], modules_to_save = [lm_head] }
    """
    if not isinstance(spec.tune, Lora) or spec.model.quantize is None:
        return
    names = spec.tune.modules_to_save or ()
    whole = next((n for n in names if n.rpartition(".")[2] in LINEAR), None)
    if whole is not None:
        yield error(
            "FT362",
            f"`{whole}` is quantized, and cannot be trained whole",
            spec.span_of("tune.modules_to_save"),
            labels=(Label(spec.span_of("model.quantize"), "quantized here"),),
            help=("put it into `target_modules`: it gets an adapter", "or remove `quantize`"),
        )
