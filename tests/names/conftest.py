"""`ftc` called in this process, as in the tests of the command line."""

from tests.cli.conftest import ftc

__all__ = ["ftc"]
