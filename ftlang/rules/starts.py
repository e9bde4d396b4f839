"""Rules on how an adapter starts, and on its arguments that exclude each other."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.diagnostics import Diagnostic, Label, error, warning
from ftlang.rules.registry import rule
from ftlang.schema.given import Map
from ftlang.schema.run import Spec
from ftlang.schema.tune import Lora


def _start(spec: Spec) -> str:
    """The way that an adapter starts, "" for PEFT's own."""
    given = spec.tune.passed.get("init_lora_weights") if isinstance(spec.tune, Lora) else None
    return given if isinstance(given, str) else ""


@rule("FT366", "start-that-needs-real-weights")
def start_that_needs_real_weights(spec: Spec) -> Iterator[Diagnostic]:
    """An adapter that is made of weights which are quantized.

    Why:
        PiSSA takes the singular vectors of the weights, and `orthogonal` takes their type: both
        need real numbers.  On quantized weights PEFT stops when the adapter is put on.
    Wrong:
        model { base = builtin("tiny-llama"), quantize nf4 }
        tune lora { init_lora_weights = "pissa" }
    Right:
        model { base = builtin("tiny-llama"), quantize nf4 }
        tune lora { init_lora_weights = "gaussian" }
    """
    start = _start(spec)
    if spec.model.quantize is not None and (start.startswith("pissa") or start == "orthogonal"):
        yield error(
            "FT366",
            f"`{start}` cannot start from quantized weights",
            spec.span_of("tune.init_lora_weights"),
            labels=(Label(spec.span_of("model.quantize"), "quantized here"),),
            help=("leave `init_lora_weights` out", "or remove `quantize`"),
        )


@rule("FT367", "start-that-is-prepared-elsewhere")
def start_that_is_prepared_elsewhere(spec: Spec) -> Iterator[Diagnostic]:
    """An adapter whose start is computed from data beforehand.

    Why:
        CorDA and EVA start from activations of the model on sample rows, which are collected by
        functions of their own before the adapter is made.  The script calls none of them: `corda`
        stops, and `eva` starts as any adapter does.
    Wrong:
        tune lora { init_lora_weights = "eva" }
    Right:
        tune lora { init_lora_weights = "pissa" }
    """
    start = _start(spec)
    if start in ("eva", "corda"):
        kind = error if start == "corda" else warning
        yield kind(
            "FT367",
            f"`{start}` starts from activations that the script does not collect",
            spec.span_of("tune.init_lora_weights"),
            help=('use `init_lora_weights = "pissa"`, which needs no data', "or leave it out"),
        )


@rule("FT368", "start-that-is-not-found-again")
def start_that_is_not_found_again(spec: Spec) -> Iterator[Diagnostic]:
    """PiSSA by a randomized decomposition.

    Why:
        A PiSSA adapter belongs to what the decomposition left of the base, which is computed again
        when the adapter is loaded.  The randomized one, `pissa_niter_N`, comes out differently
        each time: the reloaded model is not the one that was trained.
    Wrong:
        tune lora { init_lora_weights = "pissa_niter_4" }
    Right:
        tune lora { init_lora_weights = "pissa" }
    """
    if _start(spec).startswith("pissa_niter"):
        yield warning(
            "FT368",
            f"an adapter from `{_start(spec)}` does not load as it was trained",
            spec.span_of("tune.init_lora_weights"),
            notes=("its random part is drawn anew when it is loaded",),
            help=('use `init_lora_weights = "pissa"`, which is exact',),
        )


@rule("FT369", "layers-without-a-list")
def layers_without_a_list(spec: Spec) -> Iterator[Diagnostic]:
    """Chosen layers without a list of the modules in them, or a pattern without layers.

    Why:
        PEFT looks for a layer's number in the names of listed modules: it refuses
        `layers_to_transform` beside `all-linear`, and `layers_pattern` beside no
        `layers_to_transform`.
    Wrong:
        tune lora { layers_to_transform = [0, 1] }
    Right:
        tune lora { target_modules = [q_proj, v_proj], layers_to_transform = [0, 1] }
    """
    if not isinstance(spec.tune, Lora):
        return
    passed = spec.tune.passed
    layers = passed.get("layers_to_transform")
    if layers is not None and isinstance(spec.tune.target_modules, str):
        at = "tune.target_modules"
        yield error(
            "FT369",
            f"`layers_to_transform` needs a list of modules, not `{spec.tune.target_modules}`",
            spec.span_of("tune.layers_to_transform"),
            labels=(Label(spec.span_of(at), "no list"),) if spec.written(at) else (),
            help=("list them: `target_modules = [q_proj, k_proj, v_proj, o_proj]`",),
        )
    if layers is None and passed.get("layers_pattern") is not None:
        yield error(
            "FT369",
            "`layers_pattern` says where layers are, and none are chosen",
            spec.span_of("tune.layers_pattern"),
            help=("add `layers_to_transform = [0, 1]`", "or remove `layers_pattern`"),
        )


