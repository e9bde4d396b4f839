"""The last look before the first step: the plan in numbers, and guards that need the trainer."""

from collections.abc import Iterable
from typing import Any

from ftruntime.generation import settle_generation_config
from ftruntime.launch import world_size
from ftruntime.models import check_vocabulary
from ftruntime.stops import Problem, RunStopped

MASKED = -100


def preflight(trainer: Any) -> None:
    """Prints rows, tokens, batch arithmetic, steps, parameters, dtypes and device.

    Raises RunStopped when the processes that were started do not train together, when nothing is
    trainable, or when tokenizer and model do not belong together.  Only the first process prints.
    """
    _require_one_training(trainer)
    check_vocabulary(trainer.model, trainer.processing_class)
    trainable, total = parameter_counts(trainer.model)
    if trainable == 0:
        message = (
            f"none of the {total:,} parameters is trainable: the adapter's target modules match "
            "nothing, or the model was frozen"
        )
        raise RunStopped([Problem("FT713", message)])
    _require_targets_found(trainer.model)
    changed = settle_generation_config(trainer.model)
    if trainer.is_world_process_zero():
        lines = [*_data_lines(trainer), *_step_lines(trainer), *_model_lines(trainer)]
        lines += [("generation", text) for text in changed]
        print("\n".join(f"{label:<12}{text}" for label, text in lines), flush=True)


def parameter_counts(model: Any) -> tuple[int, int]:
    """Trainable and all parameters; packed and sharded weights count as what they stand for."""
    if hasattr(model, "get_nb_trainable_parameters"):
        trainable, total = model.get_nb_trainable_parameters()
        return int(trainable), int(total)
    sizes = [(p.requires_grad, getattr(p, "ds_numel", p.numel())) for p in model.parameters()]
    return sum(size for trained, size in sizes if trained), sum(size for _, size in sizes)


def token_counts(dataset: Any) -> tuple[int, int, int]:
    """Tokens, trained tokens (labels other than -100) and the longest row of a data set."""
    import pyarrow.compute as pc

    tokens = trained = longest = 0
    for table in dataset.with_format("arrow").iter(batch_size=1000):
        lengths = pc.list_value_length(table["input_ids"])
        tokens += pc.sum(lengths).as_py()
        longest = max(longest, pc.max(lengths).as_py())
        labels = pc.list_flatten(table["labels" if "labels" in table.column_names else "input_ids"])
        trained += pc.sum(pc.not_equal(labels, MASKED)).as_py() or 0
    return tokens, trained, longest


def _require_targets_found(model: Any) -> None:
    """Every module that an adapter names must be there: PEFT is content when one of them is."""
    for config in getattr(model, "peft_config", {}).values():
        names = [name for name, _ in model.named_modules()]
        for field in ("target_modules", "modules_to_save"):
            wanted = getattr(config, field, None)
            if not wanted or isinstance(wanted, str):
                continue
            ends = {name.rpartition(".base_layer")[0] or name for name in names}
            missing = [w for w in wanted if not any(f".{n}".endswith(f".{w}") for n in ends)]
            if missing:
                named = ", ".join(sorted(missing))
                message = f"{field} names {named}, which the model does not have"
                raise RunStopped([Problem("FT713", message)])


def _require_one_training(trainer: Any) -> None:
    started, joined = world_size(), trainer.accelerator.num_processes
    if joined != started:
        message = (
            f"{started} processes were started but {joined} train together; they would train "
            "apart and write to the same folder (on a CPU the arguments need use_cpu=True)"
        )
        raise RunStopped([Problem("FT711", message)])


def _data_lines(trainer: Any) -> Iterable[tuple[str, str]]:
    for label, dataset in (("train", trainer.train_dataset), ("evaluation", trainer.eval_dataset)):
        named = dataset.items() if isinstance(dataset, dict) else [("", dataset)]
        for name, rows in named:
            if rows is not None:
                yield label, f"{name}: {_rows_text(rows)}" if name else _rows_text(rows)


def _rows_text(dataset: Any) -> str:
    if not hasattr(dataset, "__len__"):
        return "a stream of rows, not counted"
    tokens, trained, longest = token_counts(dataset)
    return (
        f"{len(dataset):,} rows, {tokens:,} tokens, {trained:,} of them trained "
        f"({trained / max(tokens, 1):.0%}), longest row {longest:,}"
    )


def _step_lines(trainer: Any) -> Iterable[tuple[str, str]]:
    arguments = trainer.args
    processes = trainer.accelerator.num_processes
    micro, passes = arguments.per_device_train_batch_size, arguments.gradient_accumulation_steps
    yield (
        "batch",
        f"{micro} rows × {processes} process{'es' if processes > 1 else ''} × {passes} "
        f"pass{'es' if passes > 1 else ''} = {micro * processes * passes} rows a step",
    )
    values = trainer.set_initial_training_values(arguments, trainer.get_train_dataloader())
    per_epoch, steps = values[1], values[-1]
    if hasattr(trainer.train_dataset, "__len__"):
        epochs = f"{steps / per_epoch:.4g}"
        yield "steps", f"{steps:,} ({per_epoch:,} an epoch × {epochs})"
    else:
        yield "steps", f"{steps:,}"


def _model_lines(trainer: Any) -> Iterable[tuple[str, str]]:
    trainable, total = parameter_counts(trainer.model)
    yield "parameters", f"{trainable:,} of {total:,} trainable ({trainable / total:.2%})"
    weights = list(trainer.model.parameters())
    trained = {_dtype(weight) for weight in weights if weight.requires_grad}
    frozen = {_dtype(weight) for weight in weights if not weight.requires_grad}
    text = f"trained {', '.join(sorted(trained))}"
    if frozen:
        text += f"; frozen {', '.join(sorted(frozen))}"
    mixed = "bfloat16" if trainer.args.bf16 else "float16" if trainer.args.fp16 else ""
    yield "weights", text + (f"; steps compute in {mixed}" if mixed else "")
    yield "device", str(trainer.args.device)


def _dtype(weight: Any) -> str:
    return str(weight.dtype).removeprefix("torch.")
