"""Arithmetic and guards about the number of processes, read from what the launcher set."""

import os
import sys

from ftruntime.stops import Problem, RunStopped

CODE = "FT711"


def world_size() -> int:
    """The number of processes of this launch: WORLD_SIZE, or 1 where no launcher set it."""
    text = os.environ.get("WORLD_SIZE", "1")
    if not text.isdecimal() or int(text) < 1:
        raise _stopped(f"WORLD_SIZE is {text!r} in the environment; it must be a number from 1 up")
    return int(text)


def accumulation_steps(*, batch: int, micro_batch: int) -> int:
    """Passes per optimizer step, so that processes x micro_batch x passes = batch rows.

    Raises RunStopped when `batch` cannot be reached exactly, with the nearest batches that can.
    """
    processes = world_size()
    rows = processes * micro_batch
    passes, rest = divmod(batch, rows)
    if rest == 0 and passes > 0:
        return passes
    nearest = [count * rows for count in (passes, passes + 1) if count > 0]
    counted = "1 process" if processes == 1 else f"{processes} processes"
    raise _stopped(
        f"a batch of {batch} rows cannot be made of {counted} x {micro_batch} rows of micro batch"
        f" = {rows} rows at a time; the nearest batch that can is "
        + " or ".join(str(legal) for legal in nearest)
        + (", or take a smaller micro_batch" if batch < rows else "")
    )


def require_processes(count: int, *, nodes: int = 1) -> None:
    """Raises RunStopped, with the line that starts it right, unless `count` processes run."""
    running = world_size()
    if running == count:
        return
    script = sys.argv[0] or "train.py"
    line = f"python {script}"
    if count > 1:
        many = f"--nnodes {nodes} " if nodes > 1 else ""
        line = f"torchrun {many}--nproc_per_node {count // nodes} {script}"
    raise _stopped(
        f"this script was compiled for {count} process{'es' if count > 1 else ''}"
        f" and {running} {'were' if running > 1 else 'was'} started; start it with: {line}"
    )


def require_gpus(count: int) -> None:
    """Raises RunStopped unless `count` processes run and this machine has a GPU for each."""
    import torch

    require_processes(count)
    if (there := torch.cuda.device_count()) < count:
        gpus = "GPU" if count == 1 else "GPUs"
        raise _stopped(
            f"this script was compiled for {count} {gpus} and this machine has {there or 'none'}: "
            "set `gpus_per_node` to what is there (0 for a CPU), or leave it out, and compile again"
        )


def _stopped(message: str) -> RunStopped:
    return RunStopped([Problem(CODE, message)])
