"""LLaMA-Factory's registry, `dataset_info.json` → declarations: one `dataset` for each entry.

The nodes are those of the same words in a `.ft` file, with spans in the JSON text, so that types,
paths and what a release lacks are told by the code that reads any data set.  An entry that cannot
be said is left out with a warning and stops nothing: only a run that names it fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ftlang.diagnostics import Diagnostic, Label, Severity, error, warning
from ftlang.names.json_text import Member, json_value
from ftlang.names.registry_entry import LeftOut, Object, Said, attr, call, keyword
from ftlang.names.registry_format import row_format
from ftlang.record import Record, replaced
from ftlang.source import SourceFile, Span
from ftlang.syntax import ast
from ftlang.syntax.literals import clipped
from ftlang.syntax.place import NAME


class Registry(Record):
    """A registry's entries as `dataset` blocks, and the errors of its text.

    `remarks` say by the name of a data set what its entry loses; whoever uses it wants them, and
    nobody else: such a file has a hundred entries, and a job names two.
    """

    tree: ast.File
    found: list[Diagnostic]
    remarks: Mapping[str, list[Diagnostic]] = {}


def registry(source: SourceFile) -> Registry:
    """The data sets of a registry's JSON text.  Nothing is raised for any text."""
    top, found = json_value(source)
    if top is None:
        return Registry(ast.File(source, ()), found)
    if top.kind != "object":
        message = f"a registry is a JSON object of entries by name, not a {top.kind}"
        found.append(error("FT150", message, Span(source, top.span.start, top.span.start + 1)))
        return Registry(ast.File(source, ()), found)
    blocks: list[ast.Block] = []
    entries: dict[str, Member] = {}
    remarks: dict[str, list[Diagnostic]] = {}
    for entry in top.members:
        of_entry: list[Diagnostic] = []
        name = _name(entry, of_entry)
        first = entries.setdefault(name.text, entry)
        if first is not entry:
            found.append(_clash(entry, first, name.text))
            continue
        try:
            blocks.append(_dataset(entry, name, of_entry))
        except LeftOut as why:
            of_entry.append(_left_out(entry, why))
        if of_entry:
            remarks[name.text] = of_entry
    return Registry(ast.File(source, tuple(blocks)), found, remarks)


def remarked(of: Registry, text: str, alias: str) -> Iterator[Diagnostic]:
    """The warnings on the entries that the text of a file names, which uses the registry.

    Whoever writes a mended name knows it.
    """
    if of.remarks:
        name = rf"{re.escape(alias)}\s*\.\s*" if alias else ""
        for word in sorted(set(re.findall(rf"\b{name}([^\W\d]\w*(?:-\w+)*)", text))):
            every = of.remarks.get(word, ())
            yield from (one for one in every if one.severity is Severity.WARNING)


def _name(entry: Member, found: list[Diagnostic]) -> ast.Name:
    """The entry's name, mended where the language has no such name."""
    if NAME.match(entry.key):
        return ast.Name(entry.key, entry.name)
    mended = re.sub(r"((?<=\w)-(?=\w))|\W+", lambda match: match[1] or "_", entry.key)
    mended = mended if NAME.match(mended) else f"_{mended}"
    message = f"`{clipped(entry.key)}` is no name here; the data set is called `{mended}`"
    why = "a name begins with a letter and has letters, digits, `_` and inner `-`"
    found.append(Diagnostic("FT154", Severity.NOTE, message, entry.name, notes=(why,)))
    return ast.Name(mended, entry.name)


def _dataset(entry: Member, name: ast.Name, found: list[Diagnostic]) -> ast.Block:
    """The entry as a block.  Raises LeftOut for one that has no place in the language."""
    if entry.value.kind != "object":
        raise LeftOut(entry.value.span, f"an entry is a JSON object, not a {entry.value.kind}")
    fields = Object("", entry.value)
    body = [_source(entry, fields), row_format(entry, fields)]
    limit = fields.take("num_samples", "number")
    if limit is not None:
        number = ast.Number(limit.value.text, "", limit.value.span)
        body.append(attr("limit", limit.name, number))
    found += fields.left()
    head = ast.Name("dataset", entry.name)
    return ast.Block(head, name, None, tuple(body), entry.name, entry.span)


# Where else rows may come from, in the order in which LLaMA-Factory looks.
_ELSEWHERE = {
    "ms_hub_url": "its rows lie on ModelScope",
    "om_hub_url": "its rows lie on Modelers",
    "script_url": "its rows come from a loading script",
    "cloud_file_name": "its rows lie in a bucket",
}


def _source(entry: Member, fields: Object) -> ast.Attr:
    """`source = …`.  The same rows on another hub beside Hugging Face's need no word."""
    hub = fields.said("hf_hub_url")
    mirrors = [fields.said(key) for key in ("ms_hub_url", "om_hub_url")]
    fields.without = "this source has no part in it"
    if hub is not None:
        folder = fields.said("folder")
        if folder is not None:
            raise LeftOut(folder.name, "one folder of a repository cannot be named here", _FETCH)
        keys = {"subset": "name", "split": "split", "revision": "revision"}
        said = [(ours, fields.said(key)) for key, ours in keys.items()]
        keywords = [keyword(ours, one.name, one.node()) for ours, one in said if one is not None]
        return attr("source", hub.name, call("hf", hub.span, (hub.node(),), keywords))
    elsewhere = [*mirrors, fields.said("script_url"), fields.said("cloud_file_name")]
    for one, why in zip(elsewhere, _ELSEWHERE.values(), strict=True):
        if one is not None:
            raise LeftOut(one.name, why, _FETCH)
    files = fields.said("file_name")
    if files is None:
        raise LeftOut(entry.name, "nothing says where its rows are", 'add `"file_name": …`')
    split = fields.said("split")
    if split is not None and split.text != "train":
        raise LeftOut(split.span, "files have one split, `train`", 'remove `"split"`')
    pattern = replaced(files, text=_pattern(files))
    return attr("source", files.name, call("files", files.span, (pattern.node(),)))


_FETCH = "fetch the rows, and name their files in a `dataset` of your own"


def _pattern(files: Said) -> str:
    """The name as it is, or for a folder the pattern of its files, all of one kind."""
    source = files.span.source.path
    folder = (source.parent if source is not None else Path()) / files.text
    try:
        if not files.text.strip() or not folder.is_dir():
            return files.text
        kinds = {one.suffix for one in folder.iterdir()}
    except (OSError, ValueError):  # not a name that the system can have
        return files.text
    known = sorted(kinds.intersection(_KINDS))
    if len(known) != 1:
        held = "of several kinds: " + ", ".join(known) if known else "of no kind that is read"
        raise LeftOut(files.span, f"the files of the folder are {held}", "name one of them")
    return f"{files.text.rstrip('/')}/*{known[0]}"


_KINDS = (".json", ".jsonl", ".csv", ".parquet", ".txt", ".arrow")


def _left_out(entry: Member, why: LeftOut) -> Diagnostic:
    message = f"`{clipped(entry.key)}` is left out: {why.why}"
    return warning("FT152", message, why.span, help=(why.way,) if why.way else ())


def _clash(entry: Member, first: Member, name: str) -> Diagnostic:
    return error(
        "FT151",
        f"`{clipped(entry.key)}` and `{clipped(first.key)}` are both `{name}` here",
        entry.name,
        labels=(Label(first.name, "the first of them"),),
        help=("give one of them another name",),
    )
