"""Scorecards: what was published, what was measured, and a verdict that a rule decides.

A claim is one published number or finding with its place in the source and the rule that judges
it. Rules see nothing but named figures of a study, so the same figures always get the same
verdict.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal, get_args

import polars as pl

from mesonet.studies.chance import undecided
from mesonet.studies.rules import Figures, Rule
from mesonet.tables import result_version

Verdict = Literal["agrees", "disagrees", "fitted", "not computable", "undecided at this size"]
"""Verdict of a rule.

`fitted` agrees, but a parameter was chosen so that it does: no evidence. `undecided at this size`:
the interval over the replicates has both agreement and disagreement in it.
"""

Standing = Literal["decidable", "undecidable", "live network", "slip"]
"""Weight of a verdict on a claim.

`decidable`: runs can decide it. `undecidable`: it hangs on something that the source does not
print. `live network`: it was measured on a network whose other traffic nobody knows. `slip`: the
source contradicts itself there. It goes by the source alone and never by the verdict.
"""


@dataclass(frozen=True)
class Claim:
    """One published number or finding.

    Attributes:
        id: Unique in its study, stable: committed verdicts are found by it.
        text: Statement of the source, in our words.
        published: The printed number or word.
        source: Place where it is printed.
        rule: Rule that decides.
        fitted: True if a parameter was chosen so that this comes out.
        explanation: Our best explanation of a difference; every claim that disagrees has one.
        standing: Weight of a verdict on it.
        reason: Reason why it is not decidable.
        place: File and entry of its rule; empty if it is not written in a file.
    """

    id: str
    text: str
    published: str
    source: str
    rule: Rule
    fitted: bool = False
    explanation: str = ""
    standing: Standing = "decidable"
    reason: str = ""
    place: str = ""


@dataclass(frozen=True)
class ScoredClaim:
    """A claim and its verdict."""

    claim: Claim
    measured: str
    verdict: Verdict


@dataclass(frozen=True)
class Scorecard:
    """The claims of a study beside what it measured.

    Attributes:
        study: Name of the study.
        size: Name of the size.
        entries: Claims with their verdicts.
        variants: Verdicts under each variant, by its id and the id of the claim.
    """

    study: str
    size: str
    entries: tuple[ScoredClaim, ...]
    variants: Mapping[str, Mapping[str, Verdict]] = field(default_factory=dict)

    def counts(self) -> dict[Verdict, int]:
        """Number of claims by verdict, every verdict named."""
        counter = Counter(entry.verdict for entry in self.entries)
        return {verdict: counter[verdict] for verdict in get_args(Verdict)}

    def by_standing(self) -> dict[Standing, tuple[int, int]]:
        """Claims that agree, and claims that agree or disagree, by their standing."""
        pairs: dict[Standing, tuple[int, int]] = {}
        for entry in self.entries:
            if entry.verdict in ("agrees", "disagrees"):
                agree, scored = pairs.get(entry.claim.standing, (0, 0))
                pairs[entry.claim.standing] = (agree + (entry.verdict == "agrees"), scored + 1)
        return pairs

    @property
    def scored(self) -> int:
        """Claims that count: those that agree or disagree."""
        counts = self.counts()
        return counts["agrees"] + counts["disagrees"]

    def _repr_html_(self) -> str:
        """The verdicts counted, and the claims, in a notebook."""
        counts = ", ".join(f"{number} {verdict}" for verdict, number in self.counts().items())
        said = escape(f"{self.study}, size {self.size}: {counts}.")
        return f"<p>{said}</p>{self.to_frame()._repr_html_()}"

    def to_frame(self) -> pl.DataFrame:
        """One row per claim: its words, what was measured, the verdict and what it can say."""
        columns = {
            "id": [entry.claim.id for entry in self.entries],
            "claim": [entry.claim.text for entry in self.entries],
            "source": [entry.claim.source for entry in self.entries],
            "published": [entry.claim.published for entry in self.entries],
            "rule": [entry.claim.rule.words for entry in self.entries],
            "measured": [entry.measured for entry in self.entries],
            "verdict": [entry.verdict for entry in self.entries],
            "account": [entry.claim.explanation for entry in self.entries],
            "standing": [entry.claim.standing for entry in self.entries],
            "reason": [entry.claim.reason for entry in self.entries],
        }
        return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))

    def to_dict(self) -> dict[str, Any]:
        """Plain data, to be kept beside the code and compared with later runs."""
        return {
            "study": self.study,
            "size": self.size,
            "result_version": result_version(),
            "claims": self.to_frame().to_dicts(),
            "variants": {name: dict(verdicts) for name, verdicts in self.variants.items()},
        }


def score(
    study: str,
    size: str,
    claims: Iterable[Claim],
    figures: Figures,
    without: Sequence[Figures] = (),
) -> Scorecard:
    """Judges every claim by the figures of a study.

    A claim is not computable if its rule says so or a figure it needs is NaN. `without` has the
    figures without each of the replicates; nothing is said of chance without them.
    """
    return Scorecard(study, size, tuple(_judge(claim, figures, without) for claim in claims))


def _judge(claim: Claim, figures: Figures, without: Sequence[Figures]) -> ScoredClaim:
    needs = claim.rule.needs
    measured = claim.rule.measured(figures)
    if not needs or any(math.isnan(figures[name]) for name in needs):
        return ScoredClaim(claim, measured, "not computable")
    if not claim.fitted and (chance := undecided(claim.rule, figures, without)):
        return ScoredClaim(claim, f"{measured}; {chance}", "undecided at this size")
    if not claim.rule.holds(figures):
        return ScoredClaim(claim, measured, "disagrees")
    return ScoredClaim(claim, measured, "fitted" if claim.fitted else "agrees")
