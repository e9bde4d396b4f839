"""Where other people's data lies, for the tests that use it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import shared_path as shared_file


@pytest.fixture(scope="session")
def shared_path() -> Callable[[str], Path]:
    """A file or folder of the shared data; skips without it unless FTC_SHARED names it."""
    return shared_file
