"""Fixtures for the whole suite."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite what goldens expect")


def shared_path(relative: str) -> Path:
    """A file or folder of the shared data, which is not part of the project.

    It is looked for in `../shared` beside the checkout and the test is skipped without it; the
    environment's FTC_SHARED=DIR names another folder and makes a missing file a failure.
    """
    named = os.environ.get("FTC_SHARED")
    path = (Path(named) if named else ROOT.parent / "shared") / relative
    if not path.exists():
        if named:
            pytest.fail(f"FTC_SHARED={named} has no {relative}")
        pytest.skip(f"no shared data: {path}")
    return path


@pytest.fixture
def shared() -> Callable[[str], Path]:
    """`shared("design/…")` is the path of shared data, or skips the test."""
    return shared_path
