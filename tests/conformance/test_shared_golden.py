"""Hundreds of real templates × fixed conversations, against spans found by other means.

A refused row is a miss and is counted; a wrong span fails. The templates are rendered by a
tokenizer that knows nothing but their markers, since spans need no vocabulary.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import transformers.utils.chat_template_utils as chat_template_utils
from ftruntime.aligners import messages
from ftruntime.loaders import Row
from ftruntime.marks import Refused
from ftruntime.masks import Rendered, rendered, template_of
from ftruntime.stops import RunStopped
from tokenizers import AddedToken, Tokenizer, models
from transformers import PreTrainedTokenizerFast

Find = Callable[[str], Path]
SHARE_RIGHT = 0.95  # of the rows whose truth is known, complete and closed by a marker
MARKERS = re.compile(
    r"<[|｜][^|｜<>\n]{1,40}[|｜]>|</?s>|\[/?[A-Z_]{2,30}\]|<(?:start|end)_of_turn>|<turn\|>|<\|turn>"
    r"|</?think>|</?tool_call>|<end_of_utterance>|<extra_id_\d>|<SPECIAL_\d+>|<\|[a-z_]+>|<[a-z_]+\|>"
)
THOUGHTS = re.compile(r"\s*(?:</?think>|\s)*")


class Frozen(datetime):
    """The date at which the truth was rendered."""

    @classmethod
    def now(cls, tz: Any = None) -> "Frozen":
        return cls(2025, 7, 10, 12)


def json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def tokenizer_of(template: dict[str, Any], truth: list[dict[str, Any]]) -> Any:
    markers = set(MARKERS.findall(template["chat_template"]))
    markers |= {token for token in (template["bos_token"], template["eos_token"]) if token}
    for row in truth:
        if row["ok"]:
            markers |= set(MARKERS.findall(row["text"]))
            turns = row["spans"].get("assistant") or []
            markers |= {turn["eot"].strip() for turn in turns if turn.get("eot")}
    made = Tokenizer(models.WordLevel({"a": 0}, unk_token="a"))
    made.add_special_tokens([AddedToken(m, normalized=False) for m in sorted(markers) if m])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made,
        bos_token=template["bos_token"] or None,
        eos_token=template["eos_token"] or None,
    )
    tokenizer.chat_template = template["chat_template"]
    return tokenizer


def knows_all(row: dict[str, Any]) -> bool:
    """Whether the truth closes each turn and says that the template drops nothing that counts."""
    spans = row["spans"]
    turns = spans.get("assistant") or []
    last = f"a{len(turns) - 1}r"
    dropped = [part for part in spans.get("missing", []) if part[-1] != "r" or part == last]
    return spans["status"] == "ok" and not dropped and all(turn.get("eot") for turn in turns)


def difference(found: Rendered, row: dict[str, Any], eos: str | None) -> str:
    """How spans differ from the truth beyond the conventions that it accepts, or nothing."""
    turns, text = row["spans"]["assistant"], found.text
    if len(found.spans) != len(turns):
        return f"{len(found.spans)} turns, not {len(turns)}"
    for (start, end), turn in zip(found.spans, turns, strict=True):
        first, last = turn["span"]
        if turn.get("eot"):
            between = text[min(end, last) : max(end, last)].strip()
            if between not in {"", eos or "", "<|start_header_id|>"}:  # the truth reads one on
                return f"ends at {end}, not {last}"
        elif not text[last:end].strip():
            return f"ends at {end}, and the turn has no end"
        known = turn["turn"] and turn["gen_prompt_is_prefix"]
        if known and turn["turn"][0] != start:
            between = text[min(start, turn["turn"][0]) : max(start, turn["turn"][0])]
            if not THOUGHTS.fullmatch(between):
                return f"starts at {start}, not {turn['turn'][0]}"
        if start > first and not THOUGHTS.fullmatch(text[first:start]):
            return f"starts at {start}, inside the text at {first}"
        for places in row["spans"]["other"].values():
            if any(a < end and b > start for a, b in places):
                return f"[{start}, {end}) holds another's text"
    return ""


def test_no_span_is_wrong(shared_path: Find, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_template_utils, "datetime", Frozen)
    folder = shared_path("golden")
    chats = json.loads((folder / "conversations.json").read_text("utf-8"))["conversations"]
    truth = defaultdict(list)
    for row in json_lines(folder / "rendered.public.jsonl"):
        if row["conv"] not in {"gen", "gen_multi", "image"}:
            truth[row["template"]].append(row)
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for template in json_lines(folder / "templates.public.jsonl"):
        name = template["template"]
        tokenizer = tokenizer_of(template, truth[name])
        for row in truth[name]:
            complete = row["ok"] and knows_all(row)
            try:
                known = template_of(tokenizer)
                chat = chats[row["conv"]]
                data = {"messages": chat["messages"], "tools": chat.get("tools")}
                found = rendered(known, messages([Row(data, name, 0)])[0]) if known.ends else None
            except (RunStopped, Refused):
                found = None
            if found is None:
                counts["missed" if complete else "refused as it should be"] += 1
            elif not row["ok"] or found.text != row["text"]:
                # Parts and JSON arguments are given to the template in another form than the truth.
                if row["conv"] not in {"parts", "tool_strargs"}:
                    wrong.append(f"{name}, {row['conv']}: another text")
            else:
                reason = difference(found, row, template["eos_token"])
                counts["right"] += not reason
                if reason:
                    wrong.append(f"{name}, {row['conv']}: {reason}")
    assert wrong == []
    assert counts["right"] > 1900
    assert counts["right"] / (counts["right"] + counts["missed"]) >= SHARE_RIGHT
