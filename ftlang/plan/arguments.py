"""The trainer's arguments: what stands in the spec, or differs from the default of its class."""

from __future__ import annotations

from typing import Protocol

from ftlang.plan.passed import passed_arguments
from ftlang.plan.script import Argument, Call, Code, Entries, Expression, Line, Scalar
from ftlang.plan.trainer import Choice
from ftlang.schema.batch import Batch, decay_steps, on_cpu, packed
from ftlang.schema.block import Block
from ftlang.schema.optimizers import OPTIM_ARGS
from ftlang.schema.run import Spec
from ftlang.schema.schedules import Warmed, WarmupStableDecay
from ftlang.schema.signatures import default
from ftlang.schema.units import Quantity

ON_GPU, NO_GPU = Code("on_gpu"), Code("not on_gpu")


class Paths(Protocol):
    """Notes the spec paths that a line comes from."""

    def __call__(self, *paths: str) -> tuple[str, ...]: ...


class Kept:
    """Collects a call's arguments without the defaults of the class that nobody wrote."""

    def __init__(self, class_name: str, spec: Spec, at: Paths) -> None:
        self.class_name = class_name
        self.spec = spec
        self.at = at
        self.arguments: list[Argument] = []

    def add(self, name: str, value: Expression, *paths: str, note: str = "") -> None:
        """Keeps the argument where a path of it was written or its value is not the default."""
        written = any(self.spec.written(p) for p in paths)
        if written or not _same(value, default(self.class_name, name)):
            self.arguments.append(Argument(name, value, self.at(*paths), note))

    def pass_on(self, block: Block, path: str) -> None:
        """Keeps what a block of the spec passes on under the library's own names."""
        for name, value, of in passed_arguments(block, path):
            self.arguments.append(Argument(name, value, self.at(of)))


def _same(value: Expression, other: object) -> bool:
    """Equality that does not take 1 for True."""
    return type(value) is type(other) and value == other


def training_arguments(
    spec: Spec, choice: Choice, batch: Batch, at: Paths
) -> tuple[tuple[Line, ...], Call]:
    """The lines before the configuration object is made, and the call that makes it."""
    kept = Kept(choice.arguments, spec, at)
    kept.add("output_dir", Call("str", (Argument("", Code("OUTPUT")),)), "output")
    _length(kept)
    _batch(kept, batch)
    _optimizer(kept)
    _precision(kept, choice)
    _saying(kept, batch)
    if packed(spec):
        kept.add(
            "packing", True, "data.packing", note="rows are packed below; flattened, no padding"
        )
        kept.add("packing_strategy", str(spec.data.packing), "data.packing")
    if choice.trainer == "SFTTrainer":
        ready: dict[str, Scalar] = {"skip_prepare_dataset": True}
        kept.add("dataset_kwargs", ready, note="tokenized and masked by build_datasets")
    kept.add("seed", spec.training.seed, "training.seed")
    for block in ("method", "training", "data", "save", "evaluate", "report"):
        kept.pass_on(getattr(spec, block), block)
    return _before(spec, batch, at), Call(choice.arguments, tuple(kept.arguments), tall=True)


def _before(spec: Spec, batch: Batch, at: Paths) -> tuple[Line, ...]:
    if batch.devices is None:
        return (Line("on_gpu", Code("torch.cuda.is_available()")),)
    count = (Argument("", batch.devices),)
    require = "require_processes" if on_cpu(spec) else "require_gpus"
    return (Line("", Call(require, count), at("hardware.gpus_per_node")),)


def _length(kept: Kept) -> None:
    duration = kept.spec.training.duration
    name = "num_train_epochs" if duration.unit == "epochs" else "max_steps"
    amount = duration.amount
    epochs = name == "num_train_epochs" and float(amount) == default(kept.class_name, name)
    if not epochs or kept.spec.written("training.duration"):
        kept.arguments.append(Argument(name, amount, kept.at("training.duration")))


def _batch(kept: Kept, batch: Batch) -> None:
    kept.add("per_device_train_batch_size", batch.micro, "training.micro_batch")
    if kept.spec.eval is not None:
        kept.add("per_device_eval_batch_size", batch.micro, "training.micro_batch")
    paths = ("training.batch", "training.micro_batch")
    if batch.devices is None:
        sizes = (Argument("batch", batch.size), Argument("micro_batch", batch.micro))
        kept.add("gradient_accumulation_steps", Call("accumulation_steps", sizes), *paths)
        return
    devices = "1 device" if batch.devices == 1 else f"{batch.devices} devices"
    note = f"{batch.size} {batch.unit} = {batch.micro} × {devices} × {batch.accumulation}"
    kept.add("gradient_accumulation_steps", batch.accumulation, *paths, note=note)


