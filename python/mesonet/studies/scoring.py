"""Judges campaigns by the claims of a file, without a study."""

from __future__ import annotations

from pathlib import Path

from mesonet.campaign import Campaign
from mesonet.errors import Problem
from mesonet.store import MANIFEST
from mesonet.studies.campaigns import CampaignFigures
from mesonet.studies.claims import read_claims, unknown_figures
from mesonet.studies.entries import StudyError, extended
from mesonet.studies.files import STUDY
from mesonet.studies.rules import joined
from mesonet.studies.scorecard import Scorecard, ScoredClaim, score


def score_results(results: str | Path, claims: str | Path) -> Scorecard:
    """The verdicts of a file of claims on finished campaigns. Nothing is simulated.

    Figures have the names that `CampaignFigures` gives. Those of the folder's own campaign have no
    prefix, those of campaigns in folders below it the name of the folder and a dot.

    Args:
        results: folder of a campaign, or of a study's results.
        claims: file of claims. Names in braces stand for the values of the study beside it.

    Raises:
        StudyError: no campaign or no claim is there, or the claims do not fit: every problem with
            its line.
    """
    folder, file = Path(results), Path(claims)
    beside = file.parent / STUDY
    about = extended(beside) if beside.exists() else {}
    values = about.get("values", {})
    placed = read_claims(file, values if isinstance(values, dict) else {})
    if not placed:
        message = "expected claims, each below a line [[claim]]; there are none"
        raise StudyError([Problem(str(file), "no_claims", message)])
    figures = joined(*_campaigns(folder))
    if problems := unknown_figures(placed, figures):
        raise StudyError(problems)
    return score(str(about.get("name", file.stem)), "", placed, figures)


def failed(card: Scorecard) -> list[ScoredClaim]:
    """Claims that disagree, or whose figures have no data; those that nothing can decide are none.

    Args:
        card: the verdicts.
    """
    return [
        entry
        for entry in card.entries
        if entry.verdict == "disagrees"
        or (entry.verdict == "not computable" and entry.claim.rule.needs)
    ]


def _campaigns(folder: Path) -> list[CampaignFigures]:
    found = [("", folder)] if (folder / MANIFEST).is_file() else []
    below = sorted(path.parent for path in folder.glob(f"*/{MANIFEST}"))
    found += [(f"{path.name}.", path) for path in below]
    if not found:
        message = f"expected the folder of a campaign or of a study's results: no {MANIFEST}"
        raise StudyError([Problem(str(folder), "no_campaign", message)])
    return [CampaignFigures(Campaign.open(path), prefix) for prefix, path in found]
