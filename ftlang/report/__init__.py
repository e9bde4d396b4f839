"""Diagnostics → text: one file per format, each a pure function to `str`."""
