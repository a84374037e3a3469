"""Responses that say the same."""
