"""Pages of the diagnostics that are no rules, for `ftc explain`; a rule's page is its docstring."""

from __future__ import annotations

import re
from functools import cache

from ftlang.report.cells import plain
from ftlang.syntax.pages import PAGES, Page

_PAGES = r"""
FT101 A file that does not exist
    The path is relative to the file that names it.
FT102 A file that cannot be read
    It is a folder, or the system refuses to read it.
FT110 Not a declaration
    A file declares runs, defaults, data sets, templates and profiles; other blocks stand inside a
    run.
FT111 A declaration without a name
    Name it: `run first { … }`.
FT112 A name that is declared twice
    Give one of them another name.
FT113 Only runs and defaults extend
    `extends` stands behind `run NAME` or `defaults NAME`.
FT114 A block that is not there
    A dotted path changes a block that this body or an earlier layer has given.  Write it out.
FT115 A field outside any block
    Fields belong to a run or to one of its blocks.
FT116 An interpolation of an unknown name
    `${run.name}` is known, and every `let` and `param` that is a string or a whole number.  For a
    literal `${` write `$${`.
FT117 A data set that is not declared
    Declare `dataset NAME { … }`, or name files: `files("rows.jsonl")`.
FT118 No run of that name
    `--run` takes the name of a run of this file.
FT119 A file without a run
    Add `run NAME { … }`.  `ftc init sft` prints one to start from.
FT120 Files that use each other in a circle
    Move what they share into a file of its own, and use that.
FT121 A name that two files bring
    Names that `use` brings in must differ.  Give one file a name: `use "registry.ft" as d`.
FT122 A file of which nothing is used
    The line can go.  A file with profiles counts as used: `--profile` names them.
FT123 An unknown constant or parameter
    `$name` is a `let` or a `param` of this file, or of one that it uses.
FT124 A constant that is defined by itself
    Following its definition leads back to it.  Give it a value of its own.
FT125 A parameter of another type
    `param seed: int` takes whole numbers only, from its default as from `-D`.
FT126 A parameter without a value
    It has no default, and a run needs it: `-D name=value`.
FT127 A `-D` that sets nothing
    `-D name=value` sets a `param` that a file of the job declares.
FT128 A `--set` that is not one entry
    `--set` takes one field, one block or one `unset`, as it would stand in a run.
FT129 Nothing of that name to extend
    A run extends another run or `defaults`, of this file or of one that it uses.
FT130 A base that extends itself
    Following `extends` leads back to the start.
FT131 No profile of that name
    `--profile` takes a `profile` of the entry file or of one that it uses.
FT132 Nothing to unset
    `unset` takes away what an earlier layer has given.
FT133 Nothing to add to
    `+=` adds items to a list, or keys to a map, that an earlier layer has given.
FT134 Fields that another kind leaves behind
    A block of another kind replaces the inherited one.  Only fields that every kind of the family
    has stay; the note lists those that no longer count.
FT135 An unknown parameter type
    Parameters are `int`, `float`, `share`, `string`, `bool` or `quantity`.
FT136 A result that no run gives
    `result(run)` names another run of this file or of one that it uses, without errors of its own.
FT137 Python that does not fit
    `py("file.py:name")` names a function at the top of a file; the compiler reads the file without
    running it and compares the parameters with what the place passes.
FT138 A look-up that comes too late
    `env(…)` and `secret(…)` are read when the script runs.  Paths may begin with `env(…)`, and
    fields for tokens take `secret(…)`; everything else must be known when the spec is compiled.
FT139 A secret in the spec
    Specs and scripts are committed.  Name the environment variable: `secret("HF_TOKEN")`.
FT140 A comment that allows nothing
    `# ft: allow FTnnn — reason` silences a warning of its own line.  This line gives none of that
    code.
FT141 A comment to ftc that does not hold
    It is written `# ft: allow FTnnn — reason`, with the reason, and it silences warnings alone.
FT142 A chain that is too long to follow
    More definitions, or results of runs, lead through one another than anyone can read.
FT150 A registry that is not JSON
    `use "dataset_info.json"` reads strict JSON: an object of entries by name, nested at most 64
    deep.  The message gives the first line and column that break its rules.
FT151 A registry with one name twice
    A key stands twice in one object, or two entries have names that differ only in characters that
    a name here cannot have.  Other tools take the last one and say nothing.
FT152 An entry of a registry that is left out
    Its rows or its format cannot be said here, or it contradicts itself.  The other entries hold,
    and the same file goes on serving the other tool.  Declare a `dataset` of your own instead.
FT153 A key of a registry that is not used
    The entry is taken over without it.  Where the rows lie on other hubs besides is not told of.
FT154 A registry's name that is no name here
    The data set has the name that the note gives.  A name has letters, digits, `_` and inner `-`.
FT143 A result that these options lead elsewhere
    `result(run)` is what that run leaves behind by itself: with the same `-D`, and with neither
    profiles nor `--set`.  The options of this call would make it write to another folder, or train
    other weights, so the two do not belong together.
FT201 An unknown field
    The block has no field of this name.  The help lists near names, or all of them.
FT202 A field of another block
    The name is right and stands in the wrong block.  Move it.
FT203 A value of another type
    The message says what the field takes and what it got.
FT204 A wrong or missing unit
    Quantities carry units, such as `3 epochs` or `64 seqs`; the message says which fit.
FT205 A value out of range
    The message says what the field allows.
FT206 An unknown word or constructor
    The field takes a closed set of words; the help names the nearest.
FT207 Something required is missing
    The run cannot do without it, and it has no default.
FT208 A field that is set twice
    In one block each field is set once, so that order never matters.
FT209 A block in the wrong place
    The block belongs into another one, or does not exist.
FT210 An unknown kind
    `tune lora` has the kind `lora`; the help names the kinds there are.
FT211 A kind is missing or has no place
    Some blocks need a kind, as in `method sft`; others have none, as `data { … }`.
FT212 Wrong arguments of a constructor
    The help shows how it is called, such as `hf(repo, revision = …)`.
FT213 A field that is derived
    The compiler computes it from other fields and shows the arithmetic in the script.
FT214 Another tool's name
    The field exists here under another name, which the message gives.
FT216 A length in thousands
    `4k` is 4000 and `4Ki` is 4096; sequence lengths are usually powers of two.
FT217 An unusable revision
    Pin a revision by all 40 hex digits of its commit; a short hash is no key.
FT218 A block and a field confused
    A block is written `name { … }`, a field `name = value`.
FT501 Not in this release
    The word is part of the language, but this release emits nothing for it yet.
FT601 A generated file was edited
    `ftc compile` found a file that it wrote and that was edited since.  It writes nothing, so that
    no work is lost.  The script's first line holds a digest of everything below it, and
    `train.ftmap.json` the digests of the other files.  Say in the spec what the edit says, or move
    or delete the file and compile again, or compile into another folder with `-o DIR`.
FT602 A file in the way was not written by ftc
    A file where `ftc compile` wants to write has no header of ftc and no record of being written by
    it.  Move or delete it, or compile into another folder with `-o DIR`.
FT603 The output lies outside the spec's folder
    The script finds its data by its own place below the spec's folder.  Choose a folder below it.
FT604 The generated files cannot be written
    The system refused: permissions, a full disk, or a file where a folder should be.  Files that
    were there before are as they were.
FT605 Two runs that write to one place
    They have the same `output`, or names that differ by upper and lower case alone; the later run
    would write over the files of the earlier one.  Give each its own `output` and name.
FT606 The script of another spec
    Two specs of one folder have a run of the same name, and `generated/` has one place for it.
    Give one of them another name, or compile into another folder with `-o DIR`.
FT701 A row that cannot be used
    No conversation can be made of the row.  The message gives file, row and reason.
FT702 A data file that cannot be read
    It is missing, empty, of another kind, or broken at the place that the message gives.
FT703 A tokenizer that cannot train
    It has no chat template, or one whose assistant turns cannot be told apart with certainty.
FT704 Trained text that is not certain
    Under this chat template it is not certain which text of the row is the assistant's.
FT705 A row that is too long
    It has more tokens than `data.max_length`.  Raise that, or shorten the row.
FT706 Tokens that do not say what the text says
    Decoding the trained tokens does not give the assistant's turns with their end token.
FT707 A data set that fails the last check
    Before weights load: there are rows, each trains a token, and no other turn's text is trained.
FT708 A control token in a row's text
    Text such as `<|im_end|>` inside a message would end the turn early.  Remove it from the row.
FT709 A script that cannot be audited
    The emitted script failed while building its tokenizer or its data.
FT711 The wrong number of processes
    The script was started on another number of devices than its batch was planned for.
FT712 A base model that cannot be made
    The GGUF file or its package is missing or unreadable, or there is no builtin of that name.
FT713 Nothing to train
    No parameter is trainable: the adapter's target modules match nothing in this model.
FT714 Model and tokenizer do not belong together
    The tokenizer has ids without an embedding, or the saved result cannot be completed.
FT715 A look-up that finds nothing
    The script reads an environment variable that is not set, or goes on from the result of a run
    that has not been trained.
FT716 An output folder that cannot be written
    Nothing can be made there: a file is in the way, the disk is full or read-only, or it belongs
    to somebody else.  It is found before the data are read.
FT717 A finished run in the output folder
    Its result stays as it is.  Give the run another `output`, or start anew with `ftc run --fresh`,
    which keeps the old output beside the new one.
FT718 Nothing to go on from
    The checkpoint that was named, or any, is missing, empty or half written.
FT719 A checkpoint of another training
    The script, the rows, the chat template or the tokenizer differ from what the checkpoint was
    made from, so going on would give weights that no spec describes.  `save { resume = force }`
    goes on in spite of it.
FT901 A bug in ftc
    ftc stopped on an exception of its own; no spec should be able to cause this.  Run again with
    `--debug`, and report the spec together with the traceback.
"""


