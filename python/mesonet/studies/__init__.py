"""Studies that come with mesonet, from published experiments: named plans, and benches."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from mesonet.campaign import Campaign, run_campaign
from mesonet.errors import PlanError, Problem, did_you_mean
from mesonet.plan import Plan, plan_from_dict
from mesonet.studies.lab import LAB_STUDIES, SIZES, LabStudy, Size
from mesonet.workers import Progress

__all__ = [
    "LAB_STUDIES",
    "SIZES",
    "STUDIES",
    "LabStudy",
    "Size",
    "Study",
    "find_study",
    "run_study",
]


@dataclass(frozen=True)
class Study:
    """A named plan."""

    name: str
    summary: str
    source: str

    def plan(self, **changes: Any) -> Plan:
        """The study's plan, with top-level entries such as `replicates` or `seed` changed.

        Raises:
            PlanError: a change does not fit.
        """
        text = resources.files("mesonet.studies").joinpath(f"{self.name}.toml").read_text("utf-8")
        return plan_from_dict({**tomllib.loads(text), **changes})


_ALL = (
    Study(
        "pocket",
        "Reno, Scalable TCP and Compound TCP on a national network: 2^(6-1) conditions, 96 "
        "runs, minutes",
        "NIST SP 500-282, Experiment 1b at a tenth of its size",
    ),
)

STUDIES: Mapping[str, Study] = {study.name: study for study in _ALL}
"""The studies that are plans, by name."""


def find_study(name: str) -> Study:
    """A study that is a plan, by name.

    Raises:
        PlanError: there is none of this name; suggests a close one.
    """
    if name not in STUDIES:
        names = [*STUDIES, *LAB_STUDIES]
        hint = did_you_mean(name, names) or f"; there are {', '.join(names)}"
        raise PlanError([Problem("study", "unknown_study", f'no study "{name}"{hint}')])
    return STUDIES[name]


def run_study(
    name: str,
    *,
    out: str | Path,
    workers: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    **changes: Any,
) -> tuple[Campaign, Path]:
    """Executes or resumes a study and writes `report.html` into its folder.

    Args:
        name: of the study.
        out: the campaign's folder.
        workers: processes; by default one per core.
        progress: called with how far the campaign is.
        changes: top-level entries of the plan to change, such as `replicates` or `seed`.

    Returns:
        The campaign and the path of the report.

    Raises:
        PlanError: there is no such study, or a change does not fit.
        CampaignError: the folder holds something else.
    """
    # The report brings its drawing libraries, which no run needs.
    from mesonet.report import ReportInputs, build

    plan = find_study(name).plan(**changes)
    campaign = run_campaign(plan, out=out, workers=workers, progress=progress)
    return campaign, build(ReportInputs.from_campaign(campaign), campaign.folder / "report.html")
