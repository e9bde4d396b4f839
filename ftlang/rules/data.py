"""Rules on data: what is trained, evaluated and packed."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.diagnostics import Diagnostic, Label, error, warning
from ftlang.rules.registry import rule
from ftlang.schema.batch import packed
from ftlang.schema.patterns import place
from ftlang.schema.run import Rows, Spec
from ftlang.schema.sources import Files, Split

# A share beyond this is more often a slip of the pen than a wish.
LARGE_SPLIT = 0.3
# The marks that a chat template puts around one question and one answer take 10 to 40 tokens.
FEW_TOKENS = 64


@rule("FT310", "evaluation-on-training-data")
def evaluation_on_training_data(spec: Spec) -> Iterator[Diagnostic]:
    """An evaluation set that is the training set.

    Why:
        The loss on rows that the model is trained on falls whatever it learns; it measures
        memory, not quality, and looks like success.
    Wrong:
        data { train = files("rows.jsonl"), eval = files("rows.jsonl") }
    Right:
        data { train = files("rows.jsonl"), eval = split(5%, seed = 42) }
    """
    if not isinstance(spec.eval, Rows):
        return
    if place(spec.train.files) == place(spec.eval.files):
        yield error(
            "FT310",
            "`eval` reads the rows that `train` reads",
            spec.span_of("data.eval"),
            labels=(Label(spec.span_of("data.train"), "the same files"),),
            help=("cut a share off: `eval = split(5%, seed = 42)`", "or name other files"),
        )


@rule("FT311", "evaluation-without-a-set")
def evaluation_without_a_set(spec: Spec) -> Iterator[Diagnostic]:
    """`evaluate.every` where there is nothing to evaluate on.

    Why:
        Without an evaluation set nothing is evaluated, at whatever interval.
    Wrong:
        evaluate { every = 100 steps }
    Right:
        data { train = files("rows.jsonl"), eval = split(5%, seed = 42) }
        evaluate { every = 100 steps }
    """
    if spec.eval is None and spec.written("evaluate.every"):
        yield error(
            "FT311",
            "`evaluate.every` is set, but there is no evaluation set",
            spec.span_of("evaluate.every"),
            help=(
                "add one to `data`: `eval = split(5%, seed = 42)`",
                "or remove `every`; `samples` are answered before and after without it",
            ),
        )


@rule("FT313", "format-beside-a-declared-set")
def format_beside_a_declared_set(spec: Spec) -> Iterator[Diagnostic]:
    """A format for rows that already have one.

    Why:
        A declared data set has its own format.  `data.format` is for `files(…)`; beside names
        alone it says nothing.
    Wrong:
        dataset pairs { source = files("pairs.csv") }
        run stock {
          model { base = builtin("tiny-llama") }
          tune lora
          data { train = pairs, format = alpaca }
          method sft
        }
    Right:
        dataset pairs { source = files("pairs.csv"), format = alpaca }
        run stock {
          model { base = builtin("tiny-llama") }
          tune lora
          data { train = pairs }
          method sft
        }
    """
    sources = (spec.data.train, spec.data.eval)
    if spec.data.format is not None and not any(isinstance(s, Files) for s in sources):
        yield error(
            "FT313",
            "`format` is read by no rows here",
            spec.span_of("data.format"),
            labels=(Label(spec.span_of("data.train"), "a declared set has its own"),),
            help=("move it into the `dataset` block",),
        )


@rule("FT312", "packing-without-length")
def packing_without_length(spec: Spec) -> Iterator[Diagnostic]:
    """Packing into rows of no given length.

    Why:
        Packing fills rows of `max_length` tokens; without a length there is nothing to fill.
    Wrong:
        data { packing = bfd, max_length = none }
    Right:
        data { packing = bfd, max_length = 2Ki }
    """
    if packed(spec) and spec.data.max_length is None:
        yield error(
            "FT312",
            "packing needs a `max_length`",
            spec.span_of("data.packing"),
            labels=(Label(spec.span_of("data.max_length"), "there is none"),),
            help=("set `max_length`, such as `2Ki`", "or remove `packing`"),
        )


@rule("FT315", "large-evaluation-share")
def large_evaluation_share(spec: Spec) -> Iterator[Diagnostic]:
    """A split that gives the evaluation more than 30 % of the rows.

    Why:
        What is cut off is never trained on.  A few hundred rows already measure the loss; a share
        such as `90%` is mostly the training share, written in the wrong place.  It is fine for
        sets of a few dozen rows.
    Wrong:
        data { train = files("rows.jsonl"), eval = split(90%) }
    Right:
        data { train = files("rows.jsonl"), eval = split(10%) }
    """
    if isinstance(spec.eval, Split) and spec.eval.share > LARGE_SPLIT:
        share = f"{spec.eval.share * 100:g}%"
        yield warning(
            "FT315",
            f"`split({share})` leaves {(1 - spec.eval.share) * 100:g}% of the rows to train on",
            spec.span_of("data.eval"),
            notes=("the share is the part that is evaluated on",),
            help=("cut off less, such as `split(5%)`",),
        )


@rule("FT316", "length-of-a-few-tokens")
def length_of_a_few_tokens(spec: Spec) -> Iterator[Diagnostic]:
    """A `max_length` that hardly holds the marks of a chat.

    Why:
        The marks of a chat template around one question and one answer take 10 to 40 tokens, and
        a row that does not fit stops the run.  `max_length = 32` is mostly `32Ki` without its
        unit.  It is fine for rows of a few words.
    Wrong:
        data { max_length = 32 }
    Right:
        data { max_length = 32Ki }
    """
    length = spec.data.max_length
    if length is not None and length < FEW_TOKENS:
        yield warning(
            "FT316",
            f"rows of {length} tokens hold little more than the marks of a chat",
            spec.span_of("data.max_length"),
            help=(f"write `{length}Ki` if thousands are meant", "or set a length such as `2Ki`"),
        )
