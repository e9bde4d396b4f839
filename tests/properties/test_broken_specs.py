"""k broken entries in a whole spec give exactly k errors of `ftc check`, each at the mutated token.

`test_broken_entries.py` shows it for the syntax alone.  Here the spec means something: syntax,
names, fields, types, units, kinds and constructors break side by side, and no error of one entry
hides or adds another.  «…» marks the mutated token; the error's span starts within it.
"""

from __future__ import annotations

import random

import pytest

from ftlang.compile import Options, analyse
from ftlang.diagnostics import Severity
from ftlang.source import SourceFile

SEED = 20261130
ROUNDS = 400

# The entries of a valid spec by name; each stands on its own line, in this order.
SPEC = """dataset support {
  source = files("rows.jsonl")
  format = alpaca(system = "system")
}
run job {
  about = "a run"
  output = "out/job"
  model {
    base = hf("org/model", revision = "main")
    dtype = float32
    attn_implementation = sdpa
    quantize nf4 { bnb_4bit_use_double_quant = true }
  }
  tune lora {
    r = 16
    lora_alpha = 32
    lora_dropout = 5%
    target_modules = [q_proj, v_proj]
    use_rslora = true
    bias = none
  }
  data {
    train = support
    eval = split(5%, seed = 42)
    max_length = 2Ki
    packing = false
  }
  method sft
  optimizer adamw_torch {
    learning_rate = 2e-4
    weight_decay = 0.1
    adam_beta2 = 0.95
  }
  schedule cosine { warmup = 3% }
  training {
    duration = 3 epochs
    batch = 64 seqs
    micro_batch = 4 seqs
    precision = bf16
    seed = 7
  }
  save { every = 200 steps, save_total_limit = 2 }
  evaluate { every = 1 epoch, samples = ["Who are you?"] }
  report { every = 10 steps, to = [] }
  hardware { gpus_per_node = 8 }
}
"""

# What is wrong, the entry, its broken form, and the code.
KINDS: list[tuple[str, str, str, str]] = [
    ("unknown constructor", 'source = files("rows.jsonl")', 'source = «file_list»("x")', "FT206"),
    ("unknown argument", 'alpaca(system = "system")', 'alpaca(«sytem» = "system")', "FT212"),
    ("string not closed", 'about = "a run"', 'about = «"a run»', "FT004"),
    ("string needed", 'about = "a run"', "about = «16»", "FT203"),
    ("unknown interpolation", 'output = "out/job"', 'output = «"out/${job}"»', "FT116"),
    ("bare path", 'output = "out/job"', "output = «out/job»", "FT017"),
    ("short revision", 'revision = "main"', 'revision = «"abcdef12"»', "FT217"),
    ("missing argument", 'hf("org/model", revision = "main")', '«hf»(revision = "main")', "FT212"),
    ("unknown member", "dtype = float32", "dtype = «float23»", "FT206"),
    ("misspelt field", "attn_implementation = sdpa", "«atn_implementation» = sdpa", "FT201"),
    ("foreign name", "attn_implementation = sdpa", "«flash_attn» = sdpa", "FT214"),
    (
        "block as a field",
        "quantize nf4 { bnb_4bit_use_double_quant = true }",
        "«quantize» = nf4",
        "FT218",
    ),
    ("unknown kind", "quantize nf4 {", "quantize «nf5» {", "FT210"),
    ("equals missing", "r = 16", "r «16»", "FT020"),
    ("value missing", "lora_alpha = 32", "lora_alpha «=»", "FT019"),
    ("integer needed", "lora_alpha = 32", "lora_alpha = «3.5»", "FT203"),
    ("below the range", "lora_alpha = 32", "lora_alpha = «0»", "FT205"),
    ("bare share", "lora_dropout = 5%", "lora_dropout = «5»", "FT204"),
    ("share too large", "lora_dropout = 5%", "lora_dropout = «120%»", "FT205"),
    ("comma missing", "[q_proj, v_proj]", "[q_proj «v_proj»]", "FT023"),
    ("item of another type", "[q_proj, v_proj]", "[q_proj, «16»]", "FT203"),
    ("Python's True", "use_rslora = true", "use_rslora = «True»", "FT203"),
    ("colon", "bias = none", "bias«:» none", "FT021"),
    ("unknown data set", "train = support", "train = «suport»", "FT117"),
    ("no unit where one is due", "split(5%, seed = 42)", "split(«5», seed = 42)", "FT204"),
    ("planned constructor", "split(5%, seed = 42)", "«take»(support, 5)", "FT501"),
    ("a field of another block", "max_length = 2Ki", "«learning_rate» = 2e-4", "FT202"),
    ("derived field", "packing = false", "«padding_free» = true", "FT213"),
    ("planned member", "packing = false", "packing = «wrapped»", "FT501"),
    ("planned field", "packing = false", '«system» = "Be brief."', "FT501"),
    ("unknown method", "method sft", "method «sfft»", "FT210"),
    ("kind missing", "method sft", "«method» { }", "FT211"),
    ("number needed", "learning_rate = 2e-4", 'learning_rate = «"2e-4"»', "FT203"),
    ("exponent beyond a float", "weight_decay = 0.1", "weight_decay = «1e999»", "FT204"),
    ("no digit before the point", "adam_beta2 = 0.95", "adam_beta2 = «.95»", "FT014"),
    (
        "field of another kind of block",
        "schedule cosine { warmup",
        "schedule constant { «warmup»",
        "FT202",
    ),
    ("unknown unit", "duration = 3 epochs", "duration = «3 epoochs»", "FT204"),
    ("no unit", "duration = 3 epochs", "duration = «3»", "FT204"),
    ("another quantity", "batch = 64 seqs", "batch = «64 epochs»", "FT204"),
    ("no whole number", "micro_batch = 4 seqs", "micro_batch = «1.5 seqs»", "FT205"),
    ("unknown precision", "precision = bf16", "precision = «bf15»", "FT206"),
    ("hexadecimal", "seed = 7", "seed = «0x7»", "FT016"),
    ("set twice", "seed = 7", "seed = 7, «seed» = 8", "FT208"),
    ("two on a line", "save { every = 200 steps, save", "save { every = 200 steps «save»", "FT022"),
    ("list needed", 'samples = ["Who are you?"]', 'samples = «"Who are you?"»', "FT203"),
    ("planned tracker", "to = []", "to = [«wandb»]", "FT501"),
    ("unknown block", "hardware {", "«hardwear» {", "FT209"),
    ("unknown declaration", "dataset support {", "«datasett» support {", "FT110"),
]


