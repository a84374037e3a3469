"""How often an evaluation says "worse" where there is none, and how often where there is some.

Runs the experiments of `mesonet evaluate` at pocket size with Reno in the place of the candidate,
too. An algorithm under another name would be the same run by run, which tells nothing. So the runs
of "candidate", baseline and victims alone are drawn from different replicates: equal in law, with
random numbers of their own. That is noisier than an evaluation, whose runs share them.

`calibration.py FOLDER` takes nine minutes of one core. The same folder is not run again.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl

from mesonet.campaign import Campaign, run_campaign
from mesonet.evaluation.cells import Excess, excesses, families
from mesonet.evaluation.criteria import criteria
from mesonet.evaluation.inputs import described
from mesonet.evaluation.plans import Designed, designed
from mesonet.evaluation.statistics import judged
from mesonet.plan import plan_from_dict

POOL, REPETITIONS = 40, 200
"""Replicates to draw from, and draws."""
PLANTED = (0.05, 0.1, 0.2)
"""Excesses that are added to the harm to goodput."""


def pooled(folder: Path) -> list[tuple[Designed, pl.DataFrame]]:
    """Experiments beside a baseline with the results of their pools."""
    pools = []
    for criterion in criteria():
        for experiment in filter(lambda it: it.measures, criterion.experiments):
            asked: dict[str, Any] = {"baselines": ["reno"], "size": "pocket", "seed": 1}
            own = designed(criterion, experiment, candidate=described("aimd"), **asked)
            table = own.plan.to_dict()
            labels = (own.arms[0].reference, own.arms[0].solo)
            table["alternatives"] = [it for it in table["alternatives"] if it["label"] in labels]
            plan = plan_from_dict({**table, "replicates": POOL})
            print(own.place, flush=True)
            results = run_campaign(plan, out=folder / own.place, workers=1).results()
            pools.append((own, results))
    return pools


def drawn(own: Designed, pool: pl.DataFrame, rng: Any) -> list[Excess]:
    """Cells of a draw without any excess; lines, which are no comparison, are left out."""
    n, (arm,) = own.plan.replicates, own.arms
    parts = np.split(rng.permutation(POOL)[: 3 * n] + 1, 3)
    sides = {arm.candidate: arm.reference, arm.reference: arm.reference, arm.solo: arm.solo}
    frames = []
    for part, (label, source) in zip(parts, sides.items(), strict=False):
        place = pl.DataFrame({"replicate": part, "number": range(1, n + 1)})
        frame = pool.filter(alternative=source).join(
            place.cast(pool.select("replicate").schema | {"number": pl.Int64}), on="replicate"
        )
        frames.append(
            frame.with_columns(replicate="number", alternative=pl.lit(label)).drop("number")
        )
    results = pl.concat([it for it in frames if it.height])

    class Drawn:
        def results(self) -> pl.DataFrame:
            return results

    cells = excesses(own, cast("Campaign", Drawn()))
    return [cell for cell in cells if cell.measure.statistic != "line"]


def main(folder: Path) -> None:
    """Prints false alarms by criterion, and the power for goodput beside the candidate."""
    both = pooled(folder)
    pools = {own.folder: pool for own, pool in both}
    groups = list(families([own for own, _ in both]))
    rng = np.random.default_rng(1)  # noqa: TID251 - no run depends on it
    alarms: dict[str, Counter[str]] = {}
    seen: Counter[float] = Counter()
    goodputs = 0
    for _ in range(REPETITIONS):
        for family in groups:
            section = family[0].criterion.section
            cells = [cell for own in family for cell in drawn(own, pools[own.folder], rng)]
            states = [it.state for it in judged([cell.tested for cell in cells])]
            counts = alarms.setdefault(section, Counter(cells=len(cells)))
            counts["more"] += "worse" in states
            counts["less"] += "better" in states
            counts["any"] += bool({"worse", "better"} & {*states})
            if section == "5.2.1":
                goodput = [n for n, it in enumerate(cells) if "goodput" in it.response]
                goodputs += len(goodput)
                for planted in PLANTED:
                    more = [replace(it, excess=it.excess + planted) for it in cells]
                    states = [it.state for it in judged([cell.tested for cell in more])]
                    seen[planted] += sum(states[n] == "worse" for n in goodput)
    for section, counts in alarms.items():
        print(section, dict(counts))
    total: Any = sum((Counter(it) for it in alarms.values()), Counter())
    print(f"{REPETITIONS} repetitions of {len(alarms)} criteria:", dict(total))
    print("power in a cell of 5.2.1, goodput:", {it: n / goodputs for it, n in seen.items()})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
