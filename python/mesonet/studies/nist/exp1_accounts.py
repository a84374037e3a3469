"""Our best account of differences in Experiment 1, by claim."""

from __future__ import annotations

from collections.abc import Mapping

ACCOUNTS: Mapping[str, str] = {}
