"""`ftc schema`: the JSON Schema of a resolved spec."""

from __future__ import annotations

import argparse

from ftlang.cli import terminal
from ftlang.manual import json_schema


def exit_code(arguments: argparse.Namespace) -> int:
    """Always 0."""
    terminal.put(json_schema.text())
    return 0
