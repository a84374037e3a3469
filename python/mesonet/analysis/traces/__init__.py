"""Runs over time."""
