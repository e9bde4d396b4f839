"""Data sets, prepared and checked once for all processes of a launch."""

from collections.abc import Callable
from typing import Any

from datasets import Dataset

from ftruntime.checks import check_datasets


def prepared_once(build: Callable[[Any], dict[str, Dataset]], tokenizer: Any) -> dict[str, Dataset]:
    """What `build(tokenizer)` gives, checked.  Raises RunStopped where it cannot train."""
    datasets = build(tokenizer)
    check_datasets(datasets, tokenizer)
    return datasets
