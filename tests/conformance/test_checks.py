"""The last check before weights load: each way in which a data set must not train."""

from typing import Any

import pytest
from datasets import Dataset
from ftruntime.checks import check_datasets
from ftruntime.conversations import Conversation
from ftruntime.stops import RunStopped
from ftruntime.tokenize import tokenize

from tests.conformance import toy

TOKENIZER = toy.chatml()
END = TOKENIZER.convert_tokens_to_ids("<|im_end|>")


def rows(*pairs: tuple[list[int], list[int]]) -> Dataset:
    return Dataset.from_dict(
        {"input_ids": [ids for ids, _ in pairs], "labels": [labels for _, labels in pairs]}
    )


GOOD = ([5, 6, END, 7], [-100, 6, END, -100])


def test_good_data_sets_pass_also_as_views_and_packed() -> None:
    chat = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    made = tokenize([Conversation(chat, None, "", n) for n in range(3)], TOKENIZER, max_length=None)
    check_datasets({"train": made, "eval": made.shuffle(seed=1).select([2, 0])}, TOKENIZER)
    ids, labels = GOOD
    packed = rows((ids + ids, labels + labels)).add_column("seq_lengths", [[4, 4]])
    check_datasets({"train": packed}, TOKENIZER)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (([5, END], [-100, -100]), "no token is trained"),
        (([5, END], [-100, 5]), "a label that is not the token at its place"),
        (([5, 6], [-100, 6]), "a trained turn without its end token"),
        (([5, 6, END, 7, 8], [5, -100, END, -100, -100]), "a trained turn without its end token"),
        (([5, len(TOKENIZER), END], [-100, -100, END]), "a token id outside the vocabulary of"),
        (([5, -1, END], [-100, -100, END]), "a token id outside the vocabulary of"),
        (([5, 6, END], [6, END]), "`labels` and `input_ids` differ in length"),
    ],
)
def test_bad_rows_are_named(row: Any, says: str) -> None:
    with pytest.raises(RunStopped) as stopped:
        check_datasets({"train": rows(GOOD, row, GOOD)}, TOKENIZER)
    assert [p.row for p in stopped.value.problems] == [1]
    assert says in stopped.value.problems[0].message


def test_the_end_of_a_row_ends_a_run() -> None:
    with pytest.raises(RunStopped):
        check_datasets({"train": rows(([5, 6], [-100, 6]), ([END], [END]))}, TOKENIZER)


def test_empty_splits_and_missing_columns() -> None:
    with pytest.raises(RunStopped) as stopped:
        check_datasets({"train": rows(), "eval": Dataset.from_dict({"text": ["a"]})}, TOKENIZER)
    assert [p.message for p in stopped.value.problems] == [
        "`train` has no row",
        "`eval` has no column input_ids, labels",
    ]
