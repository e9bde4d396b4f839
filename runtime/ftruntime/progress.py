"""How far a run is, for a person: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from typing import Any, Protocol

from tqdm.auto import tqdm

PAUSE = 10.0  # seconds between two lines


class Progress(Protocol):
    """What shows the steps; `note` adds the last loss and, where it is counted, the speed."""

    def step(self, done: int) -> None: ...

    def note(self, loss: float, tokens_per_s: float | None) -> None: ...

    def evaluating(self) -> None: ...

    def close(self) -> None: ...


def progress_of(done: int, total: int) -> Progress:
    """A bar where standard error is a terminal, lines where it is a file or a pipe."""
    return Bar(done, total) if sys.stderr.isatty() else Lines(done, total)


class Bar:
    """One bar of tqdm, which shows the time that is left."""

    def __init__(self, done: int, total: int) -> None:
        self.bar: Any = tqdm(
            total=total, initial=done, desc="training", unit="step", dynamic_ncols=True
        )

    def step(self, done: int) -> None:
        self.bar.set_description("training", refresh=False)
        self.bar.update(done - self.bar.n)

    def note(self, loss: float, tokens_per_s: float | None) -> None:
        shown = {"loss": f"{loss:.3f}"}
        if tokens_per_s is not None:
            shown["tokens/s"] = f"{tokens_per_s:,.0f}"
        self.bar.set_postfix(shown, refresh=False)

    def evaluating(self) -> None:
        if self.bar.desc != "evaluating: ":
            self.bar.set_description("evaluating")

    def close(self) -> None:
        self.bar.close()


class Lines:
    """A line at the first step, then each ten seconds, and at the end; no carriage returns."""

    def __init__(self, done: int, total: int) -> None:
        self.first, self.done, self.total = done, done, total
        self.started = time.monotonic()
        self.printed = self.started - PAUSE
        self.told = ""
        self.last = -1

    def step(self, done: int) -> None:
        self.done = done
        # The last step waits for its loss, which is logged after it.
        if done < self.total and time.monotonic() - self.printed >= PAUSE:
            self._print()

    def note(self, loss: float, tokens_per_s: float | None) -> None:
        self.told = f", loss {loss:.3f}"
        if tokens_per_s is not None:
            self.told += f", {tokens_per_s:,.0f} tokens/s"

    def evaluating(self) -> None:
        """An evaluation leaves no line."""

    def close(self) -> None:
        if self.last != self.done:
            self._print()

    def _print(self) -> None:
        self.printed = time.monotonic()
        self.last = self.done
        seconds = self.printed - self.started
        steps, left = self.done - self.first, self.total - self.done
        text = f"step {self.done:,} of {self.total:,} ({self.done / max(self.total, 1):.0%})"
        text += self.told
        if steps > 0 and left > 0:
            text += f", {duration(seconds / steps * left)} left"
        elif steps > 0:
            text += f", {duration(seconds)} in all"
        print(text, file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """Seconds as `3 s`, `12:03` or `1:02:03`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
