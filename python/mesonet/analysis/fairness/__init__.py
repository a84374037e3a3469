"""Harm and impact."""
