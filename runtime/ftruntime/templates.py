"""Tokenizers made ready for training, and what their chat template closes a turn with.

Nothing here knows a family of templates: each fact is read from a rendered probe.
"""

import hashlib
from pathlib import Path
from typing import Any

from ftruntime.stops import Problem, RunStopped

PROBE = [
    {"role": "user", "content": "ask-one"},
    {"role": "assistant", "content": "say-one"},
    {"role": "user", "content": "ask-two"},
    {"role": "assistant", "content": "say-two"},
]


def set_up_tokenizer(tokenizer: Any) -> Any:
    """The tokenizer itself, once its template is known to close what the assistant says.

    A missing pad token becomes the end token. That is harmless: labels and attention are
    masked by position, so a real end-of-text token is still trained.
    Raises RunStopped without a chat template, or with one that cannot be trained on.
    """
    name = tokenizer_name(tokenizer)
    if not tokenizer.chat_template:
        message = (
            f"{name} has no chat template, so chat rows cannot be turned into its text: take the "
            "instruct version of the model, or put the chat_template.jinja of its format into "
            "the folder of the tokenizer"
        )
        raise RunStopped([Problem("FT703", message)])
    ends = turn_ends(tokenizer)
    if not ends:
        message = (
            f"the chat template of {template_name(tokenizer)} never closes an assistant turn with "
            "a special token, so the model would never learn to stop: use a template that does"
        )
        raise RunStopped([Problem("FT703", message)])
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token or ends[0]
    return tokenizer


def turn_ends(tokenizer: Any) -> tuple[str, ...]:
    """The tokens that close an assistant turn: of the last turn, then of earlier ones if others.

    A turn's end is the first added token after the answer with only whitespace between. Before a
    next turn that token may instead open it (GLM's <|user|>), so there it only counts when the
    template closes user turns with it too. Raises RunStopped when nothing renders.
    """
    refusal: Exception | None = None
    for probe in (PROBE, PROBE[:2]):
        try:
            text = tokenizer.apply_chat_template(probe, tokenize=False)
        except Exception as error:  # a template may raise anything
            refusal = refusal or error
            continue
        after = {m["content"]: _token_after(tokenizer, text, m["content"]) for m in probe}
        last = after[probe[-1]["content"]]
        if last is None:
            return ()
        earlier = after[probe[1]["content"]]
        closes_user = after[probe[0]["content"]]
        if last != tokenizer.eos_token and (earlier != last or last == tokenizer.bos_token):
            return ()  # it opens the next turn, which some templates always write
        if earlier is not None and earlier != last and earlier == closes_user:
            return (last, earlier)
        return (last,)
    reason = " ".join(str(refusal).split())
    message = f"the chat template of {template_name(tokenizer)} cannot render a question and its"
    raise RunStopped([Problem("FT703", f"{message} answer: {reason}")])


def turn_end_ids(tokenizer: Any) -> list[int]:
    """The ids of `turn_ends`; a saved model must stop at any of them."""
    return [int(tokenizer.convert_tokens_to_ids(end)) for end in turn_ends(tokenizer)]


def added_tokens(tokenizer: Any, special_only: bool = False) -> list[str]:
    """Tokens beside the vocabulary proper, the longest first, as a template may write them."""
    added = tokenizer.added_tokens_decoder.values()
    found = {token.content for token in added if token.special or not special_only}
    return sorted(found | set(tokenizer.all_special_tokens), key=lambda t: (-len(t), t))


def template_sha256(tokenizer: Any) -> str:
    """SHA-256 of the template's text; of all of them, by name, where there are several."""
    template = tokenizer.chat_template
    if isinstance(template, dict):
        template = "\0".join(f"{key}\0{template[key]}" for key in sorted(template))
    return hashlib.sha256((template or "").encode()).hexdigest()


def template_name(tokenizer: Any) -> str:
    """How refusals name a template: the tokenizer's name and the head of the digest."""
    return f"{tokenizer_name(tokenizer)} (sha256 {template_sha256(tokenizer)[:8]})"


def tokenizer_name(tokenizer: Any) -> str:
    """A hub id as it is, or the last part of a local path."""
    name = str(getattr(tokenizer, "name_or_path", "") or "the tokenizer")
    return Path(name).name if Path(name).exists() else name


def _token_after(tokenizer: Any, text: str, content: str) -> str | None:
    at = text.rfind(content)
    if at < 0:
        return None
    rest = text[at + len(content) :].lstrip()
    return next((token for token in added_tokens(tokenizer) if rest.startswith(token)), None)