def page(code: str) -> str | None:
    """The page of a code as text, or None for a code that has none here."""
    if code in PAGES:
        return _of_syntax(PAGES[code])
    if code not in _pages():
        return None
    title, body = _pages()[code]
    return f"{code} · {title}\n\n{body}\n"


def codes() -> list[tuple[str, str]]:
    """Code and title of each page."""
    syntax = [(code, _capital(one.title)) for code, one in PAGES.items()]
    return [*syntax, *((code, title) for code, (title, _) in _pages().items())]


def _of_syntax(one: Page) -> str:
    """A page of a syntax mistake: its reason, and an example of wrong and right."""
    parts = [f"{one.code} · {_capital(one.title)}", one.why]
    for heading, text in (("Wrong", one.wrong), ("Right", one.right)):
        if text is not None:
            rows = plain(text, ascii_only=False).rstrip().split("\n")
            parts.append(heading + "\n" + "\n".join(f"    {row}" for row in rows))
    return "\n\n".join(parts) + "\n"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


@cache
def _pages() -> dict[str, tuple[str, str]]:
    found = re.findall(r"^(FT\d{3}) (.+)\n((?:    .+\n)+)", _PAGES, re.MULTILINE)
    return {
        code: (title, re.sub(r"^    ", "", body, flags=re.M).strip()) for code, title, body in found
    }
