"""Factors that matter for each response."""
