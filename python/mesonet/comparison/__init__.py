"""Comparisons of algorithms over one bottleneck, in seconds: `mesonet.compare("cubic", "bbr3")`."""

from mesonet.comparison.question import Condition, Match, Question
from mesonet.comparison.result import Comparison, compare

__all__ = ["Comparison", "Condition", "Match", "Question", "compare"]
