"""Correlations of responses."""
