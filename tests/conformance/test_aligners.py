"""Rows of each format → the one message schema, and each reason for which a row is refused."""

from collections.abc import Callable
from typing import Any

import pytest
from ftruntime.aligners import alpaca, messages, prompt_completion, sharegpt, standard
from ftruntime.conversations import Conversation
from ftruntime.loaders import Row
from ftruntime.stops import Problem, RunStopped

U = {"role": "user", "content": "q"}
A = {"role": "assistant", "content": "a"}
CALL = {"name": "f", "arguments": {"n": 1}}


def rows_of(*data: Any) -> list[Row]:
    return [Row(value, "rows.jsonl", index) for index, value in enumerate(data)]


def one(found: list[Conversation]) -> list[dict[str, Any]]:
    (conversation,) = found
    return conversation.messages


def problems_of(call: Callable[[], Any]) -> list[Problem]:
    with pytest.raises(RunStopped) as stopped:
        call()
    return stopped.value.problems


def test_alpaca_joins_the_input_with_a_line_feed_and_changes_nothing() -> None:
    row = {"instruction": " Add. ", "input": "1 2\n", "output": "\n 3 "}
    assert one(alpaca(rows_of(row))) == [
        {"role": "user", "content": " Add. \n1 2\n"},
        {"role": "assistant", "content": "\n 3 "},
    ]


def test_alpaca_whose_rows_have_no_input() -> None:
    row = {"instruction": "q", "input": "never read", "output": "a"}
    assert one(alpaca(rows_of(row), input=None)) == [U, A]


@pytest.mark.parametrize("value", [{}, {"input": ""}, {"input": None}])
def test_alpaca_without_input(value: dict[str, Any]) -> None:
    assert one(alpaca(rows_of({"instruction": "q", "output": "a", **value}))) == [U, A]


def test_alpaca_system_and_history() -> None:
    row = {"instruction": "q", "output": "a", "s": "Be brief.", "h": [["q0", "a0"]]}
    assert one(alpaca(rows_of(row), system="s", history="h")) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "q0"},
        {"role": "assistant", "content": "a0"},
        U,
        A,
    ]


def test_a_system_column_that_would_vanish_is_refused() -> None:
    row = {"instruction": "q", "output": "a", "system": "Be brief."}
    (found,) = problems_of(lambda: alpaca(rows_of(row)))
    assert "`system` holds text that would not be used" in found.message
    for call in (messages, prompt_completion):
        row = {"messages": [U, A], "prompt": "q", "completion": "a", "system": "Be brief."}
        (found,) = problems_of(lambda call=call, row=row: call(rows_of(row)))
        assert "`system` holds text that would not be used: make it the first" in found.message


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"instruction": "q", "output": ""}, "`output` is empty"),
        ({"instruction": "q", "output": " \n"}, "`output` is empty"),
        ({"instruction": "q", "output": None}, "`output` is null"),
        ({"instruction": "q", "output": 3}, "`output` is a number, not a text"),
        ({"instruction": "q", "output": "\ud83d"}, "`output` holds half of a surrogate pair"),
        ({"instruction": "", "output": "a"}, "`instruction` is empty"),
        ({"instruction": "q"}, "has no `output`; it has instruction"),
        ({"instruction": "q", "output": "a", "images": ["x.png"]}, "`images` holds media"),
        ("text", "the row is a text, not an object with columns"),
    ],
)
def test_bad_alpaca_rows(row: Any, says: str) -> None:
    good = {"instruction": "q", "output": "a"}
    (found,) = problems_of(lambda: alpaca(rows_of(good, row)))
    assert (found.code, found.file, found.row) == ("FT701", "rows.jsonl", 1)
    assert found.message.startswith(says)


def test_all_bad_rows_are_collected() -> None:
    good = {"instruction": "q", "output": "a"}
    bad = {"instruction": "q", "output": ""}
    with pytest.raises(RunStopped) as stopped:
        alpaca(rows_of(*([good, bad] * 8)))
    assert [problem.row for problem in stopped.value.problems] == [1, 3, 5, 7, 9, 11, 13, 15]
    assert str(stopped.value.code).startswith("8 of 16 rows cannot be used; nothing was trained:")


