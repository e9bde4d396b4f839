"""Which tokenizers can train, and what closes a turn under each template."""

import hashlib

import pytest
from ftruntime.stops import RunStopped
from ftruntime.templates import (
    set_up_tokenizer,
    template_name,
    template_sha256,
    turn_end_ids,
    turn_ends,
)

from tests.conformance import toy


def refusal(template: str | None, **options: str) -> str:
    with pytest.raises(RunStopped) as stopped:
        set_up_tokenizer(toy.toy_tokenizer(template, **options))
    assert [problem.code for problem in stopped.value.problems] == ["FT703"]
    return str(stopped.value.code)


def test_ends_of_turns() -> None:
    assert turn_ends(toy.chatml()) == ("<|im_end|>",)
    assert turn_ends(toy.llama3()) == ("<|eot_id|>",)
    assert turn_ends(toy.mistral()) == ("</s>",)
    tokenizer = toy.chatml()
    assert tokenizer.convert_ids_to_tokens(turn_end_ids(tokenizer)) == ["<|im_end|>"]


def test_end_of_the_last_turn_that_differs() -> None:
    """Some templates end the live turn with another token than the turns of the history."""
    template = toy.CHATML.replace(
        "{{ '<|im_end|>\\n' }}",
        "{{ '</s>' if loop.last and m.role == 'assistant' else '<|im_end|>\\n' }}",
    )
    assert template != toy.CHATML
    assert turn_ends(toy.toy_tokenizer(template, eos="</s>")) == ("</s>", "<|im_end|>")


def test_a_token_that_opens_the_next_turn_is_no_end() -> None:
    template = (
        "{% for m in messages %}{{ '<|' + m.role + '|>\\n' + m.content + '\\n' }}{% endfor %}"
        "{{ '<|assistant|>\\n' }}"
    )
    assert turn_ends(toy.toy_tokenizer(template)) == ()
    assert "never closes an assistant turn" in refusal(template)


def test_a_token_that_opens_a_users_turn_is_no_end() -> None:
    """As GLM's <|user|>: after an answer of the history, but not after a user's text."""
    template = (
        "{% for m in messages %}{{ '<|' + m.role + '|>\\n' + m.content }}{% endfor %}"
        "{{ eos_token if messages[-1].role == 'assistant' }}"
    )
    assert turn_ends(toy.toy_tokenizer(template)) == ("<|im_end|>",)


def test_pad_token_is_set_only_when_missing() -> None:
    tokenizer = set_up_tokenizer(toy.chatml())
    assert tokenizer.pad_token == "<|im_end|>"
    tokenizer.pad_token = "<s>"
    assert set_up_tokenizer(tokenizer).pad_token == "<s>"


def test_refused_tokenizers() -> None:
    assert refusal(None).startswith("toy/model has no chat template, so chat rows cannot")
    assert "never closes an assistant turn" in refusal(
        "{% for m in messages %}{{ m.role + ': ' + m.content + '\\n' }}{% endfor %}"
    )
    said = refusal("{{ raise_exception('not today') }}")
    assert "cannot render a question and its answer: not today" in said


def test_names_carry_the_digest() -> None:
    tokenizer = toy.chatml()
    digest = hashlib.sha256(toy.CHATML.encode()).hexdigest()
    assert template_sha256(tokenizer) == digest
    assert template_name(tokenizer) == f"toy/model (sha256 {digest[:8]})"
