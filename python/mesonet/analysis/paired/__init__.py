"""Differences from a baseline."""
