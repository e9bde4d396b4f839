"""Folders that are expensive to make: made once for this machine, whole or not at all."""

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock


def cache_folder() -> Path:
    """Where made models are kept: $FTC_CACHE, else $XDG_CACHE_HOME/ftc, else ~/.cache/ftc."""
    if named := os.environ.get("FTC_CACHE"):
        return Path(named).expanduser()
    parent = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(parent).expanduser() / "ftc"


def folder_made_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """`folder`, filled by `make` if it does not exist yet.

    The lock lets the processes of one launch wait for the first of them; the rename at the end
    means that a folder that exists is complete, also where locks do not work.
    """
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_name(f".{folder.name}.lock")):
        if folder.is_dir():
            return folder
        unfinished = folder.with_name(f".{folder.name}.{uuid.uuid4().hex[:8]}.unfinished")
        unfinished.mkdir()
        try:
            make(unfinished)
            unfinished.rename(folder)
        except BaseException as error:
            shutil.rmtree(unfinished, ignore_errors=True)
            if not (isinstance(error, OSError) and folder.is_dir()):
                raise
    return folder


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Transformers without its bars and notes; what was set before comes back."""
    from transformers.utils import logging

    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
