"""Principal components."""
