"""Criteria as they were run: their campaigns, cells and verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from mesonet.campaign import Campaign
from mesonet.evaluation.cells import Excess, excesses, experiment_result
from mesonet.evaluation.criteria import Asked, Criterion
from mesonet.evaluation.plans import Designed
from mesonet.evaluation.result import CriterionResult
from mesonet.evaluation.statistics import Judged, judged
from mesonet.store import MANIFEST


@dataclass(frozen=True)
class Part:
    """An experiment that was run, with its cells and the verdicts on them."""

    experiment: Designed
    campaign: Campaign
    cells: Sequence[Excess]
    verdicts: Sequence[Judged]

    def undecided(self) -> list[int]:
        """Conditions in which a cell is undecided."""
        both = zip(self.cells, self.verdicts, strict=True)
        return sorted({cell.condition for cell, it in both if it.state == "undecided"})


def families(plans: Sequence[Designed]) -> Iterator[list[Designed]]:
    """Experiments that are judged together: those of a criterion under a profile."""
    by_family: dict[tuple[str, str], list[Designed]] = {}
    for each in plans:
        by_family.setdefault((each.criterion.section, each.profile), []).append(each)
    yield from by_family.values()


def judge(family: Sequence[Designed], folder: Path, *, first: bool = False) -> list[Part]:
    """The parts of a family that were run; of the `first` look, without what was added to it."""
    measured = [
        (each, it, excesses(each, it, most=each.plan.replicates if first else None))
        for each in family
        if (it := _executed(each, folder)) is not None
    ]
    looks = max((each.looks for each in family), default=1)
    verdicts = iter(judged([it.assessed for *_, cells in measured for it in cells], looks=looks))
    return [
        Part(each, campaign, cells, list(islice(verdicts, len(cells))))
        for each, campaign, cells in measured
    ]


def criterion_result(
    criterion: Criterion, plans: Sequence[Designed], folder: Path
) -> CriterionResult:
    """What came of a criterion, as far as its campaigns were run."""
    own_plans = [each for each in plans if each.criterion is criterion]
    experiments = [
        experiment_result(part.experiment, part.campaign, part.cells, part.verdicts)
        for family in families(own_plans)
        for part in judge(family, folder)
    ]
    designed_only = "not asked for" if criterion.status == "designed" else criterion.status
    asked = {name: getattr(criterion, name) for name in Asked.model_fields}
    status = "run" if experiments else designed_only
    return CriterionResult(**asked, status=status, experiments=tuple(experiments))


def _executed(experiment: Designed, folder: Path) -> Campaign | None:
    """The campaign of an experiment; none where it was not run, or by another design."""
    place = folder / experiment.folder
    if not (place / MANIFEST).exists():
        return None
    campaign = Campaign.open(place)
    planned = experiment.plan.to_dict()
    there = {**campaign.plan.to_dict(), "replicates": planned["replicates"]}
    enough = campaign.plan.replicates >= experiment.plan.replicates
    return campaign if enough and there == planned else None
