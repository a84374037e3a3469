"""New flows beside standard ones."""
