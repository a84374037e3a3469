"""Ordered data and scatter of each factor."""
