"""Responses as they are, and the congestion of the conditions."""
