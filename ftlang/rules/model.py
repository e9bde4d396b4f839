"""Rules on the base: what can be trained, and what is pinned."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.diagnostics import Diagnostic, Label, error, warning
from ftlang.rules.batch import LONG_ROW
from ftlang.rules.registry import rule
from ftlang.schema.batch import on_cpu
from ftlang.schema.run import Spec
from ftlang.schema.sources import Hf
from ftlang.schema.tune import Full


@rule("FT320", "no-full-tuning-of-quantized-weights")
def no_full_tuning_of_quantized_weights(spec: Spec) -> Iterator[Diagnostic]:
    """Full tuning of quantized weights.

    Why:
        Quantized weights are frozen integers: they have no gradient, and the trainer refuses
        them after they are loaded.  Adapters on top of them can be trained.
    Wrong:
        model { base = builtin("tiny-llama"), quantize nf4 }
        tune full
    Right:
        model { base = builtin("tiny-llama"), quantize nf4 }
        tune lora
    """
    if isinstance(spec.tune, Full) and spec.model.quantize is not None:
        yield error(
            "FT320",
            f"`tune full` cannot train weights quantized to {spec.model.quantize.kind}",
            spec.span_of("tune"),
            labels=(Label(spec.span_of("model.quantize"), "quantized here"),),
            notes=("quantized weights have no gradient",),
            help=("train adapters on top of them: `tune lora`", "or remove `quantize`"),
        )


@rule("FT321", "unpinned-revision")
def unpinned_revision(spec: Spec) -> Iterator[Diagnostic]:
    """A repository of the hub without a revision.

    Why:
        A repository can change between two runs, its chat template too; the same spec then
        trains something else.  A commit hash of 40 digits names one state for good.
    Wrong:
        model { base = hf("org/model") }
    Right:
        model { base = hf("org/model", revision = "8049631c405ae6576f93f445c6b8166f76f5505a") }
    """
    base = spec.model.base
    if isinstance(base, Hf) and base.revision is None:
        yield warning(
            "FT321",
            f"`{base.repo}` is not pinned to a revision",
            spec.span_of("model.base"),
            notes=("what it holds may change between two runs",),
            help=('add `revision = "…"`, a commit hash of 40 hex digits',),
        )


@rule("FT322", "flash-attention-needs-16-bits")
def flash_attention_needs_16_bits(spec: Spec) -> Iterator[Diagnostic]:
    """Attention kernels that a CPU, or 32 bits, do not train.

    Why:
        The flash attention kernels run on a GPU and take float16 or bfloat16 only; with float32
        they fail at the first step.  Flex attention has no backward pass on a CPU.
    Wrong:
        model { base = path("model"), attn_implementation = flash_attention_2 }
        training { precision = fp32 }
    Right:
        model { base = path("model"), attn_implementation = flash_attention_2 }
        training { precision = bf16 }
    """
    kernel = spec.model.attn_implementation or ""
    flash = kernel.startswith("flash_attention")
    if not flash and kernel != "flex_attention":
        return
    reasons = {"training.precision": flash and spec.training.precision == "fp32"}
    reasons["hardware.gpus_per_node"] = on_cpu(spec)
    for path, bad in reasons.items():
        if bad:
            message = "in float32" if path == "training.precision" else "on a CPU"
            yield error(
                "FT322",
                f"`{kernel}` does not run {message}",
                spec.span_of("model.attn_implementation"),
                labels=(Label(spec.span_of(path), "set here"),),
                help=("use `attn_implementation = sdpa`",),
            )
            return


@rule("FT328", "eager-attention-over-long-rows")
def eager_attention_over_long_rows(spec: Spec) -> Iterator[Diagnostic]:
    """Eager attention over rows of 8192 tokens or more.

    Why:
        `eager` writes down a number for every pair of tokens, in every head: for 8192 tokens in
        bfloat16 128 MiB a head, several times over.  `sdpa` computes the same without keeping
        them.  It is fine where the attention weights themselves are wanted.
    Wrong:
        model { base = path("model"), attn_implementation = eager }
        data { max_length = 16Ki }
    Right:
        model { base = path("model"), attn_implementation = sdpa }
        data { max_length = 16Ki }
    """
    length = spec.data.max_length
    if spec.model.attn_implementation != "eager" or length is None or length < LONG_ROW:
        return
    size = length * length * 2 / 2**20
    yield warning(
        "FT328",
        f"`eager` keeps {length} × {length} numbers for every head, {size:g} MiB",
        spec.span_of("model.attn_implementation"),
        labels=(Label(spec.span_of("data.max_length"), "the length of a row"),)
        if spec.written("data.max_length")
        else (),
        help=("use `attn_implementation = sdpa`",),
    )
