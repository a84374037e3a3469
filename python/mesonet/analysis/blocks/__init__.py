"""Differences within blocks of conditions."""
