"""Congestion over the network."""
