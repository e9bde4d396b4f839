"""`ftc init`: print a small commented spec to start from."""

from __future__ import annotations

import argparse

from ftlang.cli import terminal

SPECS = {
    "sft": """\
# Supervised fine-tuning of a small model with LoRA.
#   ftc check job.ft      find mistakes, in a blink
#   ftc audit job.ft      see what would be trained, row by row
#   ftc run job.ft        compile to generated/first/train.py, then train

run first {
  about = "LoRA on question and answer rows."

  model {
    base = builtin("tiny-llama")  # random weights, to try things
                                  # then hf("owner/name") or path("folder/")
  }

  tune lora {
    r = 16  # rank of the adapter; lora_alpha is 2 × r unless you say
  }

  data {
    train      = files("rows.jsonl")  # alpaca, sharegpt, messages or prompt/completion rows
    max_length = 1Ki                  # tokens; a longer row is an error, see too_long
  }

  method sft

  optimizer adamw_torch { learning_rate = 1e-4 }
  training { duration = 1 epoch, batch = 16 seqs }
}
"""
}


def exit_code(arguments: argparse.Namespace) -> int:
    """Always 0."""
    terminal.put(SPECS[arguments.method])
    return 0
