"""Adapters, and modules trained whole, are stored as the spec says, whatever the base is in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.execute.stack import Stack

BODY = """
  model { base = path("model"), quantize nf4 }
  tune lora { modules_to_save = [lm_head] }
  data { train = files("rows.jsonl"), max_length = 256 }
  method sft
  training { duration = 1 step, batch = 2 seqs PRECISION }
"""
SHOW = """
import runpy, shutil, sys
from pathlib import Path
import transformers
from ftruntime.models import builtin_model

script = Path(sys.argv[1])
shutil.copytree(builtin_model("tiny-llama"), script.parents[2] / "model")
before = transformers.Trainer.train


def train(self, **given):
    print("STORED", type(self).__name__, *sorted(
        {str(p.dtype) for p in self.model.parameters() if p.requires_grad}))
    before(self, **given)
    print("AFTER", *sorted({str(p.dtype) for p in self.model.parameters() if p.requires_grad}))


transformers.Trainer.train = train
runpy.run_path(str(script), run_name="__main__")
"""


@pytest.mark.parametrize(
    ("precision", "stored"), [("", "torch.float32"), (", precision = bf16_pure", "torch.bfloat16")]
)
def test_how_adapters_on_quantized_weights_are_stored(
    precision: str, stored: str, stack: Stack, emitted: Callable[..., Path], tmp_path: Path
) -> None:
    script = emitted(BODY.replace(" PRECISION", precision))
    show = tmp_path / "show.py"
    show.write_text(SHOW)
    done = stack.run(show, str(script))
    assert done.rc == 0, done.err
    assert f"STORED CheckedSFTTrainer {stored}\n" in done.out
    assert f"AFTER {stored}\n" in done.out


@pytest.mark.parametrize("base", ['builtin("tiny-llama")', 'path("model")'])
def test_modules_trained_whole_on_16_bit_weights_are_stored_in_float32(
    base: str, stack: Stack, emitted: Callable[..., Path], tmp_path: Path
) -> None:
    body = BODY.replace(", quantize nf4", ", dtype = bfloat16").replace('path("model")', base)
    script = emitted(body.replace(" PRECISION", ", precision = bf16"))
    show = tmp_path / "show.py"
    show.write_text(SHOW)
    done = stack.run(show, str(script))
    assert done.rc == 0, done.err
    assert "AFTER torch.float32\n" in done.out
