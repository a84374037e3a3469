"""Ranks of the alternatives."""
