"""A byte-level tokenizer and small templates of the usual kinds, written for these tests."""

from collections.abc import Sequence
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

SPECIAL = (
    "<s>",
    "</s>",
    "<|im_start|>",
    "<|im_end|>",
    "<|begin_of_text|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eot_id|>",
    "[INST]",
    "[/INST]",
    "[TOOL_CALLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "<|user|>",
    "<|assistant|>",
)
NOT_SPECIAL = ("<think>", "</think>", "<tool_call>", "</tool_call>")

CHATML = """\
{%- if messages[0].role != 'system' %}
{{- '<|im_start|>system\\nBe useful.<|im_end|>\\n' }}{% endif %}
{%- for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content }}
{%- for c in m.tool_calls or [] %}
{{- '<tool_call>\\n{"name": "' + c.function.name + '", "arguments": ' }}
{{- (c.function.arguments | tojson) + '}\\n</tool_call>' }}
{%- endfor %}{{ '<|im_end|>\\n' }}{% endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"""

LLAMA3 = """\
{{- bos_token }}{% for m in messages %}
{{- '<|start_header_id|>' + m.role + '<|end_header_id|>\\n\\n' }}
{{- (m.content | trim) + '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}"""

# Moves the system text into the last user turn, knows no generation prompt, demands call ids.
MISTRAL = """\
{%- set ns = namespace(system='', last=0) %}
{%- for m in messages %}
{%- if m.role == 'system' %}{% set ns.system = m.content + '\\n\\n' %}{% endif %}
{%- if m.role == 'user' %}{% set ns.last = loop.index0 %}{% endif %}{% endfor %}
{{- bos_token }}{% for m in messages %}
{%- if m.role == 'user' %}
{{- '[INST] ' + (ns.system if loop.index0 == ns.last else '') + m.content + '[/INST]' }}
{%- elif m.role == 'assistant' and m.tool_calls %}{{ '[TOOL_CALLS] [' }}
{%- for c in m.tool_calls %}{% if c.id | length != 9 %}{{ raise_exception('bad id') }}{% endif %}
{{- '{"name": "' + c.function.name + '", "arguments": ' + (c.function.arguments | tojson) }}
{{- ', "id": "' + c.id + '"}' }}{% endfor %}{{ ']' + eos_token }}
{%- elif m.role == 'assistant' %}{{ ' ' + m.content + eos_token }}
{%- elif m.role == 'tool' %}
{{- '[TOOL_RESULTS] ' + m.content + ' ' + m.tool_call_id + '[/TOOL_RESULTS]' }}
{%- endif %}{% endfor %}"""

# Writes thoughts of the live turn only, and an empty block where there are none.
THINK = """\
{%- set ns = namespace(last=0) %}
{%- for m in messages %}
{%- if m.role == 'user' %}{% set ns.last = loop.index0 %}{% endif %}{% endfor %}
{%- for m in messages %}{{ '<|im_start|>' + m.role + '\\n' }}
{%- set text = m.content %}{% set thought = m.reasoning_content or '' %}
{%- if '</think>' in text %}
{%- set thought = text.split('</think>')[0].split('<think>')[-1].strip('\\n') %}
{%- set text = text.split('</think>')[-1].lstrip('\\n') %}{% endif %}
{%- if m.role == 'assistant' and loop.index0 > ns.last %}
{{- '<think>\\n' + thought + '\\n</think>\\n\\n' }}{% endif %}
{{- text + '<|im_end|>\\n' }}{% endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"""


def toy_tokenizer(
    template: str | None,
    eos: str = "<|im_end|>",
    bos: str | None = None,
    special: Sequence[str] = SPECIAL,
) -> Any:
    """One id per byte and one per added token; nothing is merged, so ids can be read."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({c: i for i, c in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in special])
    plain = [t for t in NOT_SPECIAL if t not in special]
    tokenizer.add_tokens([AddedToken(t, special=False, normalized=False) for t in plain])
    if bos is not None:  # as Llama's does: plain encoding would put a second one in front
        ids = [(bos, tokenizer.token_to_id(bos))]
        tokenizer.post_processor = processors.TemplateProcessing(f"{bos} $A", special_tokens=ids)
    made = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=eos, bos_token=bos)
    made.chat_template = template
    made.name_or_path = "toy/model"
    return made


def chatml() -> Any:
    return toy_tokenizer(CHATML)


def llama3() -> Any:
    return toy_tokenizer(LLAMA3, eos="<|eot_id|>", bos="<|begin_of_text|>")


def mistral() -> Any:
    return toy_tokenizer(MISTRAL, eos="</s>", bos="<s>")


def think() -> Any:
    return toy_tokenizer(THINK)


def trained_runs(tokenizer: Any, ids: Sequence[int], labels: Sequence[int]) -> list[str]:
    """The decoded runs of tokens that carry a label, found here and not with the runtime's code."""
    runs: list[list[int]] = [[]]
    for token, label in zip(ids, labels, strict=True):
        if label != -100:
            assert label == token
            runs[-1].append(token)
        elif runs[-1]:
            runs.append([])
    return [tokenizer.decode(run, clean_up_tokenization_spaces=False) for run in runs if run]
