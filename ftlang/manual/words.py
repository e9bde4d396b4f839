"""What the language has beside blocks and fields: declarations, units, and how layers merge."""

from __future__ import annotations

from ftlang.record import Record


class Word(Record):
    """A word or sign of the language: what it does, and how it is written."""

    names: tuple[str, ...]
    form: str
    doc: str


DECLARATIONS: tuple[Word, ...] = (
    Word(
        ("run",),
        "run NAME extends OTHER { … }",
        "One training job.  `extends OTHER` starts from another run or from `defaults`.",
    ),
    Word(
        ("defaults",),
        "defaults NAME { … }",
        "Fields and blocks that runs share.  It may be incomplete, and is never compiled itself.",
    ),
    Word(
        ("dataset",),
        "dataset NAME { source = files(…) }",
        "Rows, declared once and named in `data.train` and `data.eval`.",
    ),
    Word(
        ("profile",),
        "profile NAME { training.duration = 5 steps }",
        "Changes that `--profile NAME` lays over every run.",
    ),
    Word(
        ("template",),
        'template NAME { jinja = file("chat.jinja") }',
        "A chat template of your own (planned).",
    ),
    Word(
        ("use", "as"),
        'use "base.ft"\nuse "registry.ft" as d',
        "Brings the names of another file in; with `as d` they are written `d.name`.  The file's"
        " path starts at the file that names it.  A `dataset_info.json` of LLaMA-Factory brings its"
        " entries as data sets.",
    ),
    Word(("let",), "let rate = 2e-4", "A constant, written `$rate` where it is used."),
    Word(
        ("param",),
        "param seed: int = 42",
        "A constant that `-D seed=7` changes.  Its type is int, float, share, string, bool or"
        " quantity; without a value `-D` must give one.",
    ),
    Word(
        ("extends",),
        "run b extends a { … }",
        "Starts from another run or from `defaults`: fields and blocks that are not written again"
        " stay as they are there.",
    ),
    Word(
        ("unset",),
        "unset tune.lora_dropout",
        "In a run or profile: takes away what a layer below has set, so that the default holds.",
    ),
)

UNITS: tuple[Word, ...] = (
    Word(("%", "percent"), "5%", "A share.  `0.05` is the same; a bare `5` or `1` is an error."),
    Word(
        ("k", "M", "B"),
        "2k  3M  2B",
        "Thousands, millions, billions.  A length in thousands draws a warning: 4k is 4000.",
    ),
    Word(("Ki", "Mi", "Gi"), "4Ki  1Mi", "Powers of two: 4Ki is 4096."),
    Word(("KiB", "MiB", "GiB", "TiB"), "80GiB", "Memory.  `GB` is an error."),
    Word(("epochs", "epoch"), "3 epochs", "Passes over the training rows; `0.5 epochs` too."),
    Word(("steps", "step"), "500 steps", "Steps of the optimizer."),
    Word(("seqs", "seq"), "64 seqs", "Rows of the data, where packing is off."),
    Word(("rows", "row"), "16 rows", "Rows of `max_length` tokens, where packing is on."),
    Word(("tokens", "token"), "32Ki tokens", "Tokens; a batch in tokens needs packing."),
    Word(("pairs", "pair"), "32 pairs", "Pairs of answers, for preference methods (planned)."),
    Word(("prompts", "prompt"), "8 prompts", "Prompts, for methods that sample (planned)."),
    Word(
        ("completions", "completion"),
        "64 completions",
        "Sampled answers, for methods that sample (planned).",
    ),
    Word(("m", "h", "d", "s"), "30m  12h  3d", "Minutes, hours, days: lengths of time (planned)."),
)


def word(name: str, among: tuple[Word, ...]) -> Word | None:
    """The entry of a name."""
    return next((one for one in among if name in one.names), None)
