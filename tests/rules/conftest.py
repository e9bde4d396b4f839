"""The warm process of `tests/execute`, for rules that are compared with the libraries."""

from tests.execute.conftest import emitted, stack

__all__ = ["emitted", "stack"]
