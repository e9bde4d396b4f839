"""What a run shows and records while it trains: progress, metrics, curves, answers."""

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from transformers import (
    PreTrainedModel,
    PreTrainedTokenizerBase,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)

from ftruntime.answers import greedy_answers, side_by_side
from ftruntime.curves import is_evaluation_loss, write_curves
from ftruntime.progress import Progress, progress_of
from ftruntime.records import append_line, keep_lines_until, lines_of


class RunLog(TrainerCallback):
    """Progress, `metrics.jsonl` and `curves.png`, the same for every trainer.

    A line: step, epoch, loss, learning_rate, grad_norm, tokens_seen, tokens_per_s, eval_loss; null
    where a value is absent; the line of a named evaluation set ends with its `eval_NAME_loss`.
    tokens_seen counts input tokens without padding over all processes and needs
    `include_num_input_tokens_seen="non_padding"`; tokens_per_s leaves out the time of evaluations
    and saves.  What follows in the list of callbacks, such as a tracker, gets tokens_per_s too.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.progress: Progress | None = None
        self.clock = _StepClock()

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        self.clock = _StepClock(state.num_input_tokens_seen)
        if state.is_world_process_zero:
            keep_lines_until(self.folder / "metrics.jsonl", state.global_step)

    def on_step_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        self.clock.start()
        if state.is_world_process_zero and self.progress is None:
            self.progress = progress_of(state.global_step, state.max_steps)

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        self.clock.stop()
        if state.global_step >= state.max_steps:
            control.should_log = True  # the last step, whatever the interval
        if self.progress is not None:
            self.progress.step(state.global_step)

    def on_prediction_step(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        if self.progress is not None:
            self.progress.evaluating()

    def on_evaluate(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        self.clock.leave_out_pause()

    def on_save(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        if state.is_world_process_zero:
            _draw(self.folder)
        self.clock.leave_out_pause()

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        losses = [name for name in logs or () if is_evaluation_loss(name)]
        if not logs or not ("loss" in logs or losses):
            return
        counted = args.include_num_input_tokens_seen != "no"
        speed = None
        if "loss" in logs and counted:
            speed = self.clock.tokens_per_second(state.num_input_tokens_seen)
        if speed is not None:
            logs["tokens_per_s"] = speed
        if not state.is_world_process_zero:
            return
        line = {
            "step": state.global_step,
            "epoch": _finite(state.epoch),
            "loss": _finite(logs.get("loss")),
            "learning_rate": _finite(logs.get("learning_rate")),
            "grad_norm": _finite(logs.get("grad_norm")),
            "tokens_seen": int(state.num_input_tokens_seen) if counted else None,
            "tokens_per_s": _finite(speed),
            "eval_loss": _finite(logs.get("eval_loss")),
            **{name: _finite(logs[name]) for name in losses},
        }
        append_line(self.folder / "metrics.jsonl", line)
        if self.progress is not None and "loss" in logs:
            self.progress.note(float(logs["loss"]), speed)

    def on_train_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        if self.progress is not None:
            self.progress.close()
            self.progress = None
        if state.is_world_process_zero:
            _draw(self.folder)


class SampleAnswers(TrainerCallback):
    """Greedy answers to fixed questions before training, at each evaluation and after it.

    Writes `samples.jsonl` (step, question, answer) and prints the first and last answers side by
    side.  Training is bit for bit the same with and without it.  Every process generates, because
    a sharded model needs all of them; the first one writes.
    """

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        questions: Sequence[str],
        folder: Path,
        system: str | None = None,
        max_new_tokens: int = 64,
    ) -> None:
        self.tokenizer = tokenizer
        self.questions = list(questions)
        self.file = folder / "samples.jsonl"
        self.system = system
        self.max_new_tokens = max_new_tokens
        self.first: list[str] = []
        self.last: list[str] = []
        self.sampled_at: int | None = None

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        if state.is_world_process_zero:
            # A resumed run answers again at the step where it takes over.
            keep_lines_until(self.file, state.global_step - 1)
        self.sampled_at = None
        self.first = self._sample(kwargs["model"], state)
        if state.global_step > 0 and (earlier := self._answers_at_start()):
            self.first = earlier

    def on_evaluate(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        if self.first:  # not for an evaluation outside of training
            self._sample(kwargs["model"], state)

    def on_train_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        self._sample(kwargs["model"], state)
        if state.is_world_process_zero:
            print(side_by_side(self.questions, self.first, self.last), flush=True)

    def _sample(self, model: PreTrainedModel, state: TrainerState) -> list[str]:
        if self.sampled_at != state.global_step:
            self.sampled_at = state.global_step
            self.last = greedy_answers(
                model, self.tokenizer, self.questions, self.system, self.max_new_tokens
            )
            if state.is_world_process_zero:
                for question, answer in zip(self.questions, self.last, strict=True):
                    line = {"step": state.global_step, "question": question, "answer": answer}
                    append_line(self.file, line)
        return self.last

    def _answers_at_start(self) -> list[str]:
        """The answers that an interrupted run wrote before its first step, if it has them all."""
        lines = lines_of(self.file)
        found = {line["question"]: line["answer"] for line in lines if line["step"] == 0}
        return [found[q] for q in self.questions] if set(self.questions) <= found.keys() else []


class _StepClock:
    """Seconds spent in optimizer steps, and the data between them, since the last log line."""

    def __init__(self, tokens: int = 0) -> None:
        self.tokens = tokens
        self.seconds = 0.0
        self.started: float | None = None
        self.stopped: float | None = None

    def start(self) -> None:
        now = time.perf_counter()
        if self.stopped is not None:  # the wait for the next batch belongs to training
            self.seconds += now - self.stopped
        self.started, self.stopped = now, None

    def stop(self) -> None:
        now = time.perf_counter()
        if self.started is not None:
            self.seconds += now - self.started
        self.started, self.stopped = None, now

    def leave_out_pause(self) -> None:
        self.stopped = None

    def tokens_per_second(self, tokens: int) -> float | None:
        """The speed since the last call, in input tokens of all processes per second."""
        seconds, self.seconds = self.seconds, 0.0
        seen, self.tokens = tokens - self.tokens, tokens
        return seen / seconds if seconds > 0 else None


def _draw(folder: Path) -> None:
    """The picture; a run goes on to save its result where it cannot be drawn."""
    try:
        write_curves(folder, title=folder.name)
    except Exception as failure:
        print(f"curves.png was not drawn: {failure}", flush=True)


def _finite(value: Any) -> float | None:
    """JSON has no NaN and no infinity."""
    if value is None or not math.isfinite(value):
        return None
    return float(value)
