"""The digest of what a spec means: the same for two texts that resolve alike."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from ftlang.record import Record
from ftlang.schema.run import Spec

_TEXT_ONLY = ("source", "span", "origins", "declared")


def source_digest(spec: Spec) -> str:
    """The first eight hex digits of sha256 over the resolved values, without spans."""
    canonical = json.dumps(_plain(spec), sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).hexdigest()[:8]


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        given = {n: getattr(value, n) for n in value._fields if n not in _TEXT_ONLY}
        # What is absent does not count, so that a new optional field changes no old digest.
        kept = {n: _plain(v) for n, v in given.items() if v is not None and v != ()}
        return {"": type(value).__name__, **kept}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value
