"""This machine: files that are written whole, memory, processor cores."""
