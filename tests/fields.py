"""Every field that is emitted, with two values and a run in which each is legal."""

from __future__ import annotations

from ftlang.record import Record
from ftlang.schema import catalogue
from ftlang.schema.argument_types import ArgumentType, Forms
from ftlang.schema.catalogue import Field
from ftlang.schema.numbers import Amount, Float, Int, Share
from ftlang.schema.shapes import Modules
from ftlang.schema.words import Choice, Flag, ListOf, Text
from tests.rules.stock import REQUIRED, STOCK

# Two values of the fields whose type does not give them, by path or by name alone.
VALUES = {
    "requires": ('["one"]', '["two"]'),
    "model.base": ('builtin("tiny-llama")', 'path("model")'),
    "data.train": ('files("rows.jsonl")', 'files("more.jsonl")'),
    "data.eval": ("split(5%)", 'files("test.jsonl")'),
    "data.format": ("alpaca", 'messages(column = "chat")'),
    "output": ('"out/a"', '"out/b"'),
    "tune.modules_to_save": ("[lm_head]", "[embed_tokens]"),
    "training.batch": ("8 seqs", "16 seqs"),
    "training.micro_batch": ("2 seqs", "4 seqs"),
    "training.precision": ("fp32", "bf16"),
    "hardware.gpus_per_node": ("4", "8"),
    "data.packing": ("false", "bfd"),
    "schedule.warmup": ("5%", "20 steps"),
    "schedule.lr_end": ("1e-6", "2e-6"),
    "schedule.decay": ("30 steps", "20 steps"),
    "evaluate.every": ("10 steps", "1 epoch"),
    "save.every": ("10 steps", "1 epoch"),
    "save.resume": ("never", "force"),
    "tune.rank_pattern": ("{ q_proj = 8 }", "{ q_proj = 4 }"),
    "tune.alpha_pattern": ("{ q_proj = 8 }", "{ q_proj = 4 }"),
    "tune.layer_replication": ("[[0, 1], [0, 2]]", "[[0, 2]]"),
    "tune.loftq_config": ("{ loftq_bits = 4 }", "{ loftq_bits = 8 }"),
    "tune.megatron_config": ("{ hidden_size = 8 }", "{ hidden_size = 16 }"),
    "tune.target_parameters": ('["a.b"]', '["c.d"]'),
    "method.loss_type": ("nll", "dft"),
    "training.torch_compile_backend": ("inductor", "eager"),
    "training.torch_compile_mode": ("default", "reduce-overhead"),
    "training.activation_checkpointing_kwargs": (
        "{ use_reentrant = false }",
        "{ use_reentrant = true }",
    ),
    "training.accelerator_config": ("{ split_batches = true }", "{ even_batches = false }"),
    "training.liger_kernel_config": ("{ rope = true }", "{ rope = false }"),
    "data.dataloader_multiprocessing_context": ("fork", "spawn"),
    "data.train_sampling_strategy": ("sequential", "group_by_length"),
    "data.pad_to_multiple_of": ("8", "16"),
    "evaluate.include_for_metrics": ("[loss]", "[inputs]"),
    "report.log_level": ("info", "debug"),
    "report.log_level_replica": ("info", "debug"),
    "schedule.warmup_type": ("linear", "cosine"),
    "schedule.decay_type": ("linear", "cosine"),
    "model.fusion_config": ("{ patch_embeddings = true }", "{ patch_embeddings = false }"),
    "model.experts_implementation": ("eager", "grouped_mm"),
    "tokenizer.tokenizer_type": ("llama", "gpt2"),
}
# What else a field needs to be legal for the library: entries of its own block, or other blocks.
BESIDE = {
    "tune.layers_to_transform": "target_modules = [q_proj]",
    "tune.layers_pattern": "target_modules = [q_proj], layers_to_transform = [0]",
    "tune.loftq_config": "init_lora_weights = loftq",
    "data.dataloader_prefetch_factor": "dataloader_num_workers = 2",
    "data.dataloader_persistent_workers": "dataloader_num_workers = 2",
    "save.load_best_model_at_end": "every = 10 steps",
    "optimizer.nesterov": "momentum = 0.9",
}
# What a kind needs for each of its fields.
NEEDED = {
    "schedule cosine_with_min_lr": "min_lr_rate = 0.1",
    "schedule cosine_warmup_with_min_lr": "min_lr_rate = 0.1",
}
BLOCKS = {
    "save.load_best_model_at_end": {
        "evaluate": "evaluate { every = 10 steps }",
        "data": f"data {{ {REQUIRED['data']}, eval = split(5%) }}",
    },
}
# Their one value is all that this release takes; the others are answered by FT501.
FIXED = {"data.too_long", "data.loss_on", "report.to"}