def broken(chosen: list[tuple[str, str, str, str]]) -> tuple[str, list[tuple[int, int]]]:
    """The spec with these entries broken, and where the mutated tokens lie in it."""
    text = SPEC
    for _, right, wrong, _ in chosen:
        assert text.count(right) == 1, right
        text = text.replace(right, wrong)
    places = []
    while "«" in text:
        start = text.index("«")
        text = text.replace("«", "", 1)
        end = text.index("»")
        text = text.replace("»", "", 1)
        places.append((start, end))
    return text, places


def errors(text: str) -> list[tuple[str, int]]:
    _, found = analyse(SourceFile("job.ft", text), Options())
    return [(d.code, d.span.start) for d in found if d.severity is Severity.ERROR]


def drawn(rng: random.Random, count: int) -> list[tuple[str, str, str, str]]:
    """So many kinds, no two of them on the same line of the spec."""
    order = rng.sample(KINDS, len(KINDS))
    chosen: list[tuple[str, str, str, str]] = []
    lines: set[int] = set()
    for kind in order:
        line = SPEC[: SPEC.index(kind[1])].count("\n")
        if line not in lines and len(chosen) < count:
            lines.add(line)
            chosen.append(kind)
    # A declaration that is not one takes its name along, and then nothing can refer to it.
    return [k for k in chosen if k[0] != "unknown declaration"] if count > 1 else chosen


def test_the_spec_is_valid_and_the_table_is_wide() -> None:
    assert errors(SPEC) == []
    assert len(KINDS) >= 25
    assert len({kind[3] for kind in KINDS}) >= 20


@pytest.mark.parametrize(
    "kind", [k for k in KINDS if k[0] != "unknown declaration"], ids=lambda k: k[0]
)
def test_one_broken_entry_is_one_error_at_its_token(kind: tuple[str, str, str, str]) -> None:
    text, [(start, end)] = broken([kind])
    [(code, at)] = errors(text)
    assert code == kind[3]
    assert start <= at < max(end, start + 1)


@pytest.mark.parametrize("count", range(2, 9))
def test_k_broken_entries_are_k_errors(count: int) -> None:
    rng = random.Random(SEED + count)
    print(f"seed {SEED + count}")
    for _ in range(ROUNDS // 7):
        chosen = drawn(rng, count)
        text, places = broken(chosen)
        found = errors(text)
        assert len(found) == len(chosen), (text, found)
        assert sorted(code for code, _ in found) == sorted(kind[3] for kind in chosen), text
        for (start, end), (code, at) in zip(
            sorted(places), sorted(found, key=lambda f: f[1]), strict=True
        ):
            assert start <= at < max(end, start + 1), (code, text)
