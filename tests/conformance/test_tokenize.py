"""Tokens and labels of conversations, and the rows that stop a run here."""

from typing import Any

import numpy
import pytest
from ftruntime.conversations import Conversation
from ftruntime.masks import Rendered
from ftruntime.stops import RunStopped
from ftruntime.tokenize import tokenize, trained_tokens

from tests.conformance import toy


def chat(*texts: str, row: int = 0) -> Conversation:
    roles = ("user", "assistant")
    messages = [{"role": roles[i % 2], "content": text} for i, text in enumerate(texts)]
    return Conversation(messages, None, "rows.jsonl", row)


@pytest.mark.parametrize(
    ("make", "lead", "end"),
    [(toy.chatml, "", "<|im_end|>"), (toy.llama3, "", "<|eot_id|>"), (toy.mistral, " ", "</s>")],
)
def test_exactly_the_assistant_turns_are_trained(make: Any, lead: str, end: str) -> None:
    tokenizer = make()
    rows = [
        chat("a", "b"),
        chat("Café 👩‍👩‍👧", "naïve 中文\n\n`x`", "b", "b"),
        chat("b", "a b", row=2),
    ]
    found = tokenize(rows, tokenizer, max_length=None)
    assert found.column_names == ["input_ids", "labels"]
    for conversation, row in zip(rows, found, strict=True):
        whole = tokenizer.apply_chat_template(
            conversation.messages, tokenize=True, return_dict=False
        )
        assert row["input_ids"] == whole, "the ids are the tokenizer's own, with one BOS"
        said = [m["content"] for m in conversation.messages if m["role"] == "assistant"]
        runs = toy.trained_runs(tokenizer, row["input_ids"], row["labels"])
        assert runs == [lead + text + end for text in said]


def test_many_rows_keep_their_order() -> None:
    rows = [chat(f"q{n}", f"a{n}", row=n) for n in range(600)]
    tokenizer = toy.chatml()
    found = tokenize(rows, tokenizer, max_length=None)
    runs = [toy.trained_runs(tokenizer, r["input_ids"], r["labels"]) for r in found]
    assert runs == [[f"a{n}<|im_end|>"] for n in range(600)]


def test_rows_that_are_too_long_are_all_named() -> None:
    rows = [chat("q", "a" * n, row=n) for n in range(20)]
    shortest = len(tokenize([chat("q", "a")], toy.chatml(), max_length=None)[0]["labels"])
    with pytest.raises(RunStopped) as stopped:
        tokenize(rows[1:], toy.chatml(), max_length=shortest + 16)
    assert [(p.code, p.row) for p in stopped.value.problems] == [("FT705", 18), ("FT705", 19)]
    assert stopped.value.problems[0].message == (
        f"{shortest + 17} tokens, and `data.max_length` is {shortest + 16}: raise it"
    )
    assert len(tokenize(rows[1:18], toy.chatml(), max_length=shortest + 16)) == 17


def test_refused_rows_stop_the_run_with_their_place() -> None:
    rows = [chat("q", "a"), chat("q", "say <|im_end|> now", row=1), chat("</s>", "a", row=2)]
    with pytest.raises(RunStopped) as stopped:
        tokenize(rows, toy.chatml(), max_length=None)
    assert [(p.code, p.file, p.row) for p in stopped.value.problems] == [
        ("FT708", "rows.jsonl", 1),
        ("FT708", "rows.jsonl", 2),
    ]
    assert str(stopped.value.code).startswith(
        "2 of 3 rows cannot be trained on; nothing was trained"
    )


def test_no_rows_and_a_slow_tokenizer() -> None:
    with pytest.raises(RunStopped, match="no row"):
        tokenize([], toy.chatml(), max_length=None)

    class Slow:
        is_fast = False
        name_or_path = "slow/one"

    with pytest.raises(RunStopped, match="slow/one is a slow tokenizer"):
        tokenize([chat("q", "a")], Slow(), max_length=None)


def test_tokens_on_the_border() -> None:
    """`H\\n` | `ok` | `.E` | `\\n`: whitespace may hang over a border, other text may not."""
    text = Rendered("H\nok.E\n", [(2, 6)])

    def trained(*offsets: tuple[int, int]) -> list[bool]:
        return trained_tokens(text, numpy.asarray(offsets)).tolist()

    assert trained((0, 1), (1, 2), (2, 4), (4, 6), (6, 7)) == [False, False, True, True, False]
    assert trained((0, 1), (1, 4), (4, 7)) == [False, True, True]
    assert trained((0, 4), (4, 6)) == [False, True]


def test_tokens_whose_offsets_leave_whitespace_out() -> None:
    text = Rendered("H\n  ok\n\nE", [(2, 9)])
    offsets = numpy.asarray([(0, 1), (2, 2), (4, 4), (4, 6), (8, 8), (8, 9)])
    assert trained_tokens(text, offsets).tolist() == [False, False, True, True, True, True]


def test_tokens_that_do_not_say_the_text_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check after encoding must see a mask that is wrong by one token."""
    import ftruntime.tokenize as module

    right = trained_tokens

    def shifted(text: Rendered, offsets: numpy.ndarray) -> numpy.ndarray:
        return numpy.roll(right(text, offsets), -1)

    monkeypatch.setattr(module, "trained_tokens", shifted)
    with pytest.raises(RunStopped) as stopped:
        tokenize([chat("q", "abc")], toy.chatml(), max_length=None)
    (problem,) = stopped.value.problems
    assert problem.code == "FT706" and "without its end token" in problem.message

    def wider(text: Rendered, offsets: numpy.ndarray) -> numpy.ndarray:
        mask = right(text, offsets)
        return mask | numpy.roll(mask, -2)

    monkeypatch.setattr(module, "trained_tokens", wider)
    with pytest.raises(RunStopped) as stopped:
        tokenize([chat("q", "abc")], toy.chatml(), max_length=None)
    assert stopped.value.problems[0].message.startswith("the trained tokens say ")
