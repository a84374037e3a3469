"""Folders whose manifest is lost: which plan their finished runs are of."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from mesonet.errors import CampaignError, DamageError, MesonetError
from mesonet.plan import MAX_RUNS, Plan, RunSpec, plan_from_manifest
from mesonet.store import Columns, Files, is_part, read_table, results_schema

_SHOWN = 3


def covering(files: Files, plan: Plan, runs: Sequence[RunSpec]) -> tuple[Plan, Sequence[RunSpec]]:
    """The plan with as many replicates as a folder without manifest has finished, and its runs.

    Args:
        files: the folder.
        plan: the plan that is to be resumed there.
        runs: its runs.

    Raises:
        CampaignError: runs were finished that the plan has not, or with other responses.
    """
    finished = _finished(files, plan)
    known = {run.id for run in runs}
    if not set(finished["run"]) <= known:
        longer = _longer(plan, finished)
        if longer is not None:
            plan, runs = longer, longer.runs()
            known = {run.id for run in runs}
    missing = [run for run in finished["run"] if run not in known]
    if missing:
        shown = ", ".join(missing[:_SHOWN]) + (", ..." if len(missing) > _SHOWN else "")
        raise CampaignError(
            f"{files.place}: the manifest is lost, and {len(missing)} of its {finished.height} "
            f"finished runs are not of this plan ({shown}); nothing was changed. Give the plan "
            "that they were run with, by the same version of mesonet, or choose a new folder"
        )
    return plan, runs


def _finished(files: Files, plan: Plan) -> pl.DataFrame:
    """Runs with a row in a file that can be read, and their seeds.

    Raises:
        CampaignError: a file has other responses than the plan.
    """
    types = {"run": pl.String, "seed": pl.Int64}
    expected = set(results_schema(plan.responses))
    found = [pl.DataFrame(schema=types)]
    for name in filter(is_part, files.names("results")):
        path = f"results/{name}"
        try:
            content, file = files.read(path), files.address(path)
            frame = read_table(content, Columns(types), file=file, remedy="")
        except DamageError:
            # Set aside when the campaign is resumed.
            continue
        other = set(frame.columns) ^ expected
        if other:
            raise CampaignError(
                f"{files.place}: the manifest is lost, and {path} has other responses than this "
                f"plan ({', '.join(sorted(other)[:_SHOWN])}); nothing was changed. Give the plan "
                "that it was run with, or choose a new folder"
            )
        found.append(frame.select(list(types)))
    return pl.concat(found).unique("run", keep="first", maintain_order=True)


def _longer(plan: Plan, finished: pl.DataFrame) -> Plan | None:
    """The plan with the replicates that seeds ask for; None if they are not those of a plan."""
    latest = finished["seed"].max()
    each = plan.conditions if plan.seed_per == "condition" else 1
    replicates = (int(str(latest)) - plan.seed) // each + 1
    cells = plan.conditions * len(plan.alternatives)
    if not plan.replicates < replicates or replicates * cells > MAX_RUNS:
        return None
    try:
        return plan_from_manifest(plan.to_dict() | {"replicates": replicates})
    except MesonetError:
        return None
