"""Shared code of the Experiments 1a and 1b, and of CUBIC and BBR in them."""
