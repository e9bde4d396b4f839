"""Spec to library calls: the only file that knows which argument of which class says what."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from ftlang import __version__
from ftlang.plan.arguments import Kept, Paths, training_arguments
from ftlang.plan.digest import source_digest
from ftlang.plan.passed import passed_arguments
from ftlang.plan.script import (
    Argument,
    Call,
    Code,
    Entries,
    Expression,
    Items,
    Joined,
    Launch,
    Line,
    Model,
    Origin,
    Plan,
    Trainer,
)
from ftlang.plan.trainer import Choice, trainer_of
from ftlang.schema.batch import Batch, batch_of, on_cpu, packed
from ftlang.schema.block import Block
from ftlang.schema.model import Bnb4Bit
from ftlang.schema.optimizers import BITSANDBYTES
from ftlang.schema.run import Rows, Spec
from ftlang.schema.signatures import versions
from ftlang.schema.sources import Builtin, Files, Gguf, Hf, LocalPath, Result, Split
from ftlang.schema.tune import Full, Lora

# Where the spec does not say what the hardware is, a line of the script looks.
FOUND = Code("dtype")
LOOK = Line("dtype", Code("torch.bfloat16 if torch.cuda.is_available() else torch.float32"))


def lower(spec: Spec) -> Plan:
    """The plan of a spec that has passed every rule."""
    choice = trainer_of(spec)
    batch = batch_of(spec)
    seen: dict[str, Origin] = {}

    def at(*paths: str) -> tuple[str, ...]:
        """The paths, each noted with where it was set."""
        for path in paths:
            origin = spec.origin(path)
            seen[path] = Origin(path, origin.kind, origin.span, origin.name, origin.through)
        return paths

    before, arguments = training_arguments(spec, choice, batch, at)
    return Plan(
        run=spec.name,
        spec_name=spec.source.path.name if spec.source.path else spec.source.name,
        source=spec.source,
        about=spec.about,
        step=_step(batch),
        source_digest=source_digest(spec),
        constants=tuple(_constants(spec, at)),
        arguments_type=choice.arguments,
        arguments_before=before,
        arguments=arguments,
        tokenizer=_tokenizer(spec, at),
        datasets=tuple(_datasets(spec, at)),
        splits=Entries(tuple(_splits(spec, at))),
        model=_model(spec, at),
        trainer=_trainer(spec, choice, at),
        opened=_opened(spec, at),
        seed=Argument("", spec.training.seed, at("training.seed")),
        save=_save(spec, at),
        launch=Launch(batch.devices),
        requirements=_requirements(spec),
        origins=seen,
    )


def _step(batch: Batch) -> str:
    """The sentence on one optimizer step, with its arithmetic."""
    size, micro, unit = batch.size, batch.micro, batch.unit
    what = {"seqs": "sequences", "rows": "packed rows"}[unit]
    if batch.devices is None:
        return (
            f"One optimizer step is {size} {what}: {micro} a device, on the devices that are there."
        )
    devices = "1 device" if batch.devices == 1 else f"{batch.devices} devices"
    return (
        f"One optimizer step is {size} {what}: {micro} a device × {devices}"
        f" × {batch.accumulation} accumulated."
    )


def _constants(spec: Spec, at: Paths) -> Iterable[Line]:
    """What the script names once: its output folder, the model, the questions."""
    yield Line("OUTPUT", _output(spec), at("output"))
    base = spec.model.base
    match base:
        case Hf():
            yield Line("MODEL", base.repo, at("model.base"))
            if base.revision is not None:
                yield Line("REVISION", base.revision, at("model.base"))
        case LocalPath():
            yield Line("MODEL", _place(base), at("model.base"))
        case Result():
            yield Line("MODEL", _place(base.folder), at("model.base"))
        case Gguf():
            source = base.source
            located: Expression = source if source.startswith("package:") else _under_root(source)
            yield Line("MODEL", located, at("model.base"))
        case Builtin():
            yield Line("MODEL", base.name, at("model.base"))
    if spec.evaluate.samples:
        yield Line("QUESTIONS", Items(spec.evaluate.samples), at("evaluate.samples"))


def _output(spec: Spec) -> Expression:
    return _under_root(spec.output) if isinstance(spec.output, str) else _place(spec.output)


def _place(place: LocalPath | Files) -> Expression:
    """A path below the spec's folder, or below what an environment variable holds."""
    path = place.path if isinstance(place, LocalPath) else place.pattern
    if place.env is None:
        return _under_root(path)
    known = [Argument("", place.env.name)]
    if place.env.default is not None:
        known.append(Argument("default", place.env.default))
    parts = [Argument("", Call("environment", tuple(known)))]
    return Call("ROOT.joinpath", (*parts, *([Argument("", path)] if path else [])))


