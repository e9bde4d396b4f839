"""How much a seeded property tries: a sample in `make test`, everything in `make test-full`."""

from __future__ import annotations

import os

FULL = bool(os.environ.get("FTC_FULL"))
SEED = int(os.environ.get("FTC_SEED", "20261201"))


def tries(few: int, many: int) -> int:
    """The number of cases for this run of the suite."""
    return many if FULL else few
