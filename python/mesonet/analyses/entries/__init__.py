"""Declarations of the analyses: a new one is one entry here."""
