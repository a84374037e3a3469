"""Outliers over all conditions and responses."""
