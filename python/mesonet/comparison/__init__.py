"""Comparisons of algorithms over one bottleneck, in seconds: `mesonet.compare("cubic", "bbr3")`."""

from mesonet.comparison.question import Condition, Match, Question, question
from mesonet.comparison.result import Comparison, answer, compare

__all__ = ["Comparison", "Condition", "Match", "Question", "answer", "compare", "question"]
