"""Results of the runs of studies at pocket size, kept so that a sample of them is simulated again.

`scorecards/runs/NAME.parquet` has a row per run: the name of its plan, its id and its numbers as
JSON. An id is a hash of everything that determines the run, so that a changed scenario never meets
old numbers: it is simulated. A 24th of the runs is simulated again and has to give what is kept,
bit for bit. That finds what an id does not know: a changed engine, or a changed measurement.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from mesonet.campaign.verification import same
from mesonet.store import TIMINGS, Files, Parts, results_schema
from mesonet.studies.bench import stored

KEPT = Path(__file__).parents[2] / "scorecards" / "runs"
SHARE = 24
"""One of so many runs is simulated again."""
ITEMS = "items"
"""Name in the file of what is measured without a plan."""


def read(file):
    """Numbers of kept runs by the name of the plan and the id; none without a file."""
    if not file.exists():
        return {}
    frame = pl.read_parquet(file)
    return {(plan, run): json.loads(text) for plan, run, text in frame.iter_rows()}


def write(file, runs):
    """Writes runs in the order of their ids, so that the same runs give the same bytes."""
    file.parent.mkdir(parents=True, exist_ok=True)
    rows = [(*key, json.dumps(runs[key], separators=(",", ":"))) for key in sorted(runs)]
    frame = pl.DataFrame(rows, schema=["plan", "run", "numbers"], orient="row")
    frame.write_parquet(file, compression="zstd", compression_level=22)


def sample(runs):
    """A 24th of the runs of each plan, at least one, drawn by the hash of the id."""
    drawn = set()
    for name in {plan for plan, _ in runs}:
        keys = sorted(
            (key for key in runs if key[0] == name),
            key=lambda key: hashlib.sha256(key[1].encode()).hexdigest(),
        )
        drawn.update(keys[: -(-len(keys) // SHARE)])
    return drawn


def put(runs, prepared, folder):
    """Puts runs into the folder of a study, which then counts them as finished."""
    wanted = {item.file for item in prepared.items}
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    for (plan, run), numbers in runs.items():
        if plan == ITEMS and run in wanted:
            (folder / "runs" / run).write_text(json.dumps(numbers), "utf-8")
    for name, plan in prepared.plans.items():
        expected = {run.id for run in plan.runs()}
        if name in prepared.like:
            # The study itself takes these from the other campaign.
            expected -= {run.id for run in prepared.plans[prepared.like[name]].runs()}
        rows = [
            dict(numbers) for (of, run), numbers in runs.items() if of == name and run in expected
        ]
        if not rows:
            continue
        files = Files(folder / name)
        (folder / name).mkdir(parents=True, exist_ok=True)
        timings = Parts(files, "timings", TIMINGS)
        timings.append([_no_time(timings, row["run"]) for row in rows])
        Parts(files, "results", results_schema(plan.responses)).append(rows)


def _no_time(timings, run):
    """A row of timings without times: the run took none here."""
    row = {name: "" if kind == pl.String else 0 for name, kind in timings.schema.items()}
    return row | {"run": run}


def current_runs(prepared, results):
    """Runs that a folder holds now, as they are kept."""
    runs = {}
    held = stored(prepared.items, out=results.folder)
    by_name = {item.name: item for item in prepared.items}
    for name, numbers in held.items():
        runs[ITEMS, by_name[name].file] = numbers
    for name, campaign in results.campaigns.items():
        runs |= _of_campaign(name, campaign)
    return runs


def _of_campaign(name, campaign):
    known = set(campaign.store.order)
    rows = campaign.store.results.read().sort("run").to_dicts()
    return {(name, row["run"]): row for row in rows if row["run"] in known}


def differences(kept, now):
    """Runs that give other numbers than are kept, and the first number that differs."""
    told = []
    for key in sorted(kept.keys() & now.keys()):
        place = _first_difference(kept[key], now[key])
        if place:
            told.append(f"{' '.join(key)}: {place}")
    return told


BADNESS = {
    "agrees": 0,
    "fitted": 0,
    "not computable": 1,
    "undecided at this size": 1,
    "disagrees": 2,
}


def worsened(card, kept):
    """Claims with a worse verdict than in a kept scorecard, or that are gone: before, and now."""
    now = {row["id"]: row["verdict"] for row in card["claims"]}
    return [
        (name, verdict, now.get(name))
        for name, (verdict, _) in kept["verdicts"].items()
        if name not in now or BADNESS[now[name]] > BADNESS[verdict]
    ]


def _first_difference(kept, now, place=""):
    if isinstance(kept, Mapping) and isinstance(now, Mapping) and kept.keys() == now.keys():
        pairs = [(f"{place}.{name}", kept[name], now[name]) for name in kept]
    elif isinstance(kept, list) and isinstance(now, list) and len(kept) == len(now):
        pairs = [(f"{place}[{at}]", *both) for at, both in enumerate(zip(kept, now, strict=True))]
    elif isinstance(kept, float) and isinstance(now, float):
        return "" if same(kept, now) else f"{place.lstrip('.')} was {kept!r}, is {now!r}"
    else:
        return "" if kept == now else f"{place.lstrip('.')} was {kept!r}, is {now!r}"
    return next((text for at, a, b in pairs if (text := _first_difference(a, b, at))), "")
