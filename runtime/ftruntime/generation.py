"""The base's generation config, made such that it can be saved with the result."""

import re
from typing import Any

from transformers import GenerationConfig

# What generate() reads only while it samples, with the value that means "not set".
SAMPLING: dict[str, float | None] = {
    "temperature": 1.0,
    "top_p": 1.0,
    "top_k": 50,
    "min_p": None,
    "top_h": None,
    "typical_p": 1.0,
    "epsilon_cutoff": 0.0,
    "eta_cutoff": 0.0,
}


def settle_generation_config(model: Any) -> list[str]:
    """Repairs combinations that transformers loads but refuses to save; gives what was changed.

    Sampling settings without sampling turn it on; anything else that would be without effect, such
    as beam settings without beams, is taken out.
    """
    config: GenerationConfig | None = getattr(model, "generation_config", None)
    if config is None or not _refused(config):
        return []
    said = []
    sampling = [name for name, unset in SAMPLING.items() if _set(config, name, unset)]
    if sampling and config.do_sample is not True:
        config.do_sample = True
        said.append(f"do_sample turned on, because {_values(config, sampling)}")
    if idle := _refused(config):
        said.append(f"{_values(config, idle)}: taken out, it is without effect")
        for name in idle:
            setattr(config, name, None)
    return said


def _refused(config: GenerationConfig) -> list[str]:
    """The settings that transformers names when it refuses to save them."""
    try:
        config.validate(strict=True)
    except ValueError as refused:
        return re.findall(r"^- `(\w+)`", str(refused), re.MULTILINE)
    return []


def _set(config: GenerationConfig, name: str, unset: Any) -> bool:
    value = getattr(config, name, None)
    return value is not None and value != unset


def _values(config: GenerationConfig, names: list[str]) -> str:
    return ", ".join(f"{name} is {getattr(config, name)}" for name in names)