def _optimizer(kept: Kept) -> None:
    optimizer, schedule = kept.spec.optimizer, kept.spec.schedule
    kept.add("optim", optimizer.kind, "optimizer.kind")
    for name in ("learning_rate", "weight_decay", "max_grad_norm"):
        kept.add(name, getattr(optimizer, name), f"optimizer.{name}")
    for name in ("adam_beta1", "adam_beta2", "adam_epsilon"):
        if hasattr(optimizer, name):
            kept.add(name, getattr(optimizer, name), f"optimizer.{name}")
    if settings := [n for n in OPTIM_ARGS if getattr(optimizer, n, None) is not None]:
        shown = ",".join(f"{n}={getattr(optimizer, n)}" for n in settings)
        kept.add("optim_args", shown, *(f"optimizer.{n}" for n in settings))
    kept.pass_on(optimizer, "optimizer")
    kept.add("lr_scheduler_type", schedule.kind, "schedule.kind")
    if isinstance(schedule, Warmed):
        if isinstance(schedule.warmup, Quantity):
            kept.add("warmup_steps", schedule.warmup.amount, "schedule.warmup")
        elif schedule.warmup > 0 or kept.spec.written("schedule.warmup"):
            share = schedule.warmup
            kept.add("warmup_steps", share, "schedule.warmup", note="below 1: a share of all steps")
    _schedule_arguments(kept)


def _schedule_arguments(kept: Kept) -> None:
    """What the scheduler's function takes beside the warm-up, as one dict."""
    schedule, at = kept.spec.schedule, kept.at
    passed = passed_arguments(schedule, "schedule")
    entries = [Argument(name, value, at(path)) for name, value, path in passed]
    if isinstance(schedule, WarmupStableDecay):
        steps = decay_steps(kept.spec)
        entries.insert(0, Argument("num_decay_steps", steps, at("schedule.decay")))
    if entries:
        kept.add("lr_scheduler_kwargs", Entries(tuple(entries)), "schedule.kind")


def _precision(kept: Kept, choice: Choice) -> None:
    """Autocast and checkpointing: on for a GPU, off for a CPU, else by what is found."""
    spec, path = kept.spec, "training.precision"
    precision = spec.training.precision
    known = spec.hardware.gpus_per_node is not None
    if precision == "fp16":
        kept.add("fp16", True, path)
    elif precision in ("fp32", "bf16_pure"):
        kept.add("bf16", False, path)
    elif precision == "bf16":
        kept.add("bf16", True, path)
    elif on_cpu(spec):
        kept.add("bf16", False, path)
    elif not known:
        kept.add("bf16", ON_GPU, path)
    elif choice.arguments != "SFTConfig":  # SFTConfig's own None means bf16
        kept.add("bf16", True, path)
    if on_cpu(spec):
        kept.add("use_cpu", True, "hardware.gpus_per_node")
    elif not known:
        kept.add("use_cpu", NO_GPU, "hardware.gpus_per_node")
    path = "training.activation_checkpointing"
    asked = spec.training.activation_checkpointing
    if asked is not None:
        kept.add("activation_checkpointing", asked, path)
    elif not on_cpu(spec):
        kept.add("activation_checkpointing", True if known else ON_GPU, path)
    elif choice.arguments == "SFTConfig":  # TRL turns it on unless it is told not to
        kept.add("activation_checkpointing", False, path)


def _saying(kept: Kept, batch: Batch) -> None:
    """Evaluation, checkpoints, metrics: how often."""
    spec = kept.spec
    if spec.eval is not None and spec.evaluate.every is not None:
        _every(kept, "eval", spec.evaluate.every, "evaluate.every")
    if spec.save.every is not None:
        _every(kept, "save", spec.save.every, "save.every")
    if spec.save.save_total_limit is not None:
        kept.add("save_total_limit", spec.save.save_total_limit, "save.save_total_limit")
    kept.add("logging_steps", int(spec.report.every.amount), "report.every")
    kept.add("include_num_input_tokens_seen", "non_padding", note="for tokens/s")


def _every(kept: Kept, what: str, every: Quantity, path: str) -> None:
    if every == Quantity(1, "epochs"):
        kept.add(f"{what}_strategy", "epoch", path)
    elif every.unit == "epochs":
        run = kept.spec.training.duration
        kept.add(f"{what}_strategy", "steps", path)
        note = f"{every} of {run}, as a share of all steps"
        kept.add(f"{what}_steps", every.amount / run.amount, path, "training.duration", note=note)
    else:
        kept.add(f"{what}_strategy", "steps", path)
        kept.add(f"{what}_steps", int(every.amount), path)
