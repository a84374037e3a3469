"""Scorecards: what was published, what was measured, and a verdict that a rule decides.

A claim is one published number or finding with its place in the source and the rule that judges
it. Rules see nothing but named figures of a study, so the same figures always get the same
verdict. Files of claims are checked when they are read: ids are unique, and figures exist.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

import polars as pl

from mesonet.studies.chance import undecided
from mesonet.studies.rules import Figures, Rule
from mesonet.system.shown import Shown
from mesonet.system.tabular import Tabular
from mesonet.system.writing import write_atomically
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

_BADNESS: dict[str, int] = {
    "agrees": 0,
    "fitted": 0,
    "not computable": 1,
    "undecided at this size": 1,
    "disagrees": 2,
}


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
        place: File and line of its rule; empty if it is not written in a file.
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
class Scorecard(Shown, Tabular):
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
        found = Counter(entry.verdict for entry in self.entries)
        return {verdict: found[verdict] for verdict in get_args(Verdict)}

    def by_standing(self) -> dict[Standing, tuple[int, int]]:
        """Claims that agree, and claims that agree or disagree, by their standing."""
        found: dict[Standing, tuple[int, int]] = {}
        for entry in self.entries:
            if entry.verdict in ("agrees", "disagrees"):
                agree, scored = found.get(entry.claim.standing, (0, 0))
                found[entry.claim.standing] = (agree + (entry.verdict == "agrees"), scored + 1)
        return found

    @property
    def scored(self) -> int:
        """Claims that count: those that agree or disagree."""
        counts = self.counts()
        return counts["agrees"] + counts["disagrees"]

    @property
    def says_something(self) -> bool:
        """Tests whether any claim can be computed."""
        return any(entry.verdict != "not computable" for entry in self.entries)

    def said(self) -> tuple[str, ...]:
        """Verdicts counted, above the table."""
        counts = ", ".join(
            f"{number} {verdict}"
            for verdict, number in self.counts().items()
            if number or verdict != "undecided at this size"
        )
        said = [f"{self.study}, size {self.size}: {counts}."]
        found = self.by_standing()
        if set(found) - {"decidable"}:
            parts = (f"{each} {agree} of {scored}" for each, (agree, scored) in found.items())
            said.append(f"Agree by standing: {', '.join(parts)}.")
        return tuple(said)

    def table_html(self) -> str:
        """The claims with their verdicts."""
        return str(self.to_frame()._repr_html_())

    def table_names(self) -> tuple[str, ...]:
        """The one table: one row per claim."""
        return ("claims",)

    def facts(self) -> dict[str, Any]:
        """Study, size and result version."""
        return {"study": self.study, "size": self.size, "result_version": result_version()}

    def _table(self, _name: str) -> pl.DataFrame:
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

    def write(self, path: Path) -> None:
        """Writes it as JSON.

        Raises:
            StorageError: it cannot be written, for instance on a full disk.
        """
        text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False)
        write_atomically(path, f"{text}\n".encode())


@dataclass(frozen=True)
class Worsened:
    """A claim whose verdict is worse than the committed one; `now` is None if it is gone."""

    id: str
    before: str
    now: str | None


def score(
    study: str,
    size: str,
    claims: Iterable[Claim],
    figures: Figures,
    without: Sequence[Figures] = (),
) -> Scorecard:
    """Judges every claim.

    A claim is not computable if its rule says so or a figure it needs is NaN.

    Args:
        study: name of the study.
        size: name of the size.
        claims: the claims.
        figures: figures of the study.
        without: figures without each of its replicates; nothing is said of chance without them.
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


def to_keep(card: Mapping[str, Any]) -> dict[str, Any]:
    """A scorecard as it is kept: verdicts and measured values, and no words of the claims.

    Keys: `study`, `size`, `result_version`, `verdicts`: verdict and measured value by the id of the
    claim; and, if variants were run, `variants`: by the id of each, verdicts that differ.

    Args:
        card: Result of `Scorecard.to_dict`.
    """
    verdicts = {row["id"]: [row["verdict"], row["measured"]] for row in card["claims"]}
    kept = {key: card[key] for key in ("study", "size", "result_version")}
    kept["verdicts"] = verdicts
    if card.get("variants"):
        kept["variants"] = {
            name: {each: verdict for each, verdict in found.items() if verdict != verdicts[each][0]}
            for name, found in card["variants"].items()
        }
    return kept


def worsened(scorecard: Scorecard, kept: Mapping[str, Any]) -> list[Worsened]:
    """Claims with a worse verdict than in a kept scorecard, or that are gone."""
    now: dict[str, str] = {entry.claim.id: entry.verdict for entry in scorecard.entries}
    return [
        Worsened(name, verdict, now.get(name))
        for name, (verdict, _) in kept["verdicts"].items()
        if name not in now or _BADNESS[now[name]] > _BADNESS[verdict]
    ]
