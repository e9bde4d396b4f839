"""Where other people's data lies, for the tests that use it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared"


@pytest.fixture(scope="session")
def shared_path() -> Callable[[str], Path]:
    """A file or folder of the shared data; skips without it unless FTC_SHARED names it."""
    named = os.environ.get("FTC_SHARED")
    base = Path(named) if named else SHARED

    def path(relative: str) -> Path:
        found = base / relative
        if not found.exists():
            if named:
                pytest.fail(f"{found} does not exist, and FTC_SHARED says that it must")
            pytest.skip(f"{found} is not here")
        return found

    return path
