"""What the runs of a campaign were made with, and what of that has changed since."""

from __future__ import annotations

from pathlib import Path

from mesonet.campaign.reading import Campaign
from mesonet.controller import changed_since
from mesonet.plan import run_id
from mesonet.tables import result_version


def looked_in(campaign: Campaign) -> list[Path]:
    """Folders in which its controllers lay, as seen from where the campaign lies now."""
    return [campaign.folder / name for name in campaign.manifest.get("looked_in", [])]


def what_changed(campaign: Campaign, run: str) -> list[str]:
    """Reasons why a run may give other numbers now than it did, each as a clause.

    Controllers, the engine, or what Python fills in where the scenario leaves it open.
    """
    scenario, cell = campaign.find(run)
    names = scenario.algorithm_places()
    recorded = campaign.manifest.get("controllers", {})
    changed = changed_since({name: value for name, value in recorded.items() if name in names})
    begun, now = str(campaign.manifest.get("result_version")), result_version()
    if begun != now:
        changed.append(f"the engine's result version was {begun} and is {now}")
    if not changed and run_id(scenario, cell.seed) != cell.run:
        changed.append(
            "a default that its scenario leaves open, such as one of its profile, has changed "
            '(the changelog, under "Changes results")'
        )
    return changed
