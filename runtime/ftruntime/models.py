"""Models that need no download: made from a rule, the same bytes on every machine."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from ftruntime.cache import cache_folder, folder_made_once, quiet_transformers
from ftruntime.stops import Problem, RunStopped

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM, PreTrainedModel, PreTrainedTokenizerBase

BUILTIN_MODELS = {"tiny-llama": 1}  # name: version of the rule, part of the cache's key

CHATML = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
SPECIAL_TOKENS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|pad|>"]


def builtin_model(name: str) -> Path:
    """The folder of a builtin model (weights, configuration, tokenizer), made at first use.

    Raises RunStopped for a name that is not builtin.
    """
    if name not in BUILTIN_MODELS:
        message = f"there is no builtin model {name!r}; there is: {', '.join(BUILTIN_MODELS)}"
        raise RunStopped([Problem("FT712", message)])
    return folder_made_once(
        cache_folder() / "builtin" / f"{name}-v{BUILTIN_MODELS[name]}", _save_tiny_llama
    )


def _save_tiny_llama(folder: Path) -> None:
    tokenizer = _byte_tokenizer()
    with quiet_transformers():
        _tiny_llama(tokenizer).save_pretrained(folder)
        tokenizer.save_pretrained(folder)


def _byte_tokenizer() -> "PreTrainedTokenizerBase":
    """One token per byte of UTF-8, then the special tokens: 260 ids; eos ends a ChatML turn."""
    from tokenizers import AddedToken, Tokenizer
    from tokenizers.decoders import ByteLevel as ByteLevelDecoder
    from tokenizers.models import BPE
    from tokenizers.pre_tokenizers import ByteLevel
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(ByteLevel.alphabet())
    tokenizer = Tokenizer(BPE(vocab={letter: i for i, letter in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    tokenizer.decoder = ByteLevelDecoder()
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in SPECIAL_TOKENS])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        pad_token="<|pad|>",
        clean_up_tokenization_spaces=False,
        model_max_length=2048,
    )
    fast.chat_template = CHATML
    return fast


def _tiny_llama(tokenizer: "PreTrainedTokenizerBase") -> "LlamaForCausalLM":
    """Two layers of width 64 with weights that are drawn, not trained.

    The draw is wide (hidden states of unit scale, head rows of norm 2): the head stays frozen
    under LoRA, and with the usual 0.02 its logits would be too small to ever prefer one token.
    """
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=2048,
        tie_word_embeddings=False,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        model = LlamaForCausalLM(config)
    generator = torch.Generator().manual_seed(0)
    for name, weight in sorted(model.named_parameters()):
        if weight.dim() == 1:  # the norms stay at one
            continue
        fan_in = 1 if "embed_tokens" in name else weight.shape[1]
        deviation = (2.0 if "lm_head" in name else 1.0) / fan_in**0.5
        # Whole numbers first: normal_() rounds differently from one kind of CPU to another.
        whole = torch.randint(-(2**20), 2**20, weight.shape, generator=generator)
        weight.data = whole.float() / 2**20 * (deviation * 3**0.5)
    return model


def builtin_provenance(name: str) -> dict[str, object]:
    """What base.json says of a builtin model: enough to make it again."""
    config = json.loads((builtin_model(name) / "config.json").read_text(encoding="utf-8"))
    return {
        "kind": "builtin",
        "source": name,
        "version": BUILTIN_MODELS[name],
        "transformers": config.get("transformers_version"),
    }


def check_vocabulary(model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> None:
    """Raises RunStopped where the tokenizer has an id that the model has no embedding for.

    On a GPU such an id is a device assertion without a name, at the first row that holds it.
    """
    rows, ids = model.get_input_embeddings().weight.shape[0], len(tokenizer)
    if ids > rows:
        message = (
            f"the tokenizer has {ids:,} tokens but the model has embeddings for {rows:,}: "
            "they do not belong together, or tokens were added to the tokenizer alone"
        )
        raise RunStopped([Problem("FT714", message)])
