"""Figures that claims rest on, from the runs of the study `hcc`."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import Any

from mesonet.studies.bench import Results
from mesonet.studies.hcc.fairness import BUFFERS, RATIOS, jain, run_name
from mesonet.studies.hcc.runs import FRIENDLY_BUFFERS, Grid, load_name, single_name
from mesonet.studies.hcc.scenarios import HIGH_SPEED, PROTOCOLS, RATE

LOSS_BASED = ("HSTCP", "STCP", "HTCP", "BIC TCP")
"""Protocols that the slides call loss-based."""
AMPLE = 2000
"""Buffer that has room for alpha and more [packets]."""
SCARCE = 200
"""Buffer smaller than alpha [packets]."""


def table_name(label: str, buffer: int, ratio: float, index: str) -> str:
    """Name of a figure of the table; `index` is "ei" or "fi"."""
    return f"table.{slug(label)}-{buffer}-{ratio:g}.{index}"


def slug(label: str) -> str:
    """A protocol's name as part of an identifier.

    Examples:
        >>> slug("BIC TCP"), slug("TCP-Illinois")
        ('bic', 'illinois')
    """
    return label.lower().replace(" tcp", "").replace("tcp-", "")


def claimed_figures(results: Results, grid: Grid) -> dict[str, float]:
    """Figures that claims need, NaN where runs are missing."""
    return {
        **_table(results),
        **_single(results, grid),
        **_many(results),
        **_reverse(results, grid),
    }


def _table(results: Results) -> dict[str, float]:
    figures = {}
    for label in HIGH_SPEED:
        indices: dict[int, list[float]] = {buffer: [] for buffer in BUFFERS}
        for buffer in BUFFERS:
            for ratio in RATIOS:
                run = results.get(run_name(PROTOCOLS[label], ratio, buffer))
                both = (math.nan, math.nan) if run is None else (run["first"], run["second"])
                index = math.nan if run is None else jain(*both)
                figures[table_name(label, buffer, ratio, "ei")] = sum(both)
                figures[table_name(label, buffer, ratio, "fi")] = index
                indices[buffer].append(index)
            figures[f"{slug(label)}.fi-{buffer}"] = statistics.fmean(indices[buffer])
        every = [index for buffer in BUFFERS for index in indices[buffer]]
        figures[f"{slug(label)}.fi"] = statistics.fmean(every)
        figures[f"{slug(label)}.least-fi-{AMPLE}"] = _least(indices[AMPLE])
    return figures


def _single(results: Results, grid: Grid) -> dict[str, float]:
    def value(label: str, buffer: int, column: str) -> float:
        return _value(results, single_name(PROTOCOLS[label], buffer), column)

    others = [label for label in HIGH_SPEED if label != "HCC TCP"]
    ratios = {
        buffer: _over(
            value("HCC TCP", buffer, "throughput"),
            max(value(label, buffer, "throughput") for label in others)
            if all(not math.isnan(value(label, buffer, "throughput")) for label in others)
            else math.nan,
        )
        for buffer in grid.buffers
    }
    losses = [value(label, AMPLE, "loss") for label in LOSS_BASED]
    figures = {
        "hcc.over-best-other": _least(ratios.values()),
        "loss-based.least-loss": _least(losses),
        "loss-based.least-swing": _least(
            swing(results.get(single_name(PROTOCOLS[label], AMPLE))) for label in LOSS_BASED
        ),
        "fast.loss": value("FAST TCP", AMPLE, "loss"),
        "fast.swing": swing(results.get(single_name("fast", AMPLE))),
        "fast.use": value("FAST TCP", AMPLE, "throughput") / RATE,
        "fast.settled": settled(results.get(single_name("fast", AMPLE))),
        "hcc.use": value("HCC TCP", 600, "throughput") / RATE,
        "hcc.filled": filled(results.get(single_name("hcc", 600))),
    }
    for label in ("FAST TCP", "HCC TCP"):
        figures[f"{slug(label)}.queue"] = late_queue(
            results.get(single_name(PROTOCOLS[label], AMPLE))
        )
        figures[f"{slug(label)}.scarce"] = _over(
            value(label, SCARCE, "throughput"), value(label, AMPLE, "throughput")
        )
    return figures


def _many(results: Results) -> dict[str, float]:
    shares = {
        label: [
            reno_part(results.get(f"friendly-{PROTOCOLS[label]}-{buffer}"))
            for buffer in FRIENDLY_BUFFERS
        ]
        for label in ("HCC TCP", "HSTCP", "STCP", "BIC TCP")
    }
    return {
        "hcc.equal-fi": _least(index_of(results.get(f"equal-hcc-{buffer}")) for buffer in BUFFERS),
        "hcc.reno-part": _least(shares["HCC TCP"]),
        **{
            f"{slug(label)}.mean-reno-part": statistics.fmean(parts)
            for label, parts in shares.items()
        },
    }


def _reverse(results: Results, grid: Grid) -> dict[str, float]:
    kept = {
        name: _over(
            _value(results, f"reverse-{name}-{AMPLE}", "throughput"),
            _value(results, single_name(name, AMPLE), "throughput"),
        )
        for name in ("fast", "vegas", "hcc")
    }
    loads = [
        _over(
            _value(results, load_name("hcc", load), "throughput"),
            _value(results, single_name("hcc", AMPLE), "throughput"),
        )
        for load in grid.loads
    ]
    return {
        "fast.kept-reverse": kept["fast"],
        "vegas.kept-reverse": kept["vegas"],
        "hcc.kept-reverse": kept["hcc"],
        "hcc.kept-load": _least(loads),
    }


def index_of(run: Any) -> float:
    """Jain's index of the flows of a run."""
    if run is None:
        return math.nan
    rates = list(run["throughputs"].values())
    return float(sum(rates) ** 2 / (len(rates) * sum(x * x for x in rates)))