def test_sharegpt_maps_roles_and_calls() -> None:
    row = {
        "conversations": [
            {"from": "system", "value": "s"},
            {"from": "human", "value": "q"},
            {"from": "function_call", "value": '{"name": "f", "arguments": {"n": 1}}'},
            {"from": "observation", "value": "2"},
            {"from": "gpt", "value": "a"},
        ],
        "tools": '[{"name": "f", "parameters": {}}]',
    }
    (found,) = sharegpt(rows_of(row))
    assert [message["role"] for message in found.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    (call,) = found.messages[2]["tool_calls"]
    assert call["function"] == CALL
    assert found.messages[2]["content"] == ""
    assert found.messages[3]["tool_call_id"] == call["id"]
    assert len(call["id"]) == 9 and call["id"].isalnum()
    assert found.tools == [{"type": "function", "function": {"name": "f", "parameters": {}}}]
    assert found == sharegpt(rows_of(row))[0], "ids are the same each time"


def test_sharegpt_roles_given_are_the_only_names_for_their_targets() -> None:
    turns = [{"from": "user", "value": "q"}, {"from": "assistant", "value": "a"}]
    assert one(sharegpt(rows_of({"conversations": turns}))) == [U, A]
    given = {"human": "user", "gpt": "assistant"}
    (found,) = problems_of(lambda: sharegpt(rows_of({"conversations": turns}), roles=given))
    assert found.message.startswith("message 0 has the role 'user'; the roles are ")
    assert "human" in found.message


def test_openai_messages_with_parts_reasoning_and_calls() -> None:
    row = {
        "messages": [
            {"role": "developer", "content": [{"type": "text", "text": "s"}]},
            {"role": "user", "content": [{"type": "text", "value": "q1 "}, "q2"]},
            {
                "role": "assistant",
                "content": [
                    {"type": "reasoning", "value": "hm"},
                    {"type": "tool_call", "value": '{"name": "f", "arguments": "{\\"n\\": 1}"}'},
                ],
            },
            {"role": "tool", "content": "2"},
            {"role": "assistant", "content": "a", "thinking": "so"},
        ]
    }
    system, user, call, result, answer = one(messages(rows_of(row)))
    assert system == {"role": "system", "content": "s"}
    assert user == {"role": "user", "content": "q1 q2"}
    assert (call["content"], call["reasoning_content"]) == ("", "hm")
    assert call["tool_calls"][0]["function"] == CALL
    assert result["tool_call_id"] == call["tool_calls"][0]["id"]
    assert answer == {"role": "assistant", "content": "a", "reasoning_content": "so"}


def test_ids_of_parallel_calls_pair_with_their_results() -> None:
    calls = [{"id": "idnumber1", "function": CALL}, {"function": CALL}]
    row = [
        U,
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "content": "1"},
        {"role": "tool", "content": "2"},
        A,
    ]
    found = one(messages(rows_of(row)))
    ids = [call["id"] for call in found[1]["tool_calls"]]
    assert ids[0] == "idnumber1" and len(set(ids)) == 2
    assert [found[2]["tool_call_id"], found[3]["tool_call_id"]] == ids


def test_flags_that_agree_are_accepted() -> None:
    row = [{**U, "loss_weight": 0.0}, {**A, "loss_weight": 1.0, "train": True, "weight": None}]
    assert one(messages(rows_of(row))) == [U, A]


