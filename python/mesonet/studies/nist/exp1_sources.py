"""Places in the sources of Experiment 1, and claims with their explanations.

S is the deck of slides, P the methodology paper.
"""

from __future__ import annotations

from mesonet.studies.nist.exp1_explanations import EXPLANATIONS
from mesonet.studies.rules import Rule
from mesonet.studies.scorecard import Claim

RESULTS = "P, results of Experiment 1"
CLUSTERS = "P, section 3.2.b and figure 12"
RESIDUALS = "P, section 3.2.d and figure 14"
SUMMARY = "P, figures 15 and 16"
SAFETY = 'S, slide "Safety"'
RATE = 'S, slide "Increase Rate"'
RECOVERY = 'S, slide "Loss/Recovery Processing"'
ALGORITHMS = 'S, slide "Characteristics of Individual Alternate Algorithms"'
ADVICE = 'S, slide "Recommendations"'
DOMAIN = {
    "nist-1a": 'S, slide "Domain View of Experiment #1a"',
    "nist-1b": 'S, backup slide "Experiment #1b"',
}


def claim(
    identifier: str, text: str, published: str, source: str, rule: Rule, *, fitted: bool = False
) -> Claim:
    """A claim with the explanation that belongs to its id."""
    explanation = EXPLANATIONS.get(identifier, "")
    return Claim(identifier, text, published, source, rule, fitted, explanation)
