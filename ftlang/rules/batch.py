"""Rules on batches: what a step is made of must come out whole."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.diagnostics import Diagnostic, Edit, Label, error, warning
from ftlang.rules.registry import rule
from ftlang.schema.batch import devices, nearest_multiples, on_cpu, packed, rows_per_step
from ftlang.schema.run import Spec
from ftlang.schema.units import Quantity

# Tokens of one row from which on attention outweighs the rest of most models.
LONG_ROW = 8192


@rule("FT301", "batch-not-divisible")
def batch_not_divisible(spec: Spec) -> Iterator[Diagnostic]:
    """A batch that the devices and the micro batch do not divide.

    Why:
        Every device takes the same number of rows in each optimizer step, `micro_batch` at a
        time.  A batch that is no multiple of both would silently be another batch.
    Wrong:
        training { batch = 64 seqs, micro_batch = 4 seqs }
        hardware { gpus_per_node = 3 }
    Right:
        training { batch = 60 seqs, micro_batch = 4 seqs }
        hardware { gpus_per_node = 3 }
    """
    rows = rows_per_step(spec)
    if rows is None or rows.denominator != 1:
        return
    size, micro, ranks = int(rows), int(spec.training.micro_batch.amount), devices(spec) or 1
    if size % (micro * ranks) == 0:
        return
    unit = spec.training.micro_batch.unit
    over = f"{ranks} devices × {micro} each" if ranks > 1 else f"micro batches of {micro}"
    ways = " or ".join(f"`{n} {unit}`" for n in nearest_multiples(size, micro * ranks))
    labels = [Label(spec.span_of("training.micro_batch"), "per device")]
    if ranks > 1:
        labels.append(Label(spec.span_of("hardware.gpus_per_node"), f"{ranks} devices"))
    help = [f"set `batch` to a multiple of {micro * ranks}: {ways}"]
    divisors = [m for m in range(micro - 1, 0, -1) if size % (m * ranks) == 0]
    if divisors:
        help.append(f"or set `micro_batch` to `{divisors[0]} {unit}`")
    yield error(
        "FT301",
        f"a batch of {size} {unit} cannot be split over {over}",
        spec.span_of("training.batch"),
        label=f"{size} = {micro * ranks} × {size / (micro * ranks):.2f}",
        labels=tuple(one for one in labels if one.span != spec.span_of("training.batch")),
        notes=("every device must take the same number of rows in each optimizer step",),
        help=tuple(help),
    )


@rule("FT302", "packed-batch-in-seqs")
def packed_batch_in_seqs(spec: Spec) -> Iterator[Diagnostic]:
    """A packed batch counted in sequences.

    Why:
        Packing puts several conversations into one row of `max_length` tokens, and how many
        depends on the data.  A batch of so many sequences is then not a number of rows at all.
    Wrong:
        data { packing = bfd }
        training { batch = 64 seqs }
    Right:
        data { packing = bfd }
        training { batch = 64 rows }
    """
    if not packed(spec):
        return
    for name in ("batch", "micro_batch"):
        amount = getattr(spec.training, name)
        if amount.unit != "seqs":
            continue
        span = spec.span_of(f"training.{name}")
        fix = Edit(span, span.text.replace("seq", "row"))
        length = spec.data.max_length
        help = [f"write `{Quantity(amount.amount, 'rows')}`: each is filled with conversations"]
        if name == "batch" and length is not None:
            help.append(f"or count tokens: `{int(amount.amount) * length} tokens` is as many rows")
        yield error(
            "FT302",
            f"`{name}` counts sequences, but packed rows hold several",
            span,
            labels=(Label(spec.span_of("data.packing"), "packing is on"),),
            help=tuple(help),
            fix=fix,
        )


@rule("FT303", "rows-without-packing")
def rows_without_packing(spec: Spec) -> Iterator[Diagnostic]:
    """A batch in packed rows or tokens where nothing is packed.

    Why:
        Without packing each row is one conversation of its own length, so a step holds a number
        of sequences; rows and tokens of a step are only known when rows are packed full.
    Wrong:
        training { batch = 32 rows }
    Right:
        training { batch = 32 seqs }
    """
    if packed(spec):
        return
    for name in ("batch", "micro_batch"):
        amount = getattr(spec.training, name)
        if amount.unit in ("rows", "tokens"):
            yield error(
                "FT303",
                f"`{name}` counts {amount.unit}, but rows are not packed",
                spec.span_of(f"training.{name}"),
                help=("count in `seqs`", "or set `packing = bfd` in `data`"),
            )


@rule("FT304", "tokens-are-not-whole-rows")
def tokens_are_not_whole_rows(spec: Spec) -> Iterator[Diagnostic]:
    """A batch in tokens that is no whole number of packed rows.

    Why:
        A packed row is `max_length` tokens long, and a step takes whole rows.
    Wrong:
        data { packing = bfd, max_length = 2Ki }
        training { batch = 5000 tokens }
    Right:
        data { packing = bfd, max_length = 2Ki }
        training { batch = 8Ki tokens }
    """
    rows = rows_per_step(spec)
    if not packed(spec) or rows is None or rows.denominator == 1:
        return
    length = spec.data.max_length or 1
    ways = " or ".join(
        f"`{n} tokens`" for n in nearest_multiples(int(spec.training.batch.amount), length)
    )
    yield error(
        "FT304",
        f"{spec.training.batch} are {float(rows):.2f} rows of {length}",
        spec.span_of("training.batch"),
        labels=(Label(spec.span_of("data.max_length"), "length of a packed row"),),
        help=(f"set `batch` to a multiple of {length}: {ways}",),
    )


@rule("FT305", "packed-micro-batch-without-flash")
def packed_micro_batch_without_flash(spec: Spec) -> Iterator[Diagnostic]:
    """Several packed rows at a time, with attention that looks at all of them.

    Why:
        The rows of a packed micro batch are laid end to end.  Flash attention keeps the
        conversations apart by their lengths; other kernels compute every pair of tokens and mask
        most of them, so that two rows at a time cost four times the attention of one.  It is fine
        where attention is a small part of the work.
    Wrong:
        model { base = path("model") }
        data { packing = bfd, max_length = 8Ki }
        training { batch = 16 rows, micro_batch = 4 rows }
    Right:
        model { base = path("model"), attn_implementation = flash_attention_2 }
        data { packing = bfd, max_length = 8Ki }
        training { batch = 16 rows, micro_batch = 4 rows }
    """
    kernel = spec.model.attn_implementation or "sdpa"
    micro, length = int(spec.training.micro_batch.amount), spec.data.max_length
    if not packed(spec) or kernel not in ("sdpa", "eager") or on_cpu(spec) or length is None:
        return
    if micro > 1 and micro * length >= 2 * LONG_ROW:
        yield warning(
            "FT305",
            f"{micro} packed rows of {length} are one row of {micro * length} to `{kernel}`",
            spec.span_of("training.micro_batch"),
            labels=(Label(spec.span_of("data.packing"), "packed here"),),
            notes=(f"attention then costs {micro} times what {micro} single rows cost",),
            help=(
                "use `attn_implementation = flash_attention_2`",
                "or set `micro_batch = 1 row`; the batch stays what it is",
            ),
        )
