"""Runs that campaigns share: what a finished folder holds is not run again."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from mesonet.plan import Plan
from mesonet.store import MANIFEST, Parts, Store, open_files


def take_over(plan: Plan, ours: Path, out: Path) -> None:
    """Copies the runs of a plan that another campaign has finished; a begun folder is left alone.

    Args:
        plan: plan of the new campaign.
        ours: folder of the other campaign.
        out: folder of the new campaign.
    """
    files = open_files(out)
    if files.exists(MANIFEST):
        return
    wanted = [run.id for run in plan.runs()]
    finished = Store(ours)
    for parts in (finished.timings, finished.results):
        rows = parts.read().filter(pl.col("run").is_in(wanted)).to_dicts()
        Parts(files, parts.folder, parts.schema).append(rows)
