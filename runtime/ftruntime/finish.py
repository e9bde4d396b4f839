"""The result of a run: saved whole, and loaded again."""

import json
from pathlib import Path
from typing import Any

from ftruntime.answers import ending_token_ids
from ftruntime.checkpoints import record_in
from ftruntime.gguf import RECORD, gguf_file, gguf_model, sha256_of
from ftruntime.models import BUILTIN_MODELS, builtin_model, builtin_provenance
from ftruntime.provenance import RUN_FILE, write_record
from ftruntime.stops import Problem, RunStopped

BASE = "base.json"
TEMPLATE = "chat_template.jinja"
ADAPTER = "adapter_config.json"


def save_result(trainer: Any, tokenizer: Any, folder: Path, base: str | None = None) -> None:
    """Saves adapter or model, tokenizer, chat template and generation config below `folder`.

    `base` names a base that is made on this machine (a GGUF source or a builtin model's name); it
    is recorded in base.json, so that an adapter reloads when the cache is gone.  Every process
    must call this; the first one writes.
    """
    trainer.save_model(str(folder))
    if trainer.is_world_process_zero():
        tokenizer.save_pretrained(folder)
        if isinstance(tokenizer.chat_template, str):
            # Bytes: a text file would translate the newlines of a template on some systems.
            (folder / TEMPLATE).write_bytes(tokenizer.chat_template.encode("utf-8"))
        _write_generation_config(trainer.accelerator.unwrap_model(trainer.model), tokenizer, folder)
        if base is not None:
            record = json.dumps(base_record(base), indent=2)
            (folder / BASE).write_text(record + "\n", encoding="utf-8")
        if (folder.parent / RUN_FILE).is_file():  # last: it says that the result is whole
            write_record(folder / RUN_FILE, record_in(folder.parent))
        print(_written(folder), flush=True)
    trainer.accelerator.wait_for_everyone()


def load_result(folder: str | Path) -> tuple[Any, Any]:
    """The trained model, ready to generate, and its tokenizer, from what `save_result` wrote.

    A base that was made on another machine or whose cache is gone is made again first.  Raises
    RunStopped when the folder holds no result or its base has changed since.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

    folder = Path(folder)
    if not (folder / "tokenizer_config.json").is_file():
        raise _stopped(f"{folder} holds no result of a run")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    if (folder / ADAPTER).is_file():
        from peft import PeftConfig, PeftModel

        adapter = PeftConfig.from_pretrained(folder)
        made = _made_base(folder) if (folder / BASE).is_file() else adapter.base_model_name_or_path
        pinned = {"revision": adapter.revision} if adapter.revision else {}
        model = AutoModelForCausalLM.from_pretrained(made, dtype="auto", **pinned)
        if model.get_input_embeddings().num_embeddings < len(tokenizer):
            model.resize_token_embeddings(len(tokenizer))
        model = PeftModel.from_pretrained(model, folder)
    else:
        model = AutoModelForCausalLM.from_pretrained(folder, dtype="auto")
    model.generation_config = GenerationConfig.from_pretrained(folder)
    return model.eval(), tokenizer


def base_record(base: str) -> dict[str, Any]:
    """What makes a base again: its source, its digest and how it was converted."""
    if base in BUILTIN_MODELS:
        return builtin_provenance(base)
    conversion = json.loads((gguf_model(base) / RECORD).read_text(encoding="utf-8"))
    sha256 = conversion["sha256"]
    return {"kind": "gguf", "source": base, "sha256": sha256, "conversion": conversion}


def _made_base(folder: Path) -> Path:
    record = json.loads((folder / BASE).read_text(encoding="utf-8"))
    source = record["source"]
    if record["kind"] == "builtin":
        if record["version"] != BUILTIN_MODELS.get(source):
            raise _stopped(
                f"{folder} was trained on version {record['version']} of the builtin model "
                f"{source}, which this version of ftruntime does not make"
            )
        return builtin_model(source)
    if (found := sha256_of(gguf_file(source))) != record["sha256"]:
        raise _stopped(
            f"{folder} was trained on {source} with sha256 {record['sha256'][:12]}…, and the file "
            f"is another one now ({found[:12]}…)"
        )
    return gguf_model(source)


def _write_generation_config(model: Any, tokenizer: Any, folder: Path) -> None:
    """The base's generation config, stopping also at the tokens that close an assistant turn."""
    from copy import deepcopy

    from transformers import GenerationConfig

    config = deepcopy(model.generation_config) or GenerationConfig()
    config.eos_token_id = ending_token_ids(model, tokenizer)
    if config.pad_token_id is None:
        config.pad_token_id = tokenizer.pad_token_id
    # save_pretrained() refuses some combinations that published models carry.
    config.to_json_file(folder / "generation_config.json")


def _written(folder: Path) -> str:
    what = "adapter" if (folder / ADAPTER).is_file() else "model"
    lines = [f"{what} and tokenizer   {folder}"]
    for name, label in (("loss.png", "loss curve"), ("metrics.jsonl", "metrics")):
        if (folder.parent / name).is_file():
            lines.append(f"{label:<{len(what) + 16}}{folder.parent / name}")
    return "\n".join(lines)


def _stopped(message: str) -> RunStopped:
    return RunStopped([Problem("FT714", message)])
