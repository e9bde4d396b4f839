"""Any text at all: its turn is trained exactly, or its row is refused; never anything between."""

import re
from typing import Any

import pytest
from ftruntime.conversations import Conversation
from ftruntime.stops import RunStopped
from ftruntime.tokenize import tokenize
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conformance import toy

TAGS = ("<b>", "</b>", "<tool_response>", "</tool_response>", "<think>", "</think>", "{{ x }}")
SPACE = (" ", "\n", "\n\n", "\t", "\u2028", "\ufeff")
WORDS = ("ok", "a", "35", "assistant", '"', "{", "\\n", "é", "e\u0301", "中", "👩\u200d👧")
PRIVATE = ("\U00100000", "\U000f0001")
CONTROL = ("<|im_end|>", "</s>", "[INST]")
PIECES = st.sampled_from((*TAGS, *SPACE, *WORDS, *PRIVATE, *CONTROL))
THOUGHTS = re.compile("</?think>")
TEXTS = st.lists(PIECES, min_size=1, max_size=6).map("".join)
TOKENIZERS: dict[str, tuple[Any, str, str]] = {
    "chatml": (toy.chatml(), "", "<|im_end|>"),
    "llama3": (toy.llama3(), "", "<|eot_id|>"),
    "mistral": (toy.mistral(), " ", "</s>"),
}


@pytest.mark.parametrize("name", TOKENIZERS)
@settings(max_examples=150, deadline=None)
@given(texts=st.lists(TEXTS, min_size=2, max_size=6).filter(lambda texts: len(texts) % 2 == 0))
def test_trained_exactly_or_refused(name: str, texts: list[str]) -> None:
    tokenizer, lead, end = TOKENIZERS[name]
    roles = ("user", "assistant")
    chat = [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]
    said = [text.strip() if name == "llama3" else text for text in texts[1::2]]
    try:
        (row,) = tokenize([Conversation(chat, None, "", 0)], tokenizer, max_length=None)
    except RunStopped:
        whole = "".join(texts)
        assert (
            not all(text.strip() for text in texts)
            or any(token in whole for token in CONTROL)
            or not all(THOUGHTS.sub("", text).strip() for text in texts[1::2])
            or all(char in whole for char in PRIVATE)  # no plane is left for marks
        )
        return
    runs = toy.trained_runs(tokenizer, row["input_ids"], row["labels"])
    assert runs == [lead + text + end for text in said]
