"""Why a command does not do what its arguments ask."""

from __future__ import annotations


class Refusal(Exception):
    """A command cannot do what its arguments ask; printed after `ftc: `, exit code 2."""
