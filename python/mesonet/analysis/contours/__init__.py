"""Contours over two factors."""