@rule("FT395", "bias-of-an-adapter-that-takes-none")
def bias_of_an_adapter_that_takes_none(spec: Spec) -> Iterator[Diagnostic]:
    """`lora_bias` beside DoRA, or beside a start of its own.

    Why:
        A bias on the adapter is defined for plain LoRA alone; PEFT refuses it beside `use_dora`
        and beside an `init_lora_weights` other than `true` and `false`.
    Wrong:
        tune lora { lora_bias = true, use_dora = true }
    Right:
        tune lora { lora_bias = true }
    """
    if not isinstance(spec.tune, Lora) or spec.tune.passed.get("lora_bias") is not True:
        return
    other = "use_dora" if spec.tune.use_dora else "init_lora_weights" if _start(spec) else ""
    if other:
        yield error(
            "FT395",
            f"`lora_bias` does not go with `{other}`",
            spec.span_of("tune.lora_bias"),
            labels=(Label(spec.span_of(f"tune.{other}"), "set here"),),
            help=("remove one of the two",),
        )


@rule("FT396", "parameters-that-take-no-dropout")
def parameters_that_take_no_dropout(spec: Spec) -> Iterator[Diagnostic]:
    """Adapters on bare parameters with dropout or DoRA.

    Why:
        `target_parameters` adapts a tensor without its module, so there is no input to drop and
        no output to scale: PEFT refuses `lora_dropout`, `use_dora` and `lora_bias` there.
    Wrong:
        tune lora {
          target_modules    = [q_proj]
          target_parameters = ["mlp.experts.down_proj"]
          lora_dropout      = 5%
        }
    Right:
        tune lora { target_modules = [q_proj], target_parameters = ["mlp.experts.down_proj"] }
    """
    if not isinstance(spec.tune, Lora) or not spec.tune.passed.get("target_parameters"):
        return
    refused = {
        "lora_dropout": spec.tune.lora_dropout > 0,
        "use_dora": spec.tune.use_dora,
        "lora_bias": spec.tune.passed.get("lora_bias") is True,
    }
    for name, given in refused.items():
        if given:
            yield error(
                "FT396",
                f"`target_parameters` does not go with `{name}`",
                spec.span_of(f"tune.{name}"),
                labels=(Label(spec.span_of("tune.target_parameters"), "bare parameters"),),
                help=(f"remove `{name}`", "or adapt modules: `target_modules`"),
            )


@rule("FT397", "rank-of-zero")
def rank_of_zero(spec: Spec) -> Iterator[Diagnostic]:
    """A module that is given a rank below 1.

    Why:
        A rank of 0 is no adapter, and PEFT refuses it when the adapter is put on.  A module that is
        to have none is left out.
    Wrong:
        tune lora { rank_pattern = { v_proj = 0 } }
    Right:
        tune lora { rank_pattern = { v_proj = 8 } }
    """
    ranks = spec.tune.passed.get("rank_pattern") if isinstance(spec.tune, Lora) else None
    if not isinstance(ranks, Map):
        return
    none = next((name for name, r in ranks.pairs if isinstance(r, int) and r < 1), None)
    if none is not None:
        yield error(
            "FT397",
            f"`{none}` is given a rank that is not above 0",
            spec.span_of("tune.rank_pattern"),
            help=(f"leave it out: `exclude_modules = [{none}]`", "or give it a rank from 1 up"),
        )


@rule("FT398", "token-rows-of-a-whole-embedding")
def token_rows_of_a_whole_embedding(spec: Spec) -> Iterator[Diagnostic]:
    """Some rows of an embedding that is trained whole.

    Why:
        `trainable_token_indices` puts a layer around the embedding, and `modules_to_save` another.
        PEFT takes both and fails in the first step.
    Wrong:
        tune lora { trainable_token_indices = [5, 6], modules_to_save = [embed_tokens] }
    Right:
        tune lora { trainable_token_indices = [5, 6] }
    """
    if not isinstance(spec.tune, Lora) or spec.tune.passed.get("trainable_token_indices") is None:
        return
    if "embed_tokens" in (spec.tune.modules_to_save or ()):
        yield error(
            "FT398",
            "`embed_tokens` is trained whole, and some of its rows apart",
            spec.span_of("tune.trainable_token_indices"),
            labels=(Label(spec.span_of("tune.modules_to_save"), "trained whole here"),),
            help=("remove one of the two",),
        )
