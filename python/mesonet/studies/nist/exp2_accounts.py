"""Our best account of what disagrees with the sources on Experiment 2."""

from __future__ import annotations

from collections.abc import Mapping

ACCOUNTS: Mapping[str, Mapping[str, str]] = {}
"""By study and claim."""