def _under_root(path: str) -> Expression:
    """A path as the script holds it; what the user wrote as absolute stays so."""
    if PurePosixPath(path).is_absolute():
        return Call("Path", (Argument("", path),))
    return Joined("ROOT", path)


def _checkpoint(spec: Spec, at: Paths) -> list[Argument]:
    """What `from_pretrained` of tokenizer and model load from."""
    base = spec.model.base
    match base:
        case Gguf():
            source: Expression = Call("gguf_model", (Argument("", Code("MODEL")),))
        case Builtin():
            source = Call("builtin_model", (Argument("", Code("MODEL")),))
        case Result():
            source = Call("result_of", (Argument("", base.run), Argument("", Code("MODEL"))))
        case _:
            source = Code("MODEL")
    arguments = [Argument("", source)]
    if isinstance(base, Hf) and base.revision is not None:
        arguments.append(Argument("revision", Code("REVISION")))
    if spec.written("model.trust_remote_code"):
        trusted = spec.model.trust_remote_code
        arguments.append(Argument("trust_remote_code", trusted, at("model.trust_remote_code")))
    if isinstance(base, Hf) and base.token is not None:
        arguments.append(Argument("token", Call("secret", (Argument("", base.token.name),))))
    return arguments


def _tokenizer(spec: Spec, at: Paths) -> Call:
    arguments = [*_checkpoint(spec, at), *_passed(spec.tokenizer, "tokenizer", at)]
    load = Call("AutoTokenizer.from_pretrained", tuple(arguments))
    return Call("set_up_tokenizer", (Argument("", load, at("model.base")),))


def _rows(rows: Rows, at: Paths, path: str) -> Call:
    """`alpaca(read_files(…), system="system")`, or `standard(…)` where the format is inferred."""
    files = Call("read_files", (Argument("", _place(rows.files), at(path)),))
    columns = rows.format.columns if rows.format is not None else ()
    keywords = tuple(Argument(name, _column(value), at(path)) for name, value in columns)
    name = rows.format.name if rows.format is not None else "standard"
    return Call(name, (Argument("", files), *keywords))


def _column(value: object) -> Expression:
    if isinstance(value, tuple):
        return {str(key): str(role) for key, role in value}
    return None if value is None else str(value)


def _datasets(spec: Spec, at: Paths) -> Iterable[Line]:
    yield Line("train", _rows(spec.train, at, "data.train"), at("data.train"))
    if isinstance(spec.eval, Rows):
        yield Line("evaluation", _rows(spec.eval, at, "data.eval"), at("data.eval"))
    if isinstance(spec.eval, Split):
        share = Argument("test_size", spec.eval.share, at("data.eval"))
        cut = Call(
            "tokenized.train_test_split", (share, Argument("seed", spec.eval.seed, at("data.eval")))
        )
        yield Line("tokenized", _tokens("train", spec, at), at("data.train"))
        yield Line("parts", cut, at("data.eval"))


def _tokens(rows: str, spec: Spec, at: Paths) -> Call:
    length = Argument("max_length", spec.data.max_length, at("data.max_length"))
    return Call("tokenize", (Argument("", Code(rows)), Argument("", Code("tokenizer")), length))


def _splits(spec: Spec, at: Paths) -> Iterable[Argument]:
    """The datasets that the trainer consumes, by name."""
    if isinstance(spec.eval, Split):
        parts: dict[str, Expression] = {
            "train": Code('parts["train"]'),
            "eval": Code('parts["test"]'),
        }
    else:
        parts = {"train": _tokens("train", spec, at)}
        if spec.eval is not None:
            parts["eval"] = _tokens("evaluation", spec, at)
    for name, rows in parts.items():
        yield Argument(name, _packed(rows, spec, at), at(f"data.{name}"))


def _packed(rows: Expression, spec: Spec, at: Paths) -> Expression:
    if not packed(spec):
        return rows
    length = Argument("seq_length", spec.data.max_length, at("data.max_length"))
    strategy = Argument("strategy", str(spec.data.packing), at("data.packing"))
    return Call("pack_dataset", (Argument("", rows), length, strategy))


