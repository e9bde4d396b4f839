"""Spec to diagnostics: what fields mean together.  One rule, one function, one code."""
