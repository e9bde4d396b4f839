"""Rules on the files of rows: which ones are read, and as what."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import splitext

from ftlang.diagnostics import Diagnostic, Label, error, warning
from ftlang.rules.registry import rule
from ftlang.schema.patterns import matches, place
from ftlang.schema.run import Rows, Spec
from ftlang.schema.sources import Files, Format

# What `ftruntime.loaders` reads; a test compares the two.
READ = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
# Kinds of files that rows are kept in as well, and that have to be unpacked or converted.
PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip", ".tar", ".tgz", ".7z")
OTHERS = (
    *(".txt", ".md", ".arrow", ".xlsx", ".xls", ".ods", ".yaml", ".yml", ".xml", ".html"),
    *(".pdf", ".docx", ".pkl", ".npy", ".npz", ".pt", ".db", ".sqlite", ".feather", ".avro"),
)

# The columns that a format reads where the spec names none.
COLUMNS = {
    "alpaca": {"instruction": "instruction", "input": "input", "output": "output"},
    "sharegpt": {"messages": "conversations", "role": "from", "content": "value"},
    "prompt_completion": {"prompt": "prompt", "completion": "completion"},
}
# Names that say who speaks, whatever a spec maps them to.
ASKING = ("user", "human", "prompter", "question")
ANSWERING = ("assistant", "gpt", "bot", "model", "chatgpt", "bard", "answer")


@rule("FT314", "evaluation-rows-among-training-rows")
def evaluation_rows_among_training_rows(spec: Spec) -> Iterator[Diagnostic]:
    """An evaluation file that the pattern of the training files matches.

    Why:
        What `*` matches is trained on, the evaluation file with it.  The evaluation then measures
        memory, and looks like success.
    Wrong:
        data { train = files("data/*.jsonl"), eval = files("data/test.jsonl") }
    Right:
        data { train = files("data/train-*.jsonl"), eval = files("data/test.jsonl") }
    """
    if not isinstance(spec.eval, Rows):
        return
    train, other = (place(rows.files) for rows in (spec.train, spec.eval))
    if train == other or not (matches(train, other) or matches(other, train)):
        return
    wide, narrow = (train, other) if matches(train, other) else (other, train)
    yield error(
        "FT314",
        f"`{wide}` matches `{narrow}`: the same rows are trained on and evaluated",
        spec.span_of("data.eval"),
        labels=(Label(spec.span_of("data.train"), "trained on"),),
        help=(
            "keep the two in different folders, or under different names",
            "or cut a share off: `eval = split(5%, seed = 42)`",
        ),
    )


@rule("FT380", "results-among-the-rows")
def results_among_the_rows(spec: Spec) -> Iterator[Diagnostic]:
    """A pattern of training files that matches what the run writes.

    Why:
        The run writes `metrics.jsonl`, checkpoints and the script's map below the spec's folder.
        A pattern that reaches there reads them as rows at the next start, which then stops.
        It is fine where the folder of results is moved away after each run.
    Wrong:
        data { train = files("**/*.jsonl") }
    Right:
        data { train = files("data/**/*.jsonl") }
    """
    output = spec.output_folder
    written = (
        f"{output}/metrics.jsonl",
        f"{output}/final/config.json",
        f"generated/{spec.name}/train.ftmap.json",
    )
    for path, rows in (("data.train", spec.train), ("data.eval", spec.eval)):
        if not isinstance(rows, Rows):
            continue
        found = next((w for w in written if matches(place(rows.files), w)), None)
        if found is not None:
            yield warning(
                "FT380",
                f"`{rows.files.pattern}` matches `{found}`, which the run writes",
                spec.span_of(path),
                labels=(Label(spec.span_of("output"), "written below this folder"),)
                if spec.written("output")
                else (),
                notes=("the next start would read it as rows",),
                help=('name the folder of the rows, such as `files("data/**/*.jsonl")`',),
            )


@rule("FT381", "one-column-for-two-parts")
def one_column_for_two_parts(spec: Spec) -> Iterator[Diagnostic]:
    """A format that takes two parts of a row from one column.

    Why:
        A column that is both question and answer teaches the model to repeat the question.
        Defaults count: `alpaca(instruction = "output")` still takes the answer from `output`.
    Wrong:
        data { train = files("rows.jsonl"), format = prompt_completion(prompt = "completion") }
    Right:
        data { train = files("rows.jsonl"), format = prompt_completion(prompt = "question") }
    """
    for format in _formats(spec):
        columns = {**COLUMNS.get(format.name, {}), **dict(format.columns)}
        seen: dict[str, str] = {}
        for part, column in columns.items():
            if not isinstance(column, str):  # `none`, or a map of roles
                continue
            first = seen.setdefault(column, part)
            if first != part:
                yield warning(
                    "FT381",
                    f"`{format.name}` takes both `{first}` and `{part}` from the column `{column}`",
                    spec.span_of("data.format" if spec.data.format == format else "data.train"),
                    help=(f'name the column of each: `{first} = "…"`, `{part} = "…"`',),
                )


@rule("FT382", "roles-turned-round")
def roles_turned_round(spec: Spec) -> Iterator[Diagnostic]:
    """A map of roles that makes the asker answer.

    Why:
        Only the assistant's words carry loss.  Where `human` is mapped to `assistant`, the model
        learns to ask.  It is fine where a simulator of users is what is wanted.
    Wrong:
        data {
          train  = files("rows.jsonl")
          format = sharegpt(roles = { human = assistant, gpt = user })
        }
    Right:
        data {
          train  = files("rows.jsonl")
          format = sharegpt(roles = { human = user, gpt = assistant })
        }
    """
    for format in _formats(spec):
        roles = next((v for k, v in format.columns if k == "roles"), ())
        for name, role in roles if isinstance(roles, tuple) else ():
            meant = "user" if name.lower() in ASKING else ""
            meant = "assistant" if name.lower() in ANSWERING else meant
            if meant and role in ("user", "assistant") and role != meant:
                yield warning(
                    "FT382",
                    f"the role `{name}` is mapped to `{role}`",
                    spec.span_of("data.format" if spec.data.format == format else "data.train"),
                    notes=("only the assistant's words are learnt",),
                    help=(f"map it to `{meant}`",),
                )
                break


@rule("FT383", "files-of-a-kind-that-is-not-read")
def files_of_a_kind_that_is_not_read(spec: Spec) -> Iterator[Diagnostic]:
    """Rows in files that the run cannot read.

    Why:
        Chat rows are read from JSON, JSON Lines, CSV, TSV and Parquet.  Other files, compressed
        ones too, stop the run when it starts.
    Wrong:
        data { train = files("rows.jsonl.gz") }
    Right:
        data { train = files("rows.jsonl") }
    """
    for path, rows in (("data.train", spec.train), ("data.eval", spec.eval)):
        suffix = splitext(rows.files.pattern)[1].lower() if isinstance(rows, Rows) else ""
        if suffix not in (*PACKED, *OTHERS):
            continue
        yield error(
            "FT383",
            f"rows are not read from {suffix} files",
            spec.span_of(path),
            help=(
                "unpack it first" if suffix in PACKED else "convert it to JSON Lines",
                "rows are read from " + ", ".join(READ[:-1]) + " and " + READ[-1],
            ),
        )


def _formats(spec: Spec) -> list[Format]:
    """The formats of a run, each once."""
    given = [spec.train.format, spec.eval.format if isinstance(spec.eval, Rows) else None]
    if spec.data.format is not None and isinstance(spec.data.train, Files):
        given.append(spec.data.format)
    return list(dict.fromkeys(f for f in given if f is not None))