class Case(Record):
    """A field of one kind of a block, and two values of it as they are written."""

    path: str
    kind: str
    field: Field
    values: tuple[str, str]

    @property
    def name(self) -> str:
        """`tune lora r`: what a failing test prints."""
        return " ".join(p for p in (self.path, self.kind, self.field.name) if p)

    def run(self, value: str) -> str:
        """A run in which the field has the value."""
        path = f"{self.path}.{self.field.name}"
        body = dict(STOCK, training="training { duration = 100 steps }") | BLOCKS.get(path, {})
        entry = f"{self.field.name} = {value}"
        if path in BESIDE:
            entry += f", {BESIDE[path]}"
        needed = NEEDED.get(f"{self.path} {self.kind}")
        if needed and not self.field.name.startswith("min_lr"):
            entry += f", {needed}"
        if not self.path:
            return _run([*body.values(), entry])
        outer, _, inner = self.path.partition(".")
        given = [f"{inner} {self.kind} {{ {entry} }}"] if inner else [entry]
        required = REQUIRED.get(outer)
        if required and required.split(" = ")[0] != self.field.name:
            given.insert(0, required)
        if outer == "evaluate":
            body["data"] = f"data {{ {REQUIRED['data']}, eval = split(5%) }}"
        head = outer if inner or not self.kind else f"{outer} {self.kind}"
        body[outer] = f"{head} {{ {', '.join(given)} }}"
        return _run(list(body.values()))


def _run(entries: list[str]) -> str:
    return "run a {\n" + "\n".join(entries) + "\n}\n"


def cases(passed: bool | None = None) -> list[Case]:
    """A case for each field that is emitted; only those that pass on, or none of them."""
    found = []
    for place in catalogue.places():
        if place.path in ("dataset", "template"):
            continue
        for kind in place.kinds:
            if kind.planned:
                continue
            for field in catalogue.fields(place.path, kind.name):
                path = f"{place.path}.{field.name}".lstrip(".")
                dead = field.planned or field.check_only or path in FIXED
                if not dead and passed in (None, field.passed):
                    found.append(Case(place.path, kind.name, field, values(path, field)))
    return found


def values(path: str, field: Field) -> tuple[str, str]:
    """Two values of a field, as they are written."""
    if path in VALUES:
        return VALUES[path]
    match field.type:
        case ArgumentType():
            return _of_argument(field.type)
        case Int():
            low = field.type.at_least or 0
            return str(low + 3), str(low + 8)
        case Float():
            return "0.25", "0.5"
        case Share():
            return "5%", "10%"
        case Flag():
            return "true", "false"
        case Choice():
            return field.type.members[0], field.type.members[1]
        case Amount():
            return f"3 {field.type.units[0]}", f"4 {field.type.units[0]}"
        case Text():
            return '"one"', '"two"'
        case ListOf():
            return '["one"]', '["two"]'
        case Modules():
            return "[k_proj]", "[q_proj]"
    raise AssertionError(f"no values for {path}")


def _of_argument(type_: ArgumentType) -> tuple[str, str]:
    words = [c for c in type_.choices if isinstance(c, str) and "[" not in c]
    if len(words) > 1:
        return words[0], words[1]
    return _of_forms(type_.forms)


def _of_forms(forms: Forms) -> tuple[str, str]:
    for scalar, two in (
        ("bool", ("true", "false")),
        ("int", ("3", "4")),
        ("float", ("0.25", "0.5")),
        ("str", ('"one"', '"two"')),
    ):
        if scalar in forms.scalars:
            return two
    if forms.items is not None:
        one, other = _of_forms(forms.items)
        return f"[{one}]", f"[{other}]"
    if forms.values is not None:
        one, other = _of_forms(forms.values)
        return f"{{ a = {one} }}", f"{{ a = {other} }}"
    raise AssertionError(f"no values for {forms}")
