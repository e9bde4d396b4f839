"""The constructors of the language, each with its arguments in words."""

from __future__ import annotations

from collections.abc import Mapping

from ftlang.record import Record
from ftlang.schema.constructor import Constructor
from ftlang.schema.constructors import (
    BASE,
    BASES,
    EVAL,
    FORMAT,
    FORMATS,
    JUDGE,
    LATER,
    SOURCE,
    SOURCES,
    SPLIT,
    TRAIN,
    OneOf,
)
from ftlang.schema.lookups import ENV, SECRET
from ftlang.schema.python import FORM as PY


class Argument(Record):
    """One argument: its name, what it takes, what it is for."""

    name: str
    takes: str
    doc: str
    required: bool = False
    planned: bool = False


class Page(Record):
    """One constructor: how it is written, what it makes, where it may stand."""

    name: str
    form: str
    doc: str
    arguments: tuple[Argument, ...] = ()
    planned: bool = False


# What each makes, and an example.
_DOCS: Mapping[str, tuple[str, str]] = {
    "hf": ("A repository of the hub.", 'hf("owner/name", revision = "…")'),
    "path": (
        "A folder or file; several parts are joined, and the first may be `env(…)`.",
        'path("models", "small")',
    ),
    "result": (
        "What another run, of this file or of a `use`, leaves behind; so far one that tunes fully.",
        "result(other_run)",
    ),
    "gguf": ("A GGUF file, or one that an installed package carries.", 'gguf("model.gguf")'),
    "builtin": ("A model that the runtime makes by itself, for tests.", 'builtin("tiny-llama")'),
    "files": ("Local files of rows: JSON, JSONL, CSV or Parquet.", 'files("data/*.jsonl")'),
    "split": ("A seeded share of the training rows, cut off for evaluation.", "split(5%)"),
    "take": ("The first rows of a data set.", "take(support, 500)"),
    "alpaca": ("Rows with an instruction, an input and an output.", 'alpaca(system = "system")'),
    "sharegpt": (
        "Rows with a list of turns, each with its role and its text.",
        'sharegpt(messages = "conversations", roles = { human = user, gpt = assistant })',
    ),
    "messages": ("Rows with a list of messages as OpenAI has them.", 'messages(column = "chat")'),
    "prompt_completion": (
        "Rows with a prompt and its answer.",
        'prompt_completion(prompt = "question", completion = "answer")',
    ),
    "fields": (
        "Texts put together from columns.",
        'fields(prompt = "Q: {question}", completion = "{answer}")',
    ),
    "preference": ("Two answers, of which one is better.", 'preference(chosen = "better")'),
    "unpaired": ("Single answers with a thumb up or down.", 'unpaired(label = "liked")'),
    "prompt": ("Prompts alone, for methods that sample.", 'prompt(column = "question")'),
    "text": ("Plain text.", 'text(column = "body")'),
    "env": (
        "An environment variable, read when the script runs and never by the compiler.",
        'env("SCRATCH", default = "out")',
    ),
    "secret": (
        "An environment variable that holds a secret; its value is kept nowhere.",
        'secret("HF_TOKEN")',
    ),
    "py": ("A function of yours, in a file beside the spec or in an installed module.", PY),
    "regex": ("A pattern over whole names of modules.", 'regex("""model\\.layers\\.[0-3]\\..*""")'),
    "file": ("The text of a file.", 'file("chatml.jinja")'),
}

