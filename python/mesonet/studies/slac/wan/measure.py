"""Figures of `slac-wan`: throughput and fairness of flows of one kind over three paths."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from scipy.stats import spearmanr

from mesonet.studies.bench import Item
from mesonet.studies.slac.charts import (
    beside,
    comparison,
    over_time,
    windows_chart,
    windows_table,
)
from mesonet.studies.slac.paths import settings, test_items
from mesonet.studies.slac.samples import Samples, average, highest, lowest, measure_test, ratio
from mesonet.studies.study import Options, RunResults

__all__ = ["beside", "comparison", "over_time", "settings", "windows_chart", "windows_table"]

ALGORITHMS = ("reno", "ctcp", "hstcp")
PATHS = ("caltech", "florida", "ireland")
COUNTS = (1, 2, 4, 8)


def runs(options: Options) -> Sequence[Item]:
    """Every test with every seed."""
    return test_items(options, measure_test)


def figures(run: RunResults) -> dict[str, float]:
    """Figures of the claims; `values.xi` names the measure of instantaneous fairness."""
    samples = Samples.of(run)
    measures = {"throughput": "total", "sigma": "sigma_f", "xi": run.options.values["xi"]}
    found = {
        f"{measure}.{path}.{name}.{count}": samples.mean(f"{path}.{name}.{count}", column)
        for measure, column in measures.items()
        for path in PATHS
        for name in ALGORITHMS
        for count in (COUNTS if measure == "throughput" else COUNTS[1:])
    }
    for path in PATHS:
        for name in ALGORITHMS:
            reverse = samples.mean(f"{path}.{name}.reverse", "total")
            found[f"reverse.{path}.{name}"] = ratio(reverse, found[f"throughput.{path}.{name}.1"])
            for measure in ("sigma", "xi"):
                several = [found[f"{measure}.{path}.{name}.{count}"] for count in COUNTS[1:]]
                found[f"{measure}.{path}.{name}"] = average(several)
        found[f"reverse.{path}"] = average([found[f"reverse.{path}.{n}"] for n in ALGORITHMS])
    return found | _of_throughput(found, samples) | _of_fairness(found)


def _of_throughput(found: Mapping[str, float], samples: Samples) -> dict[str, float]:
    def of(path: str, name: str, count: int) -> float:
        return found[f"throughput.{path}.{name}.{count}"]

    def spread(path: str, count: int) -> float:
        all_three = [of(path, name, count) for name in ALGORITHMS]
        return ratio(highest(all_three) - lowest(all_three), average(all_three))

    def variation(count: int) -> float:
        keys = [f"{path}.{name}.{count}" for path in PATHS for name in ALGORITHMS]
        return average([samples.mean(key, "variation") for key in keys])

    return {
        "spread.1": average([spread(path, 1) for path in PATHS]),
        "spread.8": average([spread(path, 8) for path in PATHS]),
        "spread.caltech.8": spread("caltech", 8),
        "ctcp over standard": average(
            [ratio(of(p, "ctcp", n), of(p, "reno", n)) for p in PATHS[1:] for n in (1, 2)]
        ),
        "throughput.ireland ctcp over hstcp": average(
            [ratio(of("ireland", "ctcp", n), of("ireland", "hstcp", n)) for n in COUNTS]
        ),
        "variation.few": average([variation(1), variation(2)]),
        "variation.8": variation(8),
    }


def _of_fairness(found: Mapping[str, float]) -> dict[str, float]:
    caltech = [found[f"sigma.caltech.{name}.8"] for name in ALGORITHMS]
    ireland = {name: found[f"sigma.ireland.{name}.8"] for name in ALGORITHMS}
    fast = average([ireland["ctcp"], ireland["hstcp"]])
    mean = {n: average([found[f"sigma.{path}.{n}"] for path in PATHS]) for n in ALGORITHMS}
    xi = {name: found[f"xi.ireland.{name}"] for name in ALGORITHMS}
    return {
        "sigma.caltech.range": highest(caltech) - lowest(caltech),
        "sigma.hstcp": mean["hstcp"],
        "sigma.others": highest([mean["reno"], mean["ctcp"]]),
        "sigma.ireland.8 ctcp over hstcp": ratio(ireland["ctcp"], ireland["hstcp"]),
        "sigma.ireland.8 standard over both": ratio(ireland["reno"], fast),
        "sigma.short.ctcp": highest([found[f"sigma.{path}.ctcp"] for path in PATHS[:2]]),
        "xi.short.ctcp": highest([found[f"xi.{path}.ctcp"] for path in PATHS[:2]]),
        "xi.ireland ctcp over hstcp": ratio(xi["ctcp"], xi["hstcp"]),
        "xi.ireland.others": lowest([xi["ctcp"], xi["hstcp"]]),
        "xi.caltech.others.8": highest([found[f"xi.caltech.{n}.8"] for n in ("reno", "ctcp")]),
        "xi with sigma": _agreement(found),
    }


def _agreement(found: Mapping[str, float]) -> float:
    """Rank correlation of the two fairness measures over all tests; NaN if any is missing."""
    keys = [f"{path}.{n}.{count}" for path in PATHS for n in ALGORITHMS for count in COUNTS[1:]]
    pairs = [[found[f"{measure}.{key}"] for key in keys] for measure in ("sigma", "xi")]
    if any(math.isnan(value) for row in pairs for value in row):
        return math.nan
    return float(spearmanr(*pairs).statistic)
