"""Conversations → `input_ids` and `labels`: assistant turns with their end token are trained.

Rendering gives exact character spans; one batched call of a fast tokenizer gives each token's
place in the text; a token is trained when it lies in a span. Every row is then checked against
its text while that is at hand.
"""

import unicodedata
from typing import Any

import numpy
import pyarrow
from datasets import Dataset

from ftruntime.conversations import Conversation
from ftruntime.marks import Refused
from ftruntime.masks import Rendered, rendered, template_of
from ftruntime.stops import Problem, RunStopped, stop_on_rows
from ftruntime.templates import tokenizer_name

CHUNK = 256
IGNORED = -100


def tokenize(
    conversations: list[Conversation], tokenizer: Any, *, max_length: int | None
) -> Dataset:
    """A data set of `input_ids` and `labels` (-100 where nothing is trained), a row a conversation.

    A token on the border of a turn is trained only if what lies outside is whitespace. No special
    token is added: the template has written them all. Raises RunStopped with every row whose
    place is not certain, whose tokens do not say its text, or that is over `max_length` tokens.
    """
    if not tokenizer.is_fast:
        message = (
            f"{tokenizer_name(tokenizer)} is a slow tokenizer and does not say where its tokens "
            "lie in the text: load the fast one"
        )
        raise RunStopped([Problem("FT703", message)])
    if not conversations:
        raise RunStopped([Problem("FT707", "there is no row to train on")])
    template = template_of(tokenizer)
    end_ids = {int(tokenizer.convert_tokens_to_ids(end)) for end in template.ends}
    problems: list[Problem] = []
    ids: list[numpy.ndarray] = []
    labels: list[numpy.ndarray] = []
    for at in range(0, len(conversations), CHUNK):
        chunk: list[tuple[Conversation, Rendered]] = []
        for conversation in conversations[at : at + CHUNK]:
            try:
                chunk.append((conversation, rendered(template, conversation)))
            except Refused as refusal:
                problems.append(_problem(refusal.code, str(refusal), conversation))
        rows = _encoded(chunk, tokenizer)
        reasons = _mismatches(chunk, rows, tokenizer, end_ids)
        for (conversation, _), (row, trained), reason in zip(chunk, rows, reasons, strict=True):
            if reason:
                problems.append(_problem("FT706", reason, conversation))
            elif max_length is not None and len(row) > max_length:
                message = f"{len(row)} tokens, and `data.max_length` is {max_length}: raise it"
                problems.append(_problem("FT705", message, conversation))
            else:
                ids.append(row)
                labels.append(numpy.where(trained, row, IGNORED).astype(numpy.int32))
    places = [(conversation.file, conversation.row) for conversation in conversations]
    stop_on_rows(problems, places, "cannot be trained on")
    return Dataset(pyarrow.table({"input_ids": _lists(ids), "labels": _lists(labels)}))


def _encoded(
    chunk: list[tuple[Conversation, Rendered]], tokenizer: Any
) -> list[tuple[numpy.ndarray, numpy.ndarray]]:
    """Ids int32 [tokens] and trained bool [tokens] of each row, in one call of the tokenizer."""
    if not chunk:
        return []
    texts = [text.text for _, text in chunk]
    encoded = tokenizer(texts, add_special_tokens=False, return_offsets_mapping=True)
    rows = []
    for (_, text), ids, offsets in zip(
        chunk, encoded["input_ids"], encoded["offset_mapping"], strict=True
    ):
        places = numpy.asarray(offsets, dtype=numpy.int64).reshape(-1, 2)
        rows.append((numpy.asarray(ids, dtype=numpy.int32), trained_tokens(text, places)))
    return rows


def trained_tokens(text: Rendered, offsets: numpy.ndarray) -> numpy.ndarray:
    """Which tokens are trained: bool [tokens], from their [start, end) offsets [tokens, 2].

    Some tokenizers leave whitespace out of their offsets, down to nothing for a token that is all
    whitespace; such an empty one at p stands for whitespace before p.
    """
    starts, ends = offsets[:, 0], offsets[:, 1]
    trained = numpy.zeros(len(offsets), dtype=bool)
    for start, end in text.spans:
        empty = starts == ends
        trained |= ~empty & (starts >= start) & (ends <= end)
        trained |= empty & (ends > start) & (ends <= end)
        over = ~empty & (starts < end) & (ends > start) & ((starts < start) | (ends > end))
        for token in numpy.flatnonzero(over):
            outside = text.text[starts[token] : start] + text.text[end : ends[token]]
            trained[token] = not outside.strip()
    return trained


def _mismatches(
    chunk: list[tuple[Conversation, Rendered]],
    rows: list[tuple[numpy.ndarray, numpy.ndarray]],
    tokenizer: Any,
    end_ids: set[int],
) -> list[str]:
    """For each row, why its trained tokens are not its turns with their end tokens, or nothing."""
    runs = [_runs(trained) for _, trained in rows]
    pairs = list(zip(rows, runs, strict=True))
    decoded = iter(
        tokenizer.batch_decode(
            [row_ids[a:b] for (row_ids, _), found in pairs for a, b in found],
            skip_special_tokens=False,
            clean_up_tokenization_spaces=False,
        )
    )
    reasons = []
    for (_, text), ((row_ids, _), found) in zip(chunk, pairs, strict=True):
        said = [next(decoded) for _ in found]
        meant = [text.text[start:end] for start, end in _joined(text.spans)]
        reason = ""
        if not found:
            reason = "no token of the row is trained"
        elif len(said) != len(meant):
            reason = f"{len(meant)} turns became {len(said)} runs of trained tokens"
        else:
            for (_, b), one, other in zip(found, said, meant, strict=True):
                if int(row_ids[b - 1]) not in end_ids:
                    reason = f"a turn is trained without its end token: …{one[-40:]!r}"
                elif not _same(one, other, tokenizer):
                    reason = f"the trained tokens say {_excerpt(one, other)}"
        reasons.append(reason)
    return reasons


def _runs(trained: numpy.ndarray) -> list[tuple[int, int]]:
    """[start, end) of each run of True."""
    edges = numpy.flatnonzero(numpy.diff(numpy.concatenate(([0], trained.view(numpy.int8), [0]))))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Turns that follow each other without a character between make one run of tokens."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _same(one: str, other: str, tokenizer: Any) -> bool:
    """Whether two texts are equal up to surrounding whitespace and the tokenizer's normalizer."""
    if one.strip() == other.strip():
        return True
    normalizer = tokenizer.backend_tokenizer.normalizer
    forms = [one, other]
    if normalizer is not None:
        forms = [normalizer.normalize_str(form.strip()) for form in forms]
    one, other = (unicodedata.normalize("NFC", form) for form in forms)
    return one.strip() == other.strip()


def _excerpt(one: str, other: str) -> str:
    """The place where two texts part, from both."""
    pairs = enumerate(zip(one, other, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))
    at = max(0, at - 20)
    return f"{one[at : at + 60]!r} where the text is {other[at : at + 60]!r}"


def _problem(code: str, message: str, conversation: Conversation) -> Problem:
    return Problem(code, message, conversation.file, conversation.row)


def _lists(rows: list[numpy.ndarray]) -> pyarrow.ListArray:
    ends = numpy.cumsum([0] + [len(row) for row in rows], dtype=numpy.int64)
    values = numpy.concatenate(rows) if rows else numpy.zeros(0, dtype=numpy.int32)
    if ends[-1] >= 2**31:
        return pyarrow.LargeListArray.from_arrays(ends, values)
    return pyarrow.ListArray.from_arrays(ends.astype(numpy.int32), values)
