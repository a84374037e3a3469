"""Alternatives that respond alike."""
