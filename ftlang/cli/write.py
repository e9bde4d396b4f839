"""Generated files on disk: edits are never overwritten, and files are whole or not there."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
import tempfile
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from ftlang.diagnostics import Diagnostic, error
from ftlang.record import Record
from ftlang.source import SourceFile, Span

if TYPE_CHECKING:  # `fmt` writes files too, and needs no compiler
    from ftlang.compile import Output

SCRIPT = "train.py"
MAP = "train.ftmap.json"
OPTIONS = "# with "
EXECUTABLE = frozenset({"launch.sh"})
_HEADER = re.compile(
    r"# ftc \S+ · (?P<spec>.+) › .+ · source [0-9a-f]{8} · body (?P<body>[0-9a-f]{8})"
)


def digest(text: str) -> str:
    """The sha256 of a text with LF endings, so that a checkout with CRLF is no edit."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


def body_digest(script: str) -> str:
    """The first 8 hex digits of the digest of everything below the script's first line."""
    return digest(script.replace("\r\n", "\n").partition("\n")[2])[:8]


def is_unedited(script: str) -> bool | None:
    """Whether the body is the one its header names; None if the first line is no header."""
    match = _HEADER.fullmatch(script.replace("\r\n", "\n").partition("\n")[0])
    return match and match["body"] == body_digest(script)


def options_of(script: str) -> tuple[str, ...]:
    """The options that a script was compiled with, from its second line; none without one."""
    second = script.replace("\r\n", "\n").split("\n", 2)[1:2]
    if not second or not second[0].startswith(OPTIONS):
        return ()
    try:
        words = json.loads(second[0].removeprefix(OPTIONS))
    except ValueError:
        return ()
    return tuple(words) if all(isinstance(word, str) for word in words) else ()


def recorded(on_disk: Mapping[str, str]) -> dict[str, str]:
    """Digests by name of what was written beside the script, from its map; empty without one."""
    try:
        files = json.loads(on_disk.get(MAP, "{}")).get("files", {})
        return {
            name: digest_
            for name, digest_ in files.items()
            if isinstance(digest_, str) and _stays_inside(name)
        }
    except (ValueError, AttributeError):
        return {}


def conflicts(on_disk: Mapping[str, str], output: Output) -> list[Diagnostic]:
    """Why the files of an output may not be written over what lies there: FT601, FT602, FT606.

    `on_disk` holds the text of each file that exists, by its name inside the output's folder.
    """
    known = recorded(on_disk)
    found = _of_another_spec(on_disk.get(SCRIPT, ""), output)
    for name in sorted(on_disk.keys() & (output.files.keys() | known.keys()) - {MAP}):
        text = on_disk[name]
        if name == SCRIPT:
            ours = is_unedited(text)
        elif name in output.files and digest(text) == digest(output.files[name]):
            continue
        else:
            ours = digest(text) == known[name] if name in known else None
        if not ours:
            found.append(_conflict(place(output.folder / name), text, edited=ours is False))
    return found


def _of_another_spec(script: str, output: Output) -> list[Diagnostic]:
    """FT606 where a spec that still lies beside this one has written its own run there."""
    header = _HEADER.match(script.partition("\n")[0])
    if header is None or output.entry is None or header["spec"] == output.entry.name:
        return []
    other = output.entry.with_name(header["spec"])
    if not other.is_file():
        return []
    name = place(output.folder / SCRIPT)
    source = SourceFile(name, script)
    return [
        error(
            "FT606",
            f"`{name}` is the script of another spec, `{header['spec']}`",
            Span(source, header.start("spec"), header.end("spec")),
            notes=(f"both have a run `{output.run}`, and one would replace the other",),
            help=(
                "give one of the runs another name",
                f"or compile into another folder with `-o DIR`; if `{header['spec']}` no longer"
                f" has the run, delete `{place(output.folder)}`",
            ),
        )
    ]


def with_record(files: Mapping[str, str]) -> dict[str, str]:
    """The files, with the digests of all but script and map put into the map."""
    content = json.loads(files[MAP])
    if "files" in content:
        return dict(files)
    others = sorted(files.keys() - {SCRIPT, MAP})
    content["files"] = {name: digest(files[name]) for name in others}
    return {**files, MAP: json.dumps(content, indent=1, ensure_ascii=False) + "\n"}


def differences(on_disk: Mapping[str, str], output: Output) -> str:
    """A unified diff from what lies there to what belongs there; empty if nothing is stale."""
    new = with_record(output.files)
    names = new.keys() | (recorded(on_disk).keys() & on_disk.keys())
    diffs = {
        name: _diff(place(output.folder / name), on_disk.get(name), new.get(name))
        for name in sorted(names)
    }
    if any(diff for name, diff in diffs.items() if name != MAP):
        diffs.pop(MAP, None)  # it follows the script, and nobody reviews it
    return "".join(diffs.values())