# What each argument is for, by constructor or for all that have it.
_ARGUMENTS: Mapping[tuple[str, str], str] = {
    ("hf", "repo"): "The repository, `owner/name`.",
    ("hf", "revision"): "The commit to take, all 40 hex digits; a branch or tag may move.",
    ("hf", "token"): "For a repository that asks for one.",
    ("hf", "name"): "Which of its configurations.",
    ("hf", "split"): "Which of its splits.",
    ("gguf", "source"): "The file, from the spec's folder.",
    ("builtin", "name"): "Which model.",
    ("files", "pattern"): "A path with `*` and `**`, from the file that it is written in.",
    ("files", "sha256"): "The digest that the files must have.",
    ("split", "share"): "How much of the training rows.",
    ("split", "seed"): "Which rows; 42 unless said.",
    ("take", "rows"): "The data set.",
    ("take", "count"): "How many rows.",
    ("env", "name"): "The variable.",
    ("env", "default"): "What holds where it is not set; without it the script stops.",
    ("secret", "name"): "The variable.",
    ("", "instruction"): "The column of the task.",
    ("", "input"): "The column of what the task is about; `none` for rows without.",
    ("", "output"): "The column of the answer.",
    ("", "system"): "The column of the system message.",
    ("", "history"): "The column of earlier turns.",
    ("", "messages"): "The column of the turns.",
    ("", "role"): "In a turn, the key of who speaks.",
    ("", "content"): "In a turn, the key of what is said.",
    ("", "tools"): "The column of the functions that may be called.",
    ("", "roles"): "The rows' names for system, user, assistant, tool and function_call.",
    ("", "column"): "The column.",
    ("", "prompt"): "The column of the prompt.",
    ("", "completion"): "The column of the answer.",
    ("", "chosen"): "The column of the better answer.",
    ("", "rejected"): "The column of the worse one.",
    ("", "label"): "The column that says whether the answer is good.",
    ("", "keep"): "Further columns that rewards read.",
    ("", "images"): "The column of the pictures.",
    ("", "videos"): "The column of the films.",
    ("", "audios"): "The column of the sounds.",
    ("fields", "prompt"): "The prompt, with `{column}` for what a column holds.",
    ("fields", "completion"): "The answer, likewise.",
    ("fields", "system"): "The system message, likewise.",
}
# The fields that a group of constructors stands in.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "Models": ("hf", "path", "gguf", "result", "builtin"),
    "Rows": ("files", "split", "take"),
    "Row formats": (
        *("alpaca", "sharegpt", "messages", "prompt_completion"),
        *("fields", "preference", "unpaired", "prompt", "text"),
    ),
    "Look-ups and code": ("env", "secret", "py", "regex", "file"),
}


def pages() -> tuple[Page, ...]:
    """Every constructor, in the order of the groups."""
    return tuple(_page(name) for names in GROUPS.values() for name in names)


def page(name: str) -> Page | None:
    """The page of a constructor, None if there is none of this name."""
    return _page(name) if name in _DOCS else None


def stands_in(name: str) -> tuple[OneOf, ...]:
    """The types of fields that take the constructor."""
    return tuple(of for of in (BASE, JUDGE, SOURCE, TRAIN, EVAL, FORMAT) if _takes(of, name))


def _takes(of: OneOf, name: str) -> bool:
    return name in of.constructors or name in of.later


def _page(name: str) -> Page:
    doc, form = _DOCS[name]
    emitted = {**BASES, **SOURCES, **FORMATS, "split": SPLIT, "env": ENV, "secret": SECRET}
    later = name not in emitted and name in LATER
    of = emitted.get(name) or LATER.get(name)
    arguments = tuple(_arguments(name, of)) if isinstance(of, Constructor) else ()
    if name == "hf" and isinstance(of, Constructor) and isinstance(LATER["hf"], Constructor):
        known = {p.name for p in of.parameters}
        more = [p for p in LATER["hf"].parameters if p.name not in known]
        arguments += tuple(_argument(name, p.name, p.type.words(), planned=True) for p in more)
    return Page(name, form, doc, arguments, later or name in _LATER)


_LATER = frozenset({"file", "py"})


def _arguments(name: str, of: Constructor) -> list[Argument]:
    return [_argument(name, p.name, p.type.words(), p.required, p.planned) for p in of.parameters]


def _argument(
    of: str, name: str, takes: str, required: bool = False, planned: bool = False
) -> Argument:
    doc = _ARGUMENTS.get((of, name)) or _ARGUMENTS[("", name)]
    return Argument(name, takes, doc, required, planned)
