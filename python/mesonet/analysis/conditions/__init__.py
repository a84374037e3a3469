"""Alternatives that stand out in a condition."""
