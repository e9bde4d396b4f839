"""Spec to Plan: exactly what will be emitted, in the libraries' words, every number derived."""
