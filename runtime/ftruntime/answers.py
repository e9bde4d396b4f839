"""Asking a model: greedy answers through the chat template, and how two sets of them are shown."""

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from transformers import GenerationConfig, PreTrainedModel, PreTrainedTokenizerBase

from ftruntime.templates import turn_end_ids


def greedy_answers(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    questions: Sequence[str],
    system: str | None = None,
    max_new_tokens: int = 64,
) -> list[str]:
    """The model's most likely answer to each question, asked through the chat template."""
    config = GenerationConfig(
        do_sample=False,
        num_beams=1,
        max_new_tokens=max_new_tokens,
        eos_token_id=ending_token_ids(model, tokenizer),
        pad_token_id=tokenizer.pad_token_id,
        use_cache=True,
    )
    opening = [{"role": "system", "content": system}] if system else []
    answers = []
    with _undisturbed(model), torch.no_grad():
        for question in questions:
            prompt = tokenizer.apply_chat_template(
                [*opening, {"role": "user", "content": question}],
                add_generation_prompt=True,
                return_dict=True,
                return_tensors="pt",
            )
            ids, seen = prompt["input_ids"], prompt["attention_mask"]
            output = model.generate(
                input_ids=ids.to(model.device),
                attention_mask=seen.to(model.device),
                generation_config=config,
            )
            new = output[0, ids.shape[1] :]
            answers.append(tokenizer.decode(new, skip_special_tokens=True).strip())
    return answers


def ending_token_ids(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """The ids that end an answer: the base's own, and those that close an assistant turn."""
    known = model.generation_config.eos_token_id if model.generation_config else None
    ids = list(known) if isinstance(known, list) else [] if known is None else [known]
    return ids + [turn for turn in turn_end_ids(tokenizer) if turn not in ids]


def side_by_side(questions: Sequence[str], before: Sequence[str], after: Sequence[str]) -> str:
    """A text with each question and, in two columns, its answers before and after training."""
    width = (min(shutil.get_terminal_size((100, 24)).columns, 120) - 5) // 2
    lines = [f"  {'before training':<{width}} | after training"]
    for question, old, new in zip(questions, before, after, strict=True):
        left, right = textwrap.wrap(old, width - 2), textwrap.wrap(new, width - 2)
        lines += ["", question]
        for index in range(max(len(left), len(right), 1)):
            cells = [column[index] if index < len(column) else "" for column in (left, right)]
            lines.append(f"  {cells[0]:<{width}} | {cells[1]}".rstrip())
    return "\n".join(lines)


@contextmanager
def _undisturbed(model: torch.nn.Module) -> Iterator[None]:
    """Evaluation mode inside; the mode of each module and the random state as before after it."""
    training = [module for module in model.modules() if module.training]
    with torch.random.fork_rng():
        model.eval()
        try:
            yield
        finally:
            for module in training:
                module.training = True
