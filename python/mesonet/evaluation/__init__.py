"""Evaluations: the evidence that RFC 9743 asks for of one algorithm, `mesonet.evaluate`."""

from mesonet.evaluation.execution import evaluate
from mesonet.evaluation.result import Evaluation

__all__ = ["Evaluation", "evaluate"]
