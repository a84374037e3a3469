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
from operator import itemgetter
from statistics import fmean
from typing import Any, Literal, get_args

import polars as pl

from mesonet.numbers import plain_number
from mesonet.studies.rules import Figures, Rule
from mesonet.tables import result_version

Verdict = Literal["agrees", "disagrees", "fitted", "not computable", "undecided at this size"]
"""Verdict of a rule.

`fitted` agrees, but a parameter was chosen so that it does: no evidence. `undecided at this size`:
the interval over the replicates has both agreement and disagreement in it.
"""

Standing = Literal[
    "decidable", "undecidable", "live network", "slip",
    "input", "trivial", "repeated", "conformance",
]  # fmt: skip
"""Weight of a verdict on a claim.

`decidable`: runs can decide it. `undecidable`: it hangs on something that the source does not
print. `live network`: it was measured on a network whose other traffic nobody knows. `slip`: the
source contradicts itself there. `input`: we put in what it states. `trivial`: a constant or chance
passes its rule. `repeated`: the source says it of another experiment. `conformance`: it was
measured for this comparison and not published. It goes by source and rule, never by the verdict.
"""

_COLUMNS = (
    *("id", "claim", "source", "published", "rule", "measured", "verdict"),
    *("account", "standing", "reason"),
)
LEAST = 3
"""Replicates without which nothing is said of chance."""
OUTSIDE = 0.05
"""Share of intervals that miss the true value."""


@dataclass(frozen=True)
class Claim:
    """One published number or finding, in our words, and the rule that decides.

    Kept verdicts are found by the id. A claim is fitted if a parameter was chosen so that it comes
    out. `reason` is that of a standing, `place` the file and the entry of the rule.
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
    """The claims of a study beside what it measured at a size.

    `variants` has verdicts by the id of each variant and the id of the claim.
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
        scored = [it for it in self.entries if it.verdict in ("agrees", "disagrees")]
        all_scored = Counter(it.claim.standing for it in scored)
        agree = Counter(it.claim.standing for it in scored if it.verdict == "agrees")
        return {standing: (agree[standing], count) for standing, count in all_scored.items()}

    @property
    def scored(self) -> int:
        """Claims that count: those that agree or disagree."""
        return sum(scored for _, scored in self.by_standing().values())

    def _repr_html_(self) -> str:
        counts = ", ".join(f"{number} {verdict}" for verdict, number in self.counts().items())
        sentence = escape(f"{self.study}, size {self.size}: {counts}.")
        return f"<p>{sentence}</p>{self.to_frame()._repr_html_()}"

    def to_frame(self) -> pl.DataFrame:
        """One row per claim: its words, what was measured, the verdict and what it can say."""
        rows = [
            (
                *(entry.claim.id, entry.claim.text, entry.claim.source, entry.claim.published),
                *(entry.claim.rule.words, entry.measured, entry.verdict, entry.claim.explanation),
                *(entry.claim.standing, entry.claim.reason),
            )
            for entry in self.entries
        ]
        return pl.DataFrame(rows, schema=dict.fromkeys(_COLUMNS, pl.String), orient="row")

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
    return Scorecard(study, size, tuple(judge(claim, figures, without) for claim in claims))


def judge(claim: Claim, figures: Figures, without: Sequence[Figures] = ()) -> ScoredClaim:
    """Judges one claim, as `score` does."""
    needs = claim.rule.needs
    measured = claim.rule.measured(figures)
    if not needs or any(math.isnan(figures[name]) for name in needs):
        return ScoredClaim(claim, measured, "not computable")
    if not claim.fitted and (chance := undecided(claim.rule, figures, without)):
        return ScoredClaim(claim, f"{measured}; {chance}", "undecided at this size")
    if not claim.rule.holds(figures):
        return ScoredClaim(claim, measured, "disagrees")
    return ScoredClaim(claim, measured, "fitted" if claim.fitted else "agrees")


def jackknife(value: float, without: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of a number, from the number without each of the replicates.

    The spread of the latter gives the error (the delete-one jackknife; B. Efron and C. Stein,
    1981). For a mean it is the standard error of the mean, so the interval is Student's.

    Examples:
        >>> lower, upper = jackknife(2.0, [2.5, 2.0, 1.5])  # the mean of 1, 2 and 3
        >>> round(lower, 2), round(upper, 2)
        (-0.48, 4.48)
    """
    # Workers know the rules of a study, too, and need not wait for scipy.
    from scipy.stats import t

    if set(without) == {value}:
        return value, value  # of infinity, too
    count = len(without)
    mean = fmean(without)
    variance = (count - 1) / count * sum((value - mean) ** 2 for value in without)
    distance = float(t.isf(OUTSIDE / 2, count - 1)) * math.sqrt(variance)
    return value - distance, value + distance


def undecided(rule: Rule, figures: Figures, without: Sequence[Figures]) -> str:
    """Words on the interval of a rule that chance may turn; empty where it does not.

    A rule holds where all of its margins are at least zero. Replicates say how far chance moves
    one: each is left out in turn, and all figures are made anew. A verdict is decided where the
    intervals of all margins lie above zero, or that of one below.
    """
    margins = rule.margins(figures)
    if len(without) < LEAST or not margins:
        return ""
    left_out = zip(*(rule.margins(values) for values in without), strict=True)
    intervals = list(map(jackknife, margins, left_out))
    if all(lower >= 0 for lower, _ in intervals) or any(upper < 0 for _, upper in intervals):
        return ""
    smallest, what = min(intervals, key=itemgetter(0)), "least margin "
    if len(rule.needs) == 1:
        (name,) = rule.needs
        smallest, what = jackknife(figures[name], [values[name] for values in without]), ""
    return f"{what}{' to '.join(map(plain_number, smallest))} over {len(without)} replicates"
