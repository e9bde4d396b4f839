"""Names that other tools have for blocks; read only after a mistake."""

from __future__ import annotations

# Blocks of other tools, and the ones here.
BLOCKS: dict[str, str] = {
    "checkpoint": "save",
    "checkpoints": "save",
    "checkpointing": "save",
    "logging": "report",
    "eval": "evaluate",
    "evaluation": "evaluate",
    "lora": "tune",
    "peft": "tune",
    "train": "training",
    "scheduler": "schedule",
    "quantization": "quantize",
}
