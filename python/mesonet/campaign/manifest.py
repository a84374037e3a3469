"""The manifest of a campaign's folder, and the check that a plan belongs to it."""

from __future__ import annotations

import contextlib
import datetime as dt
import platform
import subprocess
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any

import polars as pl

from mesonet.controller import changed_since, fingerprints
from mesonet.errors import CampaignError, DamageError
from mesonet.plan import Plan, RunSpec
from mesonet.store import (
    CELLS,
    DAMAGED,
    LOCK,
    MANIFEST,
    Files,
    Parts,
    digest_of_data,
    holds_rows,
    read_manifest,
    results_schema,
)
from mesonet.tables import result_version

_OURS = {
    "cells.parquet",
    "conditions.parquet",
    "logs",
    "progress.json",
    "results",
    "runs",
    "timings",
    DAMAGED,
    LOCK,
}


def cells_frame(plan: Plan, runs: Sequence[RunSpec]) -> pl.DataFrame:
    """Every place of the design, by condition, alternative and replicate."""
    positions = {alternative.label: here for here, alternative in enumerate(plan.alternatives)}
    rows = [
        (
            run.condition,
            positions[run.alternative],
            run.alternative,
            run.replicate,
            run.seed,
            run.id,
            run.cost,
        )
        for run in runs
    ]
    frame = pl.DataFrame(rows, schema=CELLS, orient="row")
    return frame.sort("condition", "position", "replicate")


def conditions_frame(plan: Plan) -> pl.DataFrame:
    """Levels of the factors by condition, coded and in words."""
    numbers = range(1, plan.conditions + 1)
    coded = [plan.coded(number) for number in numbers]
    columns: dict[str, list[Any]] = {"condition": list(numbers)}
    columns |= {factor.name: [row[factor.name] for row in coded] for factor in plan.factors}
    columns |= {
        f"{factor.name}_level": [factor.text(row[factor.name]) for row in coded]
        for factor in plan.factors
    }
    return pl.DataFrame(columns)


def identity_of(plan: Plan, runs: Sequence[RunSpec]) -> str:
    """Digest that two plans share if they are one campaign: first replicate's runs and responses.

    More replicates are the same campaign, longer.
    """
    cells = [(run.condition, run.alternative, run.id) for run in runs if run.replicate == 1]
    return digest_of_data([cells, list(plan.responses)])[:16]


def describe(plan: Plan, runs: Sequence[RunSpec]) -> dict[str, Any]:
    """The part of a manifest that follows from the plan."""
    first = [run for run in runs if run.replicate == 1]
    return {
        "name": plan.name,
        "responses": list(plan.responses),
        "runs": len({run.id for run in runs}),
        "seeds": list(plan.seeds),
        "plan": plan.to_dict(),
        "controllers": fingerprints(
            {name for run in first for name in run.scenario.algorithm_places()}
        ),
    }


def circumstances() -> dict[str, Any]:
    """The part of a manifest that says where a campaign was begun, and with what."""
    return {
        "result_version": result_version(),
        "created": dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds"),
        "versions": _versions(),
        "platform": platform.platform(),
        "git_revision": _revision(),
    }


def refuse_unless_free(
    files: Files, plan: Plan, runs: Sequence[RunSpec], identity: str
) -> dict[str, Any] | None:
    """The manifest of this very campaign, None if the place is free; writes nothing.

    A folder with finished runs of the plan and without a manifest that can be read is free.
    """
    if files.folder.exists() and not files.folder.is_dir():
        raise CampaignError(f"{files.place}: not a folder")
    try:
        manifest = read_manifest(files) if files.exists(MANIFEST) else None
    except DamageError:
        if not holds_rows(files):
            raise
        manifest = None
    if manifest is None:
        _refuse_foreign(files)
        _refuse_other_runs(files, plan, runs)
        return None
    here, now = manifest.get("result_version"), result_version()
    if here != now:
        raise CampaignError(
            f"{files.place}: was begun with result version {here}, this mesonet has {now}. Runs of "
            "the two may differ, so they are not mixed. Report on it as it is, resume it with the "
            "mesonet it was begun with, or run the plan into a new folder"
        )
    if manifest.get("identity") != identity:
        raise CampaignError(_other_plan(files, manifest))
    return manifest


def _refuse_foreign(files: Files) -> None:
    """Raises `CampaignError` if a place without manifest holds what is no campaign's."""
    # Reports and notes of the user lie in campaigns, too.
    foreign = () if holds_rows(files) else sorted(set(_entries(files)) - _OURS)
    if foreign:
        raise CampaignError(
            f"{files.place}: contains other files ({', '.join(foreign[:3])}) and is no "
            "campaign folder; choose an empty or a new one"
        )


def _refuse_other_runs(files: Files, plan: Plan, runs: Sequence[RunSpec]) -> None:
    """Raises `CampaignError` if what was finished in a place has other runs or responses."""
    schema = results_schema(plan.responses)
    finished = Parts(files, "results", schema).whole()
    ids = {run.id for run in runs}
    # Whatever lacks a column would count as damaged, and compacting drops columns.
    same = all(set(frame.columns) == schema.keys() for frame in finished)
    if finished and not (same and any(not ids.isdisjoint(frame["run"]) for frame in finished)):
        raise CampaignError(
            f"{files.place}: the manifest is lost, and the finished runs are not of this plan; "
            "give the plan that they were run with, or choose a new folder"
        )


def refuse_unless_same(
    files: Files, manifest: Mapping[str, Any], here: pl.DataFrame, cells: pl.DataFrame
) -> None:
    """Raises `CampaignError` if a cell of the folder has another run in the plan."""
    keys = ["condition", "position", "replicate"]
    both = here.join(cells, on=keys, suffix="_new")
    if (both["run"] != both["run_new"]).any():
        raise CampaignError(_other_plan(files, manifest))


def _other_plan(files: Files, manifest: Mapping[str, Any]) -> str:
    changed = changed_since(manifest.get("controllers", {}))
    why = f": {'; '.join(changed)}" if changed else ""
    return (
        f'{files.place}: holds another plan ("{manifest.get("name")}"), or this one with other '
        f"runs or responses, be it by a default that has changed{why}; its runs are not mixed "
        "with others. Choose a new folder; `mesonet run --reuse` takes the runs that both have"
    )


def _entries(files: Files) -> list[str]:
    if not files.folder.exists():
        return []
    names = (path.name for path in files.folder.iterdir())
    return [name for name in names if not name.endswith(".partial")]


def _revision() -> str | None:
    """Revision of the repository around the working folder; None outside of any."""
    try:
        return subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in ("mesonet", "polars", "pydoe", "numpy"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    return versions
