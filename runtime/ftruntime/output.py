"""The output folder of a run: may it be written, is it finished, where does training go on."""

import os
import shutil
import sys
import uuid
from pathlib import Path
from typing import Any

from ftruntime.checkpoints import checkpoints, fault_of, record_in, step_of
from ftruntime.provenance import RUN_FILE, differences, record_of, write_record
from ftruntime.stops import Problem, RunStopped

FINAL = "final"
ASKED = "FTC_RESUME"  # set by `ftc run --resume` and `ftc run --fresh`
WAYS = ("auto", "never", "force", "fresh", "only")
SHOWN = 12


class Run:
    """One run and its output folder.

    `checkpoint` is the folder that training goes on from, as text, None at the start.
    """

    def __init__(self, folder: Path, script: Path, checkpoint: Path | None, forced: bool) -> None:
        self.folder = folder
        self.script = script
        self.checkpoint = None if checkpoint is None else str(checkpoint)
        self.forced = forced

    def check(self, tokenizer: Any, datasets: dict[str, Any]) -> None:
        """Writes run.json; raises RunStopped where the checkpoint was made from something else.

        What is compared is the script without what only tells or writes, the training data, the
        chat template and the tokenizer.
        """
        record = record_of(self.script, tokenizer, datasets)
        if self.checkpoint is not None:
            old = record_in(Path(self.checkpoint))
            if found := differences(old, record):
                self._differs(found)
            if old["processes"] != record["processes"] and _first():
                _say(f"{old['processes']} processes trained before, now {record['processes']} do")
        if _first():
            write_record(self.folder / RUN_FILE, record)

    def _differs(self, found: list[str]) -> None:
        name = Path(self.checkpoint or "").name
        lines = [f"  {line}" for line in found[:SHOWN]]
        if len(found) > SHOWN:
            lines.append(f"  and {len(found) - SHOWN} more")
        shown = "\n".join(lines)
        if self.forced:
            if _first():
                _say(f"{name} was made from something else; `resume = force` goes on:\n{shown}")
            return
        message = (
            f"{name} was made from something else:\n{shown}\n"
            "  take the change back, start anew with `ftc run --fresh` (the old output is kept "
            "beside it), or go on in spite of it with `save { resume = force }`"
        )
        raise RunStopped([Problem("FT719", message)]) if _first() else SystemExit(1)


def open_run(folder: Path, script: str, resume: str | Path = "auto") -> Run:
    """The run of a script: its folder made, what an earlier start left there looked at.

    `resume` is auto (go on from the last whole checkpoint), never (what was left is moved aside),
    force (go on in spite of differences), or the path of one checkpoint.  FTC_RESUME overrides it:
    auto, never, force, only (stop where there is nothing to go on from) or fresh (also a finished
    run is moved aside).  Every process calls this; the first one decides.  Raises RunStopped for a
    folder that cannot be written, a finished run, and a checkpoint that is not whole.
    """
    decided: Any = None
    if _first():
        try:
            decided = _decided(folder, resume)
        except RunStopped as stop:
            decided = stop.problems
    decided = _told(decided)
    if isinstance(decided, list):
        raise RunStopped(decided) if _first() else SystemExit(1)  # said once
    return Run(folder, Path(script).resolve(), *decided)


def _decided(folder: Path, resume: str | Path) -> tuple[Path | None, bool]:
    """Where to go on from, and whether differences are let pass.  Moves and makes folders."""
    asked = os.environ.get(ASKED, "")
    if asked and asked not in WAYS:
        raise _stopped("FT716", f"{ASKED} is {asked!r}; it must be one of {', '.join(WAYS)}")
    way = asked or resume
    _make_writable(folder)
    if way == "fresh":
        _move_aside(folder)
        return None, False
    if (folder / FINAL / RUN_FILE).is_file():
        raise _finished(folder)
    if way == "never":
        _move_aside(folder)
        return None, False
    if isinstance(way, Path):
        fault = fault_of(way) if way.is_dir() else "there is no such folder"
        if fault:
            raise _stopped("FT718", f"nothing can go on from {way}: {fault}")
        if way.resolve() not in [path.resolve() for path in checkpoints(folder)]:
            _require_steps(way)
        return _going_on(way), False
    found = _last_whole(folder)
    if found is not None:
        return _going_on(found), way == "force" or (resume == "force" and bool(asked))
    if way == "only":
        raise _stopped("FT718", f"{folder} holds no whole checkpoint to go on from")
    return None, False


