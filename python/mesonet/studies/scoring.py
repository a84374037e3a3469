"""Judges campaigns by the claims of a file, without a study."""

from __future__ import annotations

from pathlib import Path

from mesonet.campaign import Campaign
from mesonet.errors import Problem
from mesonet.store import MANIFEST
from mesonet.studies.campaigns import CampaignFigures, joined
from mesonet.studies.claims import read_claims, unknown_figures
from mesonet.studies.entries import StudyError, extended
from mesonet.studies.folder import STUDY
from mesonet.studies.scorecard import Scorecard, ScoredClaim, score


def score_results(results: str | Path, claims: str | Path) -> Scorecard:
    """The verdicts of a file of claims on finished campaigns. Nothing is simulated.

    Figures have the names that `CampaignFigures` gives. Those of the folder's own campaign have no
    prefix, those of campaigns in folders below it the name of the folder and a dot.

    Names in braces of the claims stand for the values of the study beside them.
    """
    folder, file = Path(results), Path(claims)
    beside = file.parent / STUDY
    about = extended(beside) if beside.exists() else {}
    placed = read_claims(file, about.get("values", {}))
    if not placed:
        message = "expected claims, each below a line [[claim]]; there are none"
        raise StudyError([Problem(str(file), "no_claims", message)])
    prefixes = {folder: ""} if (folder / MANIFEST).is_file() else {}
    prefixes |= {it.parent: f"{it.parent.name}." for it in sorted(folder.glob(f"*/{MANIFEST}"))}
    if not prefixes:
        message = f"expected the folder of a campaign or of a study's results: no {MANIFEST}"
        raise StudyError([Problem(str(folder), "no_campaign", message)])
    figures = joined(*(CampaignFigures(Campaign.open(it), name) for it, name in prefixes.items()))
    if problems := unknown_figures(placed, figures):
        raise StudyError(problems)
    return score(str(about.get("name", file.stem)), "", placed, figures)


def failed(card: Scorecard) -> list[ScoredClaim]:
    """Claims that disagree, or whose figures have no data; what nothing can decide is none."""
    return [
        entry
        for entry in card.entries
        if entry.verdict == "disagrees"
        or (entry.verdict == "not computable" and entry.claim.rule.needs)
    ]
