"""Elementary effects of a Morris design."""