def _stored_as(spec: Spec) -> Expression:
    """How the weights load: trained ones in float32, frozen ones as the steps compute."""
    precision, dtype = spec.training.precision, spec.model.dtype
    if dtype is not None:
        return Code(f"torch.{dtype}")
    if precision == "bf16_pure":
        return Code("torch.bfloat16")
    if isinstance(spec.tune, Full) or precision == "fp32":
        return Code("torch.float32")
    if precision is not None:
        return Code({"bf16": "torch.bfloat16", "fp16": "torch.float16"}[precision])
    if on_cpu(spec):
        return Code("torch.float32")
    if spec.hardware.gpus_per_node is not None:
        return Code("torch.bfloat16")
    return FOUND


def _model(spec: Spec, at: Paths) -> Model:
    dtype = Argument("dtype", _stored_as(spec), at("model.dtype", "training.precision"))
    arguments = [*_checkpoint(spec, at), dtype]
    if spec.model.attn_implementation is not None:
        kernel = spec.model.attn_implementation
        arguments.append(Argument("attn_implementation", kernel, at("model.attn_implementation")))
    arguments += _passed(spec.model, "model", at)
    prepare = None
    if spec.model.quantize is not None:
        arguments.append(
            Argument("quantization_config", _quantization(spec, at), at("model.quantize.kind"))
        )
        checkpointing = Argument(
            "use_gradient_checkpointing", False, note="the trainer turns it on"
        )
        kbit = Call("prepare_model_for_kbit_training", (Argument("", Code("model")), checkpointing))
        prepare = Line("model", kbit, at("model.quantize.kind"))
    before = (LOOK,) if _stored_as(spec) is FOUND else ()
    load = Call("AutoModelForCausalLM.from_pretrained", tuple(arguments), tall=True)
    if not isinstance(spec.tune, Lora):
        return Model(before, load, prepare, None, None)
    wrap = [Argument("", Code("model")), Argument("", Code("adapter"))]
    base = spec.model.base
    if isinstance(base, Hf) and base.revision is not None:
        wrap.append(Argument("revision", Code("REVISION"), at("model.base")))
    if spec.training.precision == "bf16_pure":
        pure = Argument("autocast_adapter_dtype", False, at("training.precision"))
        wrap.append(pure)
    adapter = _adapter(spec.tune, spec, at)
    return Model(before, load, prepare, adapter, Call("get_peft_model", tuple(wrap)))


def _quantization(spec: Spec, at: Paths) -> Call:
    quantize = spec.model.quantize
    kept = Kept("BitsAndBytesConfig", spec, at)
    if isinstance(quantize, Bnb4Bit):
        kept.add("load_in_4bit", True, "model.quantize.kind")
        kept.add("bnb_4bit_quant_type", quantize.kind, "model.quantize.kind")
        path = "model.quantize.bnb_4bit_use_double_quant"
        kept.add("bnb_4bit_use_double_quant", quantize.bnb_4bit_use_double_quant, path)
        compute = quantize.bnb_4bit_compute_dtype
        dtype = Code(f"torch.{compute}") if compute is not None else _stored_as(spec)
        kept.add("bnb_4bit_compute_dtype", dtype, "model.quantize.bnb_4bit_compute_dtype")
        if quantize.bnb_4bit_quant_storage is not None:
            storage = Code(f"torch.{quantize.bnb_4bit_quant_storage}")
            kept.add("bnb_4bit_quant_storage", storage, "model.quantize.bnb_4bit_quant_storage")
    elif quantize is not None:
        kept.add("load_in_8bit", True, "model.quantize.kind")
        kept.add(
            "llm_int8_threshold", quantize.llm_int8_threshold, "model.quantize.llm_int8_threshold"
        )
    if quantize is not None:
        skipped = quantize.llm_int8_skip_modules
        if skipped is not None:
            kept.add(
                "llm_int8_skip_modules", Items(skipped), "model.quantize.llm_int8_skip_modules"
            )
        kept.pass_on(quantize, "model.quantize")
    return Call("BitsAndBytesConfig", tuple(kept.arguments), tall=True)


