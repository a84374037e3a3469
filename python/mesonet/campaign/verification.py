"""Verification of a campaign folder: every file read, ids computed again, some runs replayed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from mesonet.campaign.inspection import Finding, inspect
from mesonet.campaign.reading import Campaign
from mesonet.controller import PREFIX, changed_since, fingerprints
from mesonet.controller.library import PREFIX as LIBRARY_PREFIX
from mesonet.errors import MesonetError
from mesonet.plan import Plan
from mesonet.store import Store, open_files
from mesonet.tables import result_version

SAMPLE = 3
"""Runs that are replayed by default."""
SIMULATED = frozenset({"ids", "replays"})
"""Places of findings that need the controllers; all others come from files alone."""


@dataclass(frozen=True)
class Verification:
    """Outcome of a verification."""

    place: str
    findings: tuple[Finding, ...]
    unloaded: str = ""
    """Reason why code that was to be executed could not be loaded; empty if there is none."""

    @property
    def sound(self) -> bool:
        """True if nothing is damaged."""
        return all(finding.state != "damaged" for finding in self.findings)

    def to_frame(self) -> pl.DataFrame:
        """Findings: `place`, `state` and `text`."""
        rows = [(finding.place, finding.state, finding.text) for finding in self.findings]
        return pl.DataFrame(rows, schema=["place", "state", "text"], orient="row")


def verify(
    place: str | Path,
    *,
    sample: int = SAMPLE,
    seed: int = 1,
    code: bool = False,
    progress: Callable[[str], None] | None = None,
    found: Callable[[Finding], None] | None = None,
) -> Verification:
    """Reads everything in a campaign folder, and simulates some of its runs again.

    Nothing is changed. Hashes, schemas and ids are compared with each other, the ledger with the
    rows, and responses of a sample with their record, bit for bit. Runs with controllers that are
    not built in are replayed with `code` only: that executes code that came with the folder.

    Args:
        place: folder or URL.
        sample: number of finished runs to replay; none if 0.
        seed: seed of the draw of the sample.
        code: execute controllers that the plan names and that are not built in.
        progress: called with what is done next, in words.
        found: called with each finding as soon as it is known.

    Raises:
        CampaignError: it is no campaign folder, or of another layout.
        StorageError: a file cannot be read now.
    """
    tell = progress or (lambda _: None)
    findings: list[Finding] = []

    def add(more: Iterable[Finding]) -> None:
        for finding in more:
            findings.append(finding)
            if found is not None:
                found(finding)

    tell("reading all files")
    read = inspect(open_files(place))
    add(read.findings)
    store, plan = read.store, read.plan
    if store is None or plan is None:
        return Verification(str(place), tuple(findings))
    broken = {finding.place for finding in findings if finding.state == "damaged"}
    if broken & {"cells.parquet", "conditions.parquet"}:
        return Verification(str(place), tuple(findings))
    unloaded = ""
    why = not_here(store, plan, code=code) or (unloaded := _unloaded(plan))
    if why:
        add(Finding(subject, "skipped", why) for subject in sorted(SIMULATED))
    else:
        tell(f"computing the ids of {store.cells.height} cells again")
        changed = changed_since(store.manifest.get("controllers", {}))
        add([_ids(store, plan, changed)])
        add(_replays(Campaign(store, plan), sample, seed, tell, changed))
    return Verification(str(place), tuple(findings), unloaded)


_OUTSIDE = re.compile(rf"(?:{PREFIX}|{LIBRARY_PREFIX})[^\s'\"]+")


def foreign_controllers(plan: Plan) -> list[str]:
    """Names of controllers of a plan that are not built in."""
    scenarios = [plan.scenario_of(1, alternative) for alternative in plan.alternatives]
    names = {name for scenario in scenarios for name in scenario.algorithm_places()}
    levels = [str(factor.settings(code)) for factor in plan.factors for code in (-1.0, 1.0)]
    outside = {name for name in names if name.startswith((PREFIX, LIBRARY_PREFIX))}
    return sorted(outside.union(*map(_OUTSIDE.findall, levels)))


def not_here(store: Store, plan: Plan, *, code: bool = False) -> str:
    """Reason why runs cannot be compared with what this mesonet makes of them; empty if none.

    Args:
        store: files of the campaign.
        plan: its plan.
        code: controllers that are not built in may be executed.
    """
    begun, now = store.manifest.get("result_version"), result_version()
    if begun != now:
        return f"begun with result version {begun}, this mesonet has {now}"
    outside = foreign_controllers(plan)
    if outside and not code:
        return (
            f"{outside[0]} is not built in, and code of others is not executed; "
            "`mesonet verify --trust` executes it"
        )
    return ""


def _unloaded(plan: Plan) -> str:
    """Reason why a controller that is not built in cannot be loaded; empty if all can."""
    try:
        fingerprints(foreign_controllers(plan))
    except MesonetError as error:
        return str(error)
    return ""


def _ids(store: Store, plan: Plan, changed: list[str]) -> Finding:
    """Ids of the cells beside those of the scenarios that the plan stands for."""
    try:
        runs = plan.runs()
    except MesonetError as error:
        return Finding(
            "ids", "damaged", f"the plan cannot be expanded: {error}", ("cells.parquet",)
        )
    positions = {alternative.label: here for here, alternative in enumerate(plan.alternatives)}
    expected = {(run.condition, positions[run.alternative], run.replicate): run.id for run in runs}
    keys = ("condition", "position", "replicate")
    here = {tuple(row[:3]): row[3] for row in store.cells.select(*keys, "run").iter_rows()}
    wrong = [cell for cell in here.keys() | expected.keys() if here.get(cell) != expected.get(cell)]
    if wrong:
        condition, position, replicate = min(wrong)
        why = "; ".join(changed) or "or a default that the scenario leaves open has changed since"
        text = (
            f"{len(wrong)} cells have another run than the plan says, such as condition "
            f"{condition}, alternative {position + 1}, replicate {replicate}; {why}"
        )
        return Finding("ids", "damaged", text, ("cells.parquet",))
    return Finding("ids", "ok", f"{len(expected)} cells have the runs of the plan")


def _replays(
    campaign: Campaign, sample: int, seed: int, tell: Callable[[str], None], changed: list[str]
) -> Iterator[Finding]:
    """A sample of finished runs, simulated again and compared with their rows."""
    known = set(campaign.store.order)
    rows = campaign.store.results.readable()[0].filter(pl.col("run").is_in(list(known)))
    done = sorted(rows["run"])
    drawn = random.Random(seed).sample(done, min(sample, len(done)))
    sound = True
    for number, run in enumerate(drawn, 1):
        tell(f"replaying run {number} of {len(drawn)}: {run}")
        record = rows.row(by_predicate=pl.col("run") == run, named=True)
        if wrong := _differs(campaign, run, record):
            sound = False
            text = "; ".join([wrong, *changed])
            yield Finding("replays", "damaged", text, rows=("results", (run,)))
    if sound:
        text = f"{len(drawn)} of {len(done)} finished runs give what is recorded, bit for bit"
        none = "no run was asked for" if done else "no run is finished"
        yield Finding("replays", *(("ok", text) if drawn else ("skipped", none)))


def _differs(campaign: Campaign, run: str, record: Mapping[str, Any]) -> str:
    """Difference of a run that is simulated again from its record, in words; empty if none."""
    try:
        again = campaign.replay(run)
        measured = campaign.measure(again) | {"packets": float(again.totals["injected"])}
    except MesonetError as error:
        return f"run {run} has a result and now fails: {error}"
    other = [name for name, value in measured.items() if not same(value, record[name])]
    return f"run {run} gives other values of {', '.join(other)} than recorded" if other else ""


def same(one: float, other: float | None) -> bool:
    """Equal bit for bit; undefined is equal to undefined."""
    return other is not None and (one == other or (one != one and other != other))