def _require_steps(checkpoint: Path) -> None:
    """Another run's last checkpoint is no place to go on from: its training has ended."""
    done, planned = step_of(checkpoint)
    if done >= planned:
        raise _stopped(
            "FT718",
            f"nothing can go on from {checkpoint}: it is at step {done:,} of {planned:,}, so no "
            "step is left; `resume` ends an interrupted training. To train on from its weights, "
            "start a run with the saved result as its `base`",
        )


def _finished(folder: Path) -> RunStopped:
    """What is there, and three ways on; an adapter alone is no base."""
    final = folder / FINAL
    ways = [
        "give the run another `output`",
        "start anew with `ftc run --fresh` (the old output is kept beside it)",
    ]
    if not (final / "adapter_config.json").is_file():
        ways.append(f'train on from its weights with `model {{ base = path("{final}") }}`')
    said = f"{folder} holds a finished run; its result in {final.name}/ stays as it is: "
    return _stopped("FT717", said + ", or ".join(ways))


def _make_writable(folder: Path) -> None:
    """Makes the folder and proves that a file can be written there."""
    probe = folder / f".{uuid.uuid4().hex}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.write_bytes(b"0" * 4096)
        probe.unlink()
    except OSError as failed:
        probe.unlink(missing_ok=True) if folder.is_dir() else None
        raise _stopped(
            "FT716",
            f"the output folder {folder} cannot be written: {failed.strerror or failed}; "
            "set `output` to a folder that can, or make room there",
        ) from failed


def _last_whole(folder: Path) -> Path | None:
    """The last checkpoint that is whole; each later one is said to be skipped, and renamed."""
    for checkpoint in checkpoints(folder):
        fault = fault_of(checkpoint)
        if not fault:
            return checkpoint
        beside = _free(checkpoint.with_name(f"broken-{checkpoint.name}"))
        checkpoint.rename(beside)
        _say(f"skipping {checkpoint.name}: {fault} (now {beside.name})")
    return None


def _going_on(checkpoint: Path) -> Path:
    done, planned = step_of(checkpoint)
    _say(f"going on from step {done:,} of {planned:,} ({checkpoint})")
    return checkpoint


# What a run makes in its output folder.  Only that is ever moved: the folder may hold more.
MADE = ("checkpoint-*", "broken-checkpoint-*", FINAL, RUN_FILE, "*.jsonl", "*.png", "profile")


def _move_aside(folder: Path) -> None:
    """Moves what an earlier run left to a folder of its own beside this one."""
    left = [path for pattern in MADE for path in sorted(folder.glob(pattern))]
    if not left:
        return
    beside = _free(folder.with_name(f"{folder.resolve().name}.1"))
    beside.mkdir()
    for path in left:
        shutil.move(path, beside / path.name)
    _say(f"what an earlier run left in {folder} is now in {beside}")


def _free(path: Path) -> Path:
    """The path, or the next that does not exist: `out.1`, `out.2`, …"""
    number = 1
    stem = path.name.removesuffix(".1")
    while path.exists():
        number += 1
        path = path.with_name(f"{stem}.{number}")
    return path


def _first() -> bool:
    from accelerate import PartialState

    return bool(PartialState().is_main_process)


def _told(decided: Any) -> Any:
    """What the first process decided, in every process."""
    from accelerate.utils import broadcast_object_list

    return broadcast_object_list([decided])[0]


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _stopped(code: str, message: str) -> RunStopped:
    return RunStopped([Problem(code, message)])