def _adapter(lora: Lora, spec: Spec, at: Paths) -> Call:
    kept = Kept("LoraConfig", spec, at)
    kept.add("task_type", "CAUSAL_LM", "method")
    kept.add("r", lora.r, "tune.r")
    kept.add("lora_alpha", lora.lora_alpha, "tune.lora_alpha")
    kept.add("lora_dropout", lora.lora_dropout, "tune.lora_dropout")
    for name in ("target_modules", "exclude_modules", "modules_to_save"):
        value = getattr(lora, name)
        kept.add(name, Items(value) if isinstance(value, tuple) else value, f"tune.{name}")
    for name in ("use_rslora", "use_dora"):
        kept.add(name, getattr(lora, name), f"tune.{name}")
    kept.add("bias", lora.bias or "none", "tune.bias")
    kept.pass_on(lora, "tune")
    return Call("LoraConfig", tuple(kept.arguments), tall=True)


def _trainer(spec: Spec, choice: Choice, at: Paths) -> Trainer:
    arguments = [
        Argument("model", Code("model")),
        Argument("args", Code("arguments")),
        Argument("train_dataset", Code('datasets["train"]'), at("data.train")),
    ]
    if spec.eval is not None:
        arguments.append(Argument("eval_dataset", Code('datasets["eval"]'), at("data.eval")))
    arguments.append(Argument("processing_class", Code("tokenizer")))
    if choice.trainer == "Trainer":
        collator = Call("DataCollatorForSeq2Seq", (Argument("", Code("tokenizer")),))
        arguments.append(Argument("data_collator", collator, note="pads labels by position"))
    if callbacks := tuple(_callbacks(spec, at)):
        paths = tuple(path for callback in callbacks for path in callback.paths)
        items = Items(tuple(callback.value for callback in callbacks))
        arguments.append(Argument("callbacks", items, paths))
    checked = f"Checked{choice.trainer}"
    return Trainer(
        checked,
        Call(checked, tuple(arguments), tall=True),
        choice.reason,
        restore=_trained_in_16_bits(spec, choice) and spec.training.precision != "bf16_pure",
    )


def _callbacks(spec: Spec, at: Paths) -> Iterable[Argument]:
    """What runs beside the training, in the order in which it is called."""
    if spec.evaluate.samples:
        asked = tuple(Argument("", Code(name)) for name in ("tokenizer", "QUESTIONS", "OUTPUT"))
        yield Argument("", Call("SampleAnswers", asked), at("evaluate.samples"))


def _trained_in_16_bits(spec: Spec, choice: Choice) -> bool:
    """Whether adapters or modules trained whole would be stored where small steps are lost.

    TRL 1.16 stores the adapters of a quantized base in bfloat16, and PEFT copies the modules that
    are trained whole as the base is stored.
    """
    if not isinstance(spec.tune, Lora):
        return False
    if spec.model.quantize is not None and choice.trainer == "SFTTrainer":
        return True
    return bool(spec.tune.modules_to_save) and _stored_as(spec) != Code("torch.float32")


def _opened(spec: Spec, at: Paths) -> Call:
    """`open_run(OUTPUT, __file__)`, and where it goes on, if the spec says so."""
    resume, path = spec.save.resume, at("save.resume") if spec.written("save.resume") else ()
    arguments = [Argument("", Code("OUTPUT")), Argument("", Code("__file__"))]
    if isinstance(resume, LocalPath):
        arguments.append(Argument("resume", _place(resume), path))
    elif path:
        arguments.append(Argument("resume", resume, path))
    return Call("open_run", tuple(arguments))


def _save(spec: Spec, at: Paths) -> Call:
    arguments = [Argument("", Code("trainer")), Argument("", Code("tokenizer"))]
    arguments.append(Argument("", Code('OUTPUT / "final"'), at("output")))
    if isinstance(spec.model.base, Gguf | Builtin):
        arguments.append(Argument("base", Code("MODEL"), at("model.base")))
    return Call("save_result", tuple(arguments))


def _passed(block: Block, path: str, at: Paths) -> list[Argument]:
    """What a block passes to a loader under the library's own names."""
    return [Argument(name, value, at(of)) for name, value, of in passed_arguments(block, path)]


def _requirements(spec: Spec) -> tuple[str, ...]:
    """The tested packages that this script imports, and ours."""
    names = ["torch", "transformers", "trl", "peft", "datasets", "accelerate", "matplotlib"]
    if spec.model.quantize is not None or spec.optimizer.kind in BITSANDBYTES:
        names.append("bitsandbytes")
    if isinstance(spec.model.base, Gguf):
        names.append("gguf")
    tested = versions()
    own = tuple(spec.requires)
    return (f"ftlang=={__version__}", *(f"{n}=={tested[n]}" for n in sorted(names)), *own)
