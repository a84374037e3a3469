"""Runs and figures of the study `picoquic-paths`: how long transfers take."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import fmean
from typing import Any

from mesonet.page.tables import rows_table
from mesonet.run import Run
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.keywords import dumbbell, flow
from mesonet.studies import Item, Options, RunResults, table


def runs(options: Options) -> list[Item]:
    """Each test with each controller, as often as the size says."""
    values = options.values
    return [
        Item(
            f"{name}-{algorithm}-{replicate}",
            _scenario(test, algorithm, values),
            measure_completion,
            seed=options.run_seed + replicate,
        )
        for name, test in values["tests"].items()
        for algorithm in options.chosen
        for replicate in range(options.replicates or int(values["replicates"]))
    ]


def _scenario(test: Mapping[str, Any], algorithm: str, values: Mapping[str, Any]) -> Dumbbell:
    flows = [flow(algorithm, name="main", size=test.get("size", values["size"]))]
    if beside := test.get("beside"):
        flows.append(flow(algorithm if beside == "same" else beside, size="10 MB"))
    return dumbbell(
        **test["keys"],
        flows=flows,
        profile="linux",
        record_transfers=True,
        duration=f"{values['longest']} s",
    )


def measure_completion(run: Run) -> dict[str, float]:
    """Time of the main transfer [s], infinite if it does not end, and retransmitted segments."""
    main = run.transfers.filter(source=0)
    again = int(run.series["retransmitted"].sum())
    return {"time": float(main["duration"][0]) if len(main) else math.inf, "again": again}


def figures(run: RunResults) -> dict[str, float]:
    """Mean time by test and controller [s], and the longest over the replicates, `.longest`."""
    numbers = {}
    for name in run.options.values["tests"]:
        for algorithm in run.options.chosen:
            times = [
                result["time"]
                for key, result in run.results.items()
                if key.rpartition("-")[0] == f"{name}-{algorithm}"
            ]
            if times:
                numbers[f"{name}.{algorithm}"] = fmean(times)
                numbers[f"{name}.{algorithm}.longest"] = max(times)
    return numbers


@table
def times(run: RunResults) -> Any:
    """Mean time of each test and controller beside picoquic's limit."""
    tests, chosen = run.options.values["tests"], run.options.chosen
    labels = run.options.values["labels"]
    rows = [
        {"test": test["name"], "limit": test["limit"], "sender": labels[test["sender"]]}
        | {it: run.figures.get(f"{name}.{it}", math.nan) for it in chosen}
        for name, test in tests.items()
    ]
    headings = {"test": "Path", "limit": "picoquic's limit (s)", "sender": "its controller"}
    headings |= {it: labels.get(it, it) for it in chosen}
    return rows_table("times", rows, headings, dict.fromkeys(chosen, "{:.2f}".format))
