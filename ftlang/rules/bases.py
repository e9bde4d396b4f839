"""Rules on what the base is: its revision, its form, and what its name says of its weights."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.diagnostics import Diagnostic, Label, warning
from ftlang.rules.registry import rule
from ftlang.schema.run import Spec
from ftlang.schema.sources import Gguf, Hf, LocalPath
from ftlang.schema.tune import Full

# What repositories of quantized weights have in their names.
QUANTIZED = ("-4bit", "-8bit", "-bnb", "-gptq", "-awq", "-int4", "-int8", "-w4a16", "-w8a8")


@rule("FT326", "revision-that-moves")
def revision_that_moves(spec: Spec) -> Iterator[Diagnostic]:
    """A branch or a tag where a commit would be fixed.

    Why:
        A branch moves with every commit and a tag can be moved; the same spec then trains
        something else.  A commit hash of 40 digits names one state for good.  It is fine while a
        model of one's own is still changing.
    Wrong:
        model { base = hf("org/model", revision = "main") }
    Right:
        model { base = hf("org/model", revision = "8049631c405ae6576f93f445c6b8166f76f5505a") }
    """
    base = spec.model.base
    revision = base.revision if isinstance(base, Hf) else None
    if revision is None or (len(revision) == 40 and set(revision) <= set("0123456789abcdef")):
        return
    yield warning(
        "FT326",
        f"`{revision}` is a branch or a tag, and may name other weights tomorrow",
        spec.span_of("model.base"),
        help=("write the commit hash of 40 hex digits that it stands for today",),
    )


@rule("FT327", "base-quantized-already")
def base_quantized_already(spec: Spec) -> Iterator[Diagnostic]:
    """A base whose name says that it is quantized, tuned whole or quantized again.

    Why:
        A repository of quantized weights brings its own settings: `quantize` beside them is
        refused or not heard, and `tune full` finds weights without gradient.  A GGUF file of few
        bits is expanded when it loads, and `quantize` rounds what was rounded before.  It is fine
        where the name does not mean what it says.
    Wrong:
        model { base = path("llama-3-8b-bnb-4bit") }
        tune full
    Right:
        model { base = path("llama-3-8b") }
        tune full
    """
    base, full, quantize = spec.model.base, isinstance(spec.tune, Full), spec.model.quantize
    match base:
        case Hf():
            name, again = base.repo, full or quantize is not None
        case LocalPath():
            name, again = base.path.rstrip("/").rpartition("/")[2], full or quantize is not None
        case Gguf():
            name, again = base.source.rpartition("/")[2], quantize is not None
        case _:
            return
    low = name.lower()
    if isinstance(base, Gguf):
        found = next((f"Q{n}" for n in range(2, 9) if f"q{n}_" in low or f"q{n}." in low), None)
    else:
        found = next((word.strip("-") for word in QUANTIZED if word in low), None)
    if found is None or not again or (full and quantize is not None):  # the last is FT320
        return
    what = "model.quantize" if quantize is not None else "tune"
    yield warning(
        "FT327",
        f"`{name}` is quantized already, by its name ({found})",
        spec.span_of("model.base"),
        labels=(
            Label(spec.span_of(what), "and quantized again" if quantize else "tuned whole here"),
        ),
        help=(
            "name the repository of the weights that it was made from",
            "or remove `quantize`" if quantize else "or train adapters: `tune lora`",
        ),
    )


@rule("FT329", "repository-of-gguf-files")
def repository_of_gguf_files(spec: Spec) -> Iterator[Diagnostic]:
    """A repository of GGUF files as a base.

    Why:
        `hf(…)` loads safetensors and a configuration, which a repository of GGUF files mostly
        does not have; the run then stops after the tokenizer.  One GGUF file is named by
        `gguf(…)`.  It is fine where the repository holds the original weights too.
    Wrong:
        model { base = hf("org/model-GGUF", revision = "8049631c405ae6576f93f445c6b8166f76f5505a") }
    Right:
        model { base = gguf("models/model-Q8_0.gguf") }
    """
    base = spec.model.base
    if isinstance(base, Hf) and base.repo.lower().endswith(("-gguf", "_gguf", ".gguf")):
        yield warning(
            "FT329",
            f"`{base.repo}` holds GGUF files, by its name",
            spec.span_of("model.base"),
            help=(
                "name the repository of the original weights",
                'or load one file of it: `gguf("folder/file.gguf")`',
            ),
        )
