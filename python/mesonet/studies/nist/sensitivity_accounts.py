"""Why claims of the sensitivity analysis disagree at desk size, as far as we know."""

from __future__ import annotations

from collections.abc import Mapping

ACCOUNTS: Mapping[str, str] = {}
"""Paragraphs by the id of the claim."""
