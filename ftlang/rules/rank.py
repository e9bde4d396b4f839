"""Rules on the size of an adapter: rank, scale, dropout."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

from ftlang.diagnostics import Diagnostic, Label, warning
from ftlang.rules.registry import rule
from ftlang.schema.run import Spec
from ftlang.schema.tune import Lora

# Beyond this an adapter has as many weights as the smaller matrices of most models.
HIGH_RANK = 512
# lora_alpha / r, or lora_alpha / √r; published recipes lie between 1/16 and 8.
SCALES = (1 / 32, 16)
SAID = {"tune.r": "the rank", "tune.use_rslora": "divides by its root"}


@rule("FT363", "rank-of-a-whole-matrix")
def rank_of_a_whole_matrix(spec: Spec) -> Iterator[Diagnostic]:
    """An adapter of a rank beyond 512.

    Why:
        The two matrices of an adapter have r × (in + out) weights.  Beyond 512 that is as much as
        many matrices themselves have, so that nothing is saved; published recipes go up to 256.
        It is fine for wide models where memory is no matter.
    Wrong:
        tune lora { r = 1024 }
    Right:
        tune lora { r = 64 }
    """
    if isinstance(spec.tune, Lora) and spec.tune.r > HIGH_RANK:
        yield warning(
            "FT363",
            f"an adapter of rank {spec.tune.r} may be larger than the matrices beside it",
            spec.span_of("tune.r"),
            help=("use a rank from 8 to 256", "or train everything: `tune full`"),
        )


@rule("FT364", "scale-out-of-band")
def scale_out_of_band(spec: Spec) -> Iterator[Diagnostic]:
    """An adapter whose update is scaled by much more, or much less, than is usual.

    Why:
        The update is multiplied by `lora_alpha / r`, with `use_rslora` by `lora_alpha / √r`.  A
        factor beyond 16 trains as a learning rate that is too high; below 1/32 hardly at all.
        `use_rslora` is mostly combined with a `lora_alpha` that does not grow with `r`.  It is
        fine where the learning rate makes up for it.
    Wrong:
        tune lora { r = 8, lora_alpha = 256 }
    Right:
        tune lora { r = 8, lora_alpha = 16 }
    """
    if not isinstance(spec.tune, Lora) or spec.tune.lora_alpha is None:
        return
    r, alpha = spec.tune.r, spec.tune.lora_alpha
    scale = alpha / (sqrt(r) if spec.tune.use_rslora else r)
    if SCALES[0] <= scale <= SCALES[1]:
        return
    by = f"{alpha} / √{r}" if spec.tune.use_rslora else f"{alpha} / {r}"
    usual = 16 if spec.tune.use_rslora else 2 * r
    written = spec.written("tune.lora_alpha")
    paths = [p for p in ("tune.r", "tune.use_rslora") if spec.written(p)]
    yield warning(
        "FT364",
        f"the adapter's update is scaled by {scale:.3g} = {by}",
        spec.span_of("tune.lora_alpha" if written else paths[0] if paths else "tune"),
        labels=tuple(Label(spec.span_of(p), SAID[p]) for p in paths) if written else (),
        notes=(() if written else (f"without `lora_alpha` it is 2 × r = {alpha}",)),
        help=(f"set `lora_alpha = {usual}`",),
    )


@rule("FT365", "dropout-of-more-than-half")
def dropout_of_more_than_half(spec: Spec) -> Iterator[Diagnostic]:
    """An adapter that drops more than half of its input.

    Why:
        Dropout takes inputs away at random and scales up the rest; published recipes take 0 to
        10 %.  A dropout of `95%` is mostly the share to keep, or `5%` with a slip.
    Wrong:
        tune lora { lora_dropout = 95% }
    Right:
        tune lora { lora_dropout = 5% }
    """
    if isinstance(spec.tune, Lora) and spec.tune.lora_dropout > 0.5:
        share = spec.tune.lora_dropout * 100
        yield warning(
            "FT365",
            f"`lora_dropout` takes {share:g}% of the adapter's input away",
            spec.span_of("tune.lora_dropout"),
            help=(f"write `{100 - share:g}%` if so much is to be kept", "or use 0% to 10%"),
        )