def reno_part(run: Any) -> float:
    """Reno flows' part of the throughput of a run."""
    if run is None:
        return math.nan
    reno = sum(x for name, x in run["throughputs"].items() if name.startswith("reno"))
    return float(reno / run["throughput"])


def late_queue(run: Any) -> float:
    """Mean queue in the second half of a run [packets]."""
    if run is None:
        return math.nan
    queue = run["curves"]["queue"]
    return statistics.fmean(queue[len(queue) // 2 :])


def swing(run: Any) -> float:
    """Standard deviation of the window in the second half of a run, as a part of its mean."""
    if run is None:
        return math.nan
    window = _late_window(run)
    return statistics.pstdev(window) / statistics.fmean(window)


def settled(run: Any) -> float:
    """Time from which the window stays within 5 % of its mean in the second half [s]."""
    if run is None:
        return math.nan
    window, times = run["curves"]["flow.window"], run["curves"]["time"]
    level = statistics.fmean(_late_window(run))
    away = [k for k, value in enumerate(window) if abs(value / level - 1) > 0.05]
    return 0.0 if not away else times[away[-1]] if away[-1] + 1 < len(window) else math.inf


def filled(run: Any) -> float:
    """Time at which a flow first has nine tenths of the capacity [s]."""
    if run is None:
        return math.nan
    rates, times = run["curves"]["flow.rate"], run["curves"]["time"]
    return next(
        (time for time, rate in zip(times, rates, strict=True) if rate >= 0.9 * RATE), math.inf
    )


def _late_window(run: Any) -> Sequence[float]:
    window: list[float] = run["curves"]["flow.window"]
    return window[len(window) // 2 :]


def _value(results: Results, name: str, column: str) -> float:
    run = results.get(name)
    return math.nan if run is None else float(run[column])


def _over(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def _least(values: Iterable[float]) -> float:
    # Any missing run makes the whole unknown; min() would depend on the order.
    found = list(values)
    return min(found) if found and not any(math.isnan(x) for x in found) else math.nan
