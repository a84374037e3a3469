"""Means of responses at every level of every factor, and the fraction that each explains."""
