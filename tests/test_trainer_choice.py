"""Which trainer the plan takes, and that the script says why."""

from __future__ import annotations

import pytest

from ftlang.compile import Options, analyse
from ftlang.emit.render import render
from ftlang.plan.trl import lower
from ftlang.source import SourceFile

CASES = {
    "a GPU": ("path", "gpus_per_node = 1", "max_length = 128", "SFTTrainer"),
    "what is found": ("path", "", "max_length = 128", "SFTTrainer"),
    "a CPU": ("path", "gpus_per_node = 0", "max_length = 128", "Trainer"),
    "long rows": ("path", "gpus_per_node = 0", "max_length = 4Ki", "SFTTrainer"),
    "rows of any length": ("path", "gpus_per_node = 0", "max_length = none", "SFTTrainer"),
    "packed": ("path", "gpus_per_node = 0", "max_length = 128, packing = bfd", "SFTTrainer"),
    "a small vocabulary": ("builtin", "gpus_per_node = 1", "max_length = 4Ki", "Trainer"),
}


@pytest.mark.parametrize("case", list(CASES))
def test_the_choice_and_its_reason(case: str) -> None:
    base, hardware, data, trainer = CASES[case]
    name = "tiny-llama" if base == "builtin" else "folder"
    text = f"""run job {{
      model {{ base = {base}("{name}") }}
      tune lora
      data {{ train = files("rows.jsonl"), {data} }}
      method sft
      hardware {{ {hardware} }}
    }}"""
    [spec], found = analyse(SourceFile("job.ft", text), Options())
    assert not found
    script = render(lower(spec), 2)["train.py"]
    assert f"-> Checked{trainer}:" in script
    arguments = "SFTConfig" if trainer == "SFTTrainer" else "TrainingArguments"
    assert f"-> {arguments}:" in script
    assert ("transformers' own instead of SFTTrainer: its" in script) == (trainer == "Trainer")
