"""Values as other languages write them, and how they are written here."""

from __future__ import annotations

# What other languages write for these values, and what a spec writes.  Such a word parses as any
# other; whoever reads a field's value may say what it should have been.
FOREIGN_VALUES: dict[str, str] = {
    "True": "true",
    "TRUE": "true",
    "yes": "true",
    "Yes": "true",
    "on": "true",
    "On": "true",
    "False": "false",
    "FALSE": "false",
    "no": "false",
    "No": "false",
    "off": "false",
    "Off": "false",
    "None": "none",
    "NONE": "none",
    "null": "none",
    "Null": "none",
    "nil": "none",
    "undefined": "none",
}
