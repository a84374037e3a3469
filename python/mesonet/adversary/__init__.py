"""Searches for the condition in which an algorithm harms others most, `mesonet.search`."""

from mesonet.adversary.execution import search
from mesonet.adversary.result import Search

__all__ = ["Search", "search"]
