"""Interactions of two factors."""
