"""Rules on library arguments of `training` and `data` that need another one, or a GPU."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.diagnostics import Diagnostic, Label, error, warning
from ftlang.rules.registry import rule
from ftlang.schema.batch import on_cpu, packed
from ftlang.schema.run import Spec
from ftlang.schema.units import plain

# Noise of 5 to 15 is what the paper tries (arXiv:2310.05914).
LOUD = 50


@rule("FT377", "settings-of-workers-that-are-not-there")
def settings_of_workers_that_are_not_there(spec: Spec) -> Iterator[Diagnostic]:
    """Settings of the processes that load rows, where there are none.

    Why:
        Without `dataloader_num_workers` rows are loaded by the training process itself.  There is
        nothing to fetch ahead or to keep alive, and the libraries refuse to be told.
    Wrong:
        data { dataloader_prefetch_factor = 4 }
    Right:
        data { dataloader_num_workers = 2, dataloader_prefetch_factor = 4 }
    """
    passed = spec.data.passed
    if passed.get("dataloader_num_workers"):
        return
    for name in ("dataloader_prefetch_factor", "dataloader_persistent_workers"):
        if passed.get(name):
            yield error(
                "FT377",
                f"`{name}` needs workers, and there are none",
                spec.span_of(f"data.{name}"),
                help=("add `dataloader_num_workers = 2`", f"or remove `{name}`"),
            )


@rule("FT378", "packed-rows-grouped-by-length")
def packed_rows_grouped_by_length(spec: Spec) -> Iterator[Diagnostic]:
    """Rows grouped by length after they are packed.

    Why:
        Grouping saves padding, and packed rows have none: they are all about `max_length` long.
        It only makes their order less random.
    Wrong:
        data { packing = bfd, train_sampling_strategy = "group_by_length" }
    Right:
        data { train_sampling_strategy = "group_by_length" }
    """
    if packed(spec) and spec.data.passed.get("train_sampling_strategy") == "group_by_length":
        yield warning(
            "FT378",
            "packed rows are all of one length: there is nothing to group",
            spec.span_of("data.train_sampling_strategy"),
            labels=(Label(spec.span_of("data.packing"), "packed here"),),
            help=("remove `train_sampling_strategy`",),
        )


@rule("FT379", "gpu-settings-on-a-cpu")
def gpu_settings_on_a_cpu(spec: Spec) -> Iterator[Diagnostic]:
    """Settings that only a GPU has, in a run on a CPU.

    Why:
        `tf32` is a number format of Ampere GPUs and later, and `activation_offloading` moves
        activations from the GPU to the CPU.  On a CPU both stop the run.
    Wrong:
        training { tf32 = true }
        hardware { gpus_per_node = 0 }
    Right:
        training { tf32 = true }
        hardware { gpus_per_node = 1 }
    """
    if not on_cpu(spec):
        return
    for name in ("tf32", "activation_offloading"):
        if spec.training.passed.get(name) is True:
            yield error(
                "FT379",
                f"`{name}` needs a GPU",
                spec.span_of(f"training.{name}"),
                labels=(Label(spec.span_of("hardware.gpus_per_node"), "a CPU"),),
                help=(f"remove `{name}`",),
            )


@rule("FT391", "noise-out-of-band")
def noise_out_of_band(spec: Spec) -> Iterator[Diagnostic]:
    """Noise on the embeddings that is negative, or drowns them.

    Why:
        `neftune_noise_alpha` is the size of the noise: 5 to 15 in the paper.  A negative one is
        refused by torch in the first step; much more leaves little of the words.
    Wrong:
        training { neftune_noise_alpha = 500 }
    Right:
        training { neftune_noise_alpha = 5 }
    """
    alpha = spec.training.passed.get("neftune_noise_alpha")
    if not isinstance(alpha, int | float) or 0 <= alpha <= LOUD:
        return
    kind = error if alpha < 0 else warning
    yield kind(
        "FT391",
        f"noise cannot be of size {plain(alpha)}"
        if alpha < 0
        else f"noise of {plain(alpha)} drowns the words",
        spec.span_of("training.neftune_noise_alpha"),
        help=("use 5 to 15", "or leave it out"),
    )


@rule("FT392", "smoothing-beyond-the-label")
def smoothing_beyond_the_label(spec: Spec) -> Iterator[Diagnostic]:
    """Label smoothing that leaves the right word less than half of the weight.

    Why:
        The right word's weight is 1 − `label_smoothing_factor`, the rest is spread over all words.
        From 1 on the model learns to avoid the right word; above a half it learns mostly noise.
        Recipes use 0 to 0.1.
    Wrong:
        training { label_smoothing_factor = 1.0 }
    Right:
        training { label_smoothing_factor = 0.1 }
    """
    factor = spec.training.passed.get("label_smoothing_factor")
    if not isinstance(factor, int | float) or 0 <= factor <= 0.5:
        return
    kind = warning if 0.5 < factor < 1 else error
    yield kind(
        "FT392",
        f"the right word has the weight {plain(round(1 - factor, 6))}",
        spec.span_of("training.label_smoothing_factor"),
        notes=(f"1 − {plain(factor)}",),
        help=("use 0 to 0.1",),
    )


@rule("FT393", "compiled-against-its-word")
def compiled_against_its_word(spec: Spec) -> Iterator[Diagnostic]:
    """`torch_compile = false` beside a backend or a mode.

    Why:
        The trainer's arguments turn compilation on where a backend or a mode is given, whatever
        `torch_compile` says.
    Wrong:
        training { torch_compile = false, torch_compile_mode = "default" }
    Right:
        training { torch_compile = true, torch_compile_mode = "default" }
    """
    passed = spec.training.passed
    for name in ("torch_compile_backend", "torch_compile_mode"):
        if passed.get("torch_compile") is False and passed.get(name) is not None:
            yield warning(
                "FT393",
                f"`{name}` turns `torch_compile` on",
                spec.span_of("training.torch_compile"),
                labels=(Label(spec.span_of(f"training.{name}"), "turned on here"),),
                help=(f"remove `{name}`", "or write `torch_compile = true`"),
            )
            return


@rule("FT394", "settings-of-no-checkpointing")
def settings_of_no_checkpointing(spec: Spec) -> Iterator[Diagnostic]:
    """Settings of activation checkpointing where it is off.

    Why:
        On a CPU activations are kept unless `activation_checkpointing = true`; where they are
        kept, how they would be computed again is read by nothing.
    Wrong:
        training {
          activation_checkpointing        = false
          activation_checkpointing_kwargs = { use_reentrant = false }
        }
    Right:
        training {
          activation_checkpointing        = true
          activation_checkpointing_kwargs = { use_reentrant = false }
        }
    """
    name, asked = "activation_checkpointing_kwargs", spec.training.activation_checkpointing
    off = asked is False or (asked is None and on_cpu(spec))
    if off and spec.training.passed.get(name):
        path = "training.activation_checkpointing" if asked is False else "hardware.gpus_per_node"
        yield warning(
            "FT394",
            f"`{name}` is set, and activations are kept",
            spec.span_of(f"training.{name}"),
            labels=(Label(spec.span_of(path), "off here"),),
            help=("write `activation_checkpointing = true`", f"or remove `{name}`"),
        )
