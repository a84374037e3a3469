"""Mixes of algorithms while one replaces another: the study `deployment-mix`."""