@pytest.mark.parametrize(
    ("turns", "says"),
    [
        ([U, {**A, "loss": False}], "message 1 says loss = false, but every assistant turn"),
        ([U, {**A, "weight": 0.5}], "message 1 says weight = 0.5, but every assistant turn"),
        ([{**U, "train": 1}, A], "message 0 says train = 1, but a user turn is never trained"),
        ([U], "has no assistant turn"),
        ([A, U, A], "message 0 (assistant) comes before any user turn"),
        ([U, A, U], "ends with a user turn (message 2), not the assistant's"),
        ([U, {"role": "tool", "content": "1"}, A], "message 1 is a tool result right after a user"),
        ([U, {"role": "critic", "content": "a"}], "message 1 has the role 'critic'; the roles are"),
        ([U, {"content": "a"}], "message 1 has no `role`; it has content"),
        ([U, {"role": "assistant"}], "message 1 (assistant): its `content` is missing"),
        (
            [U, {"role": "assistant", "content": None}],
            "message 1 (assistant): its `content` is null",
        ),
        (
            [U, {"role": "assistant", "content": " "}],
            "message 1 (assistant): its `content` is empty",
        ),
        (
            [U, {"role": "assistant", "content": {}}],
            "`message 1, content` is an object, not a text",
        ),
        ([U, "a"], "`messages`, message 1, is a text, not an object"),
        (
            [{"role": "user", "content": [{"type": "image", "image": "x"}]}, A],
            "message 0, content: a part of type 'image', and only text is trained",
        ),
        (
            [
                U,
                {
                    "role": "assistant",
                    "tool_calls": [{"function": {"name": "f", "arguments": "{"}}],
                },
            ],
            "message 1: the arguments of `f` is not JSON",
        ),
        (
            [U, {"role": "assistant", "tool_calls": [{"function": {"arguments": {}}}]}],
            "message 1: a tool call without a `name`",
        ),
    ],
)
def test_bad_messages(turns: Any, says: str) -> None:
    (found,) = problems_of(lambda: messages(rows_of({"messages": turns})))
    assert found.message.startswith(says)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (None, "`messages` is null"),
        ("hello", "`messages` is a text, not a list of messages"),
        ([], "`messages` is an empty list"),
    ],
)
def test_columns_that_are_no_messages(value: Any, says: str) -> None:
    (found,) = problems_of(lambda: messages(rows_of({"messages": [U, A]}, {"messages": value})))
    assert (found.row, found.message) == (1, says)


def test_a_wrong_column_is_one_problem_that_names_the_format() -> None:
    rows = rows_of(*[{"id": 1, "conversations": [{"from": "human", "value": "q"}]}] * 9)
    (found,) = problems_of(lambda: messages(rows))
    assert found.message == (
        "no row has the column `messages` of format messages; the columns are `conversations`, "
        "`id`. They look like format sharegpt"
    )


def test_prompt_completion_of_texts_and_of_messages() -> None:
    assert one(prompt_completion(rows_of({"prompt": "q", "completion": "a"}))) == [U, A]
    (found,) = prompt_completion(rows_of({"prompt": [U, A, U], "completion": [A]}))
    assert found.messages == [U, A, U, A]
    assert found.context == 3, "the assistant turn of the prompt is not trained"


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ({"instruction": "q", "input": "", "output": "a", "id": 7}, [U, A]),
        ({"messages": [U, A], "metadata": {}}, [U, A]),
        (
            {"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]},
            [U, A],
        ),
        ({"prompt": "q", "completion": "a"}, [U, A]),
        ({"conversations": [U, A]}, [U, A]),
        ({"messages": [U, A], "system": ""}, [U, A]),
        ([U, A], [U, A]),
    ],
)
def test_standard_takes_the_format_from_the_columns(
    row: Any, found: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert one(standard(rows_of(row))) == found
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith("format: ") and said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (
            [{"question": "q", "answer": "a"}],
            "the format of the rows is not clear from their columns",
        ),
        (
            [{"text": "t"}],
            "the format of the rows is not clear from their columns (text); it looks",
        ),
        (
            [{"messages": [U, A], "instruction": "q", "output": "a"}],
            "the format of the rows is not",
        ),
        (
            [{"messages": [U, A]}, {"prompt": "q", "completion": "a"}],
            "the rows are of several formats",
        ),
        ([{"messages": [U, A], "label": True}], "the columns label belong to another method"),
    ],
)
def test_standard_refuses_doubt(rows: list[Any], says: str) -> None:
    (found,) = problems_of(lambda: standard(rows_of(*rows)))
    assert found.message.startswith(says)


def test_tools_of_each_row_stay_as_they_are() -> None:
    city = {"type": "function", "function": {"name": "f", "parameters": {"default": None}}}
    rows = rows_of({"messages": [U, A], "tools": [city]}, {"messages": [U, A], "tools": []})
    assert [conversation.tools for conversation in messages(rows)] == [[city], None]
