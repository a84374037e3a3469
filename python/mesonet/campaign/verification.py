"""Verification of a campaign folder: every file read, ids computed again, some runs replayed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl

from mesonet.campaign.reading import Campaign
from mesonet.controller import changed_since, outside_names
from mesonet.errors import DamageError, MesonetError
from mesonet.plan import Plan
from mesonet.responses import compute
from mesonet.store import DIGESTS, MANIFEST, Files, Store, lock, set_aside
from mesonet.tables import result_version


@dataclass(frozen=True)
class Finding:
    """State of one part of a campaign folder: a file, a folder, `ids` or `replays`.

    The text says how much was read, what is wrong, or why it could not be looked at.
    """

    place: str
    state: Literal["ok", "damaged", "skipped"]
    text: str


@dataclass(frozen=True)
class Verification:
    """Outcome of a verification."""

    findings: tuple[Finding, ...]
    moved: Mapping[str, str]
    """Names in `damaged/` by what was there before."""

    @property
    def sound(self) -> bool:
        """True if nothing is damaged."""
        return all(finding.state != "damaged" for finding in self.findings)


def verify(
    place: str | Path,
    *,
    sample: int = 3,
    seed: int = 1,
    code: bool = False,
    progress: Callable[[str], None] | None = None,
    report: Callable[[Finding], None] | None = None,
) -> Verification:
    """Reads everything in a campaign folder, and simulates some of its runs again.

    Files whose content is not what was written move to `damaged/`, so that `run_campaign` makes
    them again. Of finished runs, a sample is compared with its record, bit for bit.

    Args:
        place: the folder.
        sample: number of finished runs to replay; none if 0.
        seed: seed of the draw of the sample.
        code: execute controllers that the plan names and that are not built in, too.
        progress: called with what is done next, in words.
        report: called with each finding as soon as it is known.

    Raises:
        CampaignError: it is no campaign folder, or of another layout; or something is damaged, and
            another process executes the campaign.
    """
    tell = progress or (lambda _: None)
    findings: list[Finding] = []

    def add(more: Iterable[Finding]) -> None:
        for finding in more:
            findings.append(finding)
            if report is not None:
                report(finding)

    tell("reading all files")
    files = Files(place)
    try:
        store = Store(place)
    except DamageError as error:
        add([Finding(MANIFEST, "damaged", error.what)])
        moved = {}
        if files.exists(MANIFEST):
            with lock(files):
                moved[MANIFEST] = set_aside(files, MANIFEST)
        return Verification(tuple(findings), moved)
    add([Finding(MANIFEST, "ok", f"plan {store.manifest['name']}")])
    add(_files(store))
    moved = _set_aside(store, [it.place for it in findings if it.state == "damaged"])
    if not moved.keys() & {"cells.parquet", "conditions.parquet"}:
        campaign = Campaign.open(place)
        if why := _not_here(store, campaign.plan, code=code):
            add(Finding(subject, "skipped", why) for subject in ("ids", "replays"))
        else:
            changed = changed_since(store.manifest.get("controllers", {}))
            tell(f"computing the ids of {store.cells.height} cells again")
            add([_ids(store, campaign.plan, changed)])
            add(_replays(campaign, sample, seed, tell, changed))
    return Verification(tuple(findings), moved)


def _files(store: Store) -> Iterator[Finding]:
    """Files that are read, beside their digests."""
    for name in ("cells", "conditions"):
        try:
            yield Finding(f"{name}.parquet", "ok", f"{getattr(store, name).height} {name}")
        except DamageError as error:
            yield Finding(f"{name}.parquet", "damaged", error.what)
    for parts in (store.timings, store.results):
        rows, errors = parts.readable()
        for damage in errors:
            place = f"{parts.folder}/{damage.file.rpartition('/')[2]}"
            yield Finding(place, "damaged", damage.what)
        yield Finding(f"{parts.folder}/", "ok", f"{rows.height} runs")
    count = 0
    # The rows are those of the results: nobody reads what a killed run has left.
    for run in sorted(rows["run"]):
        digests = store.digests(run)
        try:
            # The list of digests may have suffered, too: what it lacks fits none.
            for file in sorted({*store.files.names(f"runs/{run}"), *digests} - {DIGESTS}):
                store.content(f"runs/{run}/{file}", digests.get(file))
                count += 1
        except DamageError as error:
            yield Finding(f"runs/{run}", "damaged", error.what)
    if count:
        yield Finding("runs/", "ok", f"{count} files")


def _set_aside(store: Store, places: list[str]) -> dict[str, str]:
    """Moves what is damaged, and results of runs whose time series are; returns new names."""
    moved = {}
    if places:
        with lock(store.files):
            series = [name for name in places if name.startswith("runs/")]
            for name in filter(store.files.exists, [it for it in places if it not in series]):
                moved[name] = set_aside(store.files, name)
            # Rows go before series: a run without one is executed again.
            for parts in (store.results, store.timings):
                parts.set_runs_aside([name.removeprefix("runs/") for name in series])
            for name in filter(store.files.exists, series):
                moved[name] = set_aside(store.files, name)
    return moved


def _not_here(store: Store, plan: Plan, *, code: bool) -> str:
    """Reason why runs cannot be compared with what this mesonet makes of them; empty if none."""
    begun, now = store.manifest.get("result_version"), result_version()
    if begun != now:
        return f"begun with result version {begun}, this mesonet has {now}"
    if not code and (outside := sorted(outside_names(plan.to_dict()))):
        return (
            f"{outside[0]} is not built in, and code of others is not executed; "
            "`mesonet verify --trust` executes it"
        )
    return ""


def _ids(store: Store, plan: Plan, changed: list[str]) -> Finding:
    """Ids of the cells beside those of the scenarios that the plan stands for."""
    keys = ("condition", "alternative", "replicate")
    planned = {(run.condition, run.alternative, run.replicate): run.id for run in plan.runs()}
    recorded = list(store.cells.select(*keys, "run").iter_rows())
    wrong = sum(planned.get((*place,)) != run for *place, run in recorded)
    if wrong:
        why = "; ".join(changed) or "a default that the scenario leaves open has changed since"
        text = f"{wrong} cells have another run than the plan says; {why}"
        return Finding("ids", "damaged", text)
    return Finding("ids", "ok", f"{len(recorded)} cells have the runs of the plan")


def _replays(
    campaign: Campaign, sample: int, seed: int, tell: Callable[[str], None], changed: list[str]
) -> Iterator[Finding]:
    """A sample of finished runs, simulated again and compared with their rows."""
    rows = campaign.store.results.read().filter(pl.col("run").is_in(campaign.store.order))
    finished = sorted(rows["run"])
    drawn = random.Random(seed).sample(finished, min(sample, len(finished)))
    sound = True
    for number, run in enumerate(drawn, 1):
        tell(f"replaying run {number} of {len(drawn)}: {run}")
        record = rows.row(by_predicate=pl.col("run") == run, named=True)
        if difference := _difference(campaign, run, record):
            sound = False
            yield Finding("replays", "damaged", "; ".join([difference, *changed]))
    if not drawn:
        text = "no run was asked for" if finished else "no run is finished"
        yield Finding("replays", "skipped", text)
    elif sound:
        text = f"{len(drawn)} of {len(finished)} finished runs give what is recorded, bit for bit"
        yield Finding("replays", "ok", text)


def _difference(campaign: Campaign, run: str, record: Mapping[str, Any]) -> str:
    """Difference of a run that is simulated again from its record, in words; empty if none."""
    try:
        again = campaign.replay(run)
        measured = compute(again.measurements, campaign.plan.responses)
        measured["packets"] = float(again.totals["injected"])
    except MesonetError as error:
        return f"run {run} has a result and now fails: {error}"
    unequal = [name for name, value in measured.items() if not same(value, record[name])]
    return f"run {run} gives other values of {', '.join(unequal)} than recorded" if unequal else ""


def same(value: float, second: float | None) -> bool:
    """Equal bit for bit; undefined is equal to undefined."""
    return second is not None and (value == second or (value != value and second != second))