def found_on_disk(output: Output) -> dict[str, str]:
    """The text of each file of an output that exists, and of those written there before."""
    texts = _texts(output.folder, [*output.files, MAP])
    return texts | _texts(output.folder, recorded(texts).keys() - texts.keys())


class Written(Record):
    """What came of writing: why nothing was written, or the names of the runs that changed."""

    found: list[Diagnostic]
    changed: frozenset[str]


def write(outputs: Iterable[Output]) -> Written:
    """Write every file of every output, or none and say why: FT601, FT602, FT604.

    Files that an earlier compile wrote and that no longer belong are removed, unless edited.
    """
    outputs = list(outputs)
    found: list[Diagnostic] = []
    changed = set()
    new: dict[Path, bytes] = {}
    stale: list[Path] = []
    for output in outputs:
        folder = output.folder
        try:
            on_disk = found_on_disk(output)
        except OSError as refused:
            found.append(_unwritable(folder, refused))
            continue
        found += conflicts(on_disk, output)
        files = with_record(output.files)
        # The map goes last: whoever interrupts us leaves files that are either old or new.
        for name in sorted(files, key=lambda name: (name == MAP, name)):
            if on_disk.get(name) != files[name]:
                new[folder / name] = files[name].encode()
                changed.add(output.run)
        gone = recorded(on_disk).keys() & on_disk.keys() - files.keys()
        stale += [folder / name for name in gone]
    if found:
        return Written(found, frozenset())
    try:
        replace(new, EXECUTABLE)
        for path in stale:
            path.unlink()
    except OSError as refused:
        return Written([_unwritable(outputs[0].folder, refused)], frozenset())
    return Written([], frozenset(changed))


def replace(files: Mapping[Path, bytes], executable: Collection[str] = ()) -> None:
    """Write all files beside their places, then rename each into its own; raises OSError.

    An existing file keeps its permissions; one whose name is in `executable` may be run.
    """
    ready: dict[Path, Path] = {}
    try:
        for path, content in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
            ready[path] = Path(name)
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            ready[path].chmod(_mode(path, path.name in executable))
        for path in files:
            ready[path].replace(path)
            del ready[path]
    finally:
        for left in ready.values():
            with contextlib.suppress(OSError):
                left.unlink()


def _mode(path: Path, executable: bool) -> int:
    """Permissions of a file: as they are, or those of a new file under this umask."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        mode = 0o666 & ~umask
    return mode | (mode & 0o444) >> 2 if executable else mode


def _texts(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Bytes that are not UTF-8 become surrogates: such a file differs from any that we write."""
    found = {}
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            found[name] = (folder / name).read_bytes().decode("utf-8", "surrogateescape")
    return found


def _stays_inside(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return bool(parts) and not name.startswith("/") and ".." not in parts


def place(path: Path) -> str:
    """The path as people write it: below the current folder if it lies there."""
    with contextlib.suppress(ValueError):
        return path.resolve().relative_to(Path.cwd()).as_posix()
    return str(path)


def _conflict(name: str, text: str, edited: bool) -> Diagnostic:
    source = SourceFile(name, text)
    first = source.line(1)
    header = _HEADER.fullmatch(first)
    place = Span(source, header.start("body"), header.end("body")) if header else None
    move = f"move or delete `{name}`, then compile again"
    if edited:
        return error(
            "FT601",
            f"`{name}` was edited after ftc wrote it",
            place or Span(source, 0, len(first)),
            label="the digest of what ftc wrote; the text below has another" if place else "",
            notes=("compiling would throw the edits away",),
            help=(
                "say in the spec, or in a Python file of your own, what the edit says",
                f"or {move}",
                "or compile into another folder with `-o DIR`",
            ),
        )
    return error(
        "FT602",
        f"`{name}` was not written by ftc",
        Span(source, 0, len(first)),
        notes=("ftc replaces only files that carry its header or stand in its record",),
        help=(move, "or compile into another folder with `-o DIR`"),
    )


def _unwritable(folder: Path, refused: OSError) -> Diagnostic:
    name = place(Path(refused.filename or folder))
    reason = refused.strerror or str(refused)
    return error("FT604", f"`{name}` cannot be written: {reason}", Span(SourceFile(name, ""), 0, 0))


def _diff(name: str, old: str | None, new: str | None) -> str:
    if old is not None and new is not None and digest(old) == digest(new):
        return ""
    from difflib import unified_diff  # only where there is something to show

    before, after = (
        (text or "").replace("\r\n", "\n").splitlines(keepends=True) for text in (old, new)
    )
    lines = unified_diff(
        before,
        after,
        "/dev/null" if old is None else f"a/{name}",
        "/dev/null" if new is None else f"b/{name}",
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
