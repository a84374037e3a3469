"""The end of the warm-up."""
