"""Resolved tree to Spec: fields, units, kinds; everything typed, complete and frozen."""
