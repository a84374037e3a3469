"""Figures, charts and tables of `slac-impact`: one new flow among seven standard ones."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import numpy as np

from mesonet.analysis.fairness.estimate import relative_change
from mesonet.figures.chart import Chart
from mesonet.figures.style import INK, data, themed
from mesonet.page.tables import Table, rows_table
from mesonet.studies.study import RunResults, chart, table
from mesonet_studies.slac.charts import (
    mix_of,
    name_of,
    over_time,
    plus_minus,
    printed_or_measured,
    printed_values,
    side_by_side,
    with_ends,
)
from mesonet_studies.slac.paths import STANDARD, settings
from mesonet_studies.slac.samples import Samples, Spread, average, ratio, runs

__all__ = ["over_time", "runs", "settings"]

FLOWS = 8
_NONE = Spread(math.nan, math.nan)
BOTH = ("ctcp", "hstcp")
MODIFIED = ("ctcp:slac-muted", "ctcp:slac-diffwnd", "ctcp:slac-losswnd")


def figures(run: RunResults) -> dict[str, float]:
    """Figures of the claims."""
    samples = Samples.of(run)
    numbers: dict[str, float] = {}
    for path, names in (("ireland", BOTH + MODIFIED), ("florida", BOTH)):
        base = samples.mean(f"{path}.{STANDARD}", "total")
        for name in names:
            key = f"{path}.{name}"
            standard = average(standard_flows(samples, key))
            numbers[f"change.{key}"] = change(samples, path, name).value
            numbers[f"advantage.{key}"] = ratio(average(new_flow(samples, key)), standard)
            numbers[f"total.{key}"] = ratio(samples.mean(key, "total"), base) - 1
    first = [f"{path}.{name}" for path in ("ireland", "florida") for name in BOTH]
    later = [f"ireland.{name}" for name in MODIFIED]
    for name, figure, keys in (
        ("advantage.ireland", "advantage", first[:2]),
        ("advantage.least", "advantage", first),
        ("advantage.least.modified", "advantage", later),
        ("total.modified", "total", later),
        ("change.modified.worst", "change", later),
    ):
        numbers[name] = np.min([numbers[f"{figure}.{key}"] for key in keys])
    numbers["hstcp.difference"] = abs(
        numbers["change.ireland.hstcp"] - numbers["change.florida.hstcp"]
    )
    return {name: float(value) for name, value in numbers.items()}


def new_flow(samples: Samples, key: str) -> list[float]:
    """Throughput of the flow that starts last, in each repeat [Mbit/s]."""
    return [float(run["flows"][f"flow {FLOWS}"]) for run in samples.runs.get(key, ())]


def standard_flows(samples: Samples, key: str, *, own: bool = False) -> list[float]:
    """Mean throughput of a standard flow in each repeat [Mbit/s]; `own` counts all eight."""
    count = FLOWS if own else FLOWS - 1
    runs = samples.runs.get(key, ())
    return [average(list(run["flows"].values())[:count]) for run in runs]


def change(samples: Samples, path: str, name: str) -> Spread:
    """Relative change of what a standard flow carries, and its error as in the source."""
    without = standard_flows(samples, f"{path}.{STANDARD}", own=True)
    among = standard_flows(samples, f"{path}.{name}")
    return Spread(*relative_change(Spread.of(without), Spread.of(among)))


@chart
def changes(run: RunResults) -> Any:
    """The change of what a standard flow carries, printed and measured."""
    samples = Samples.of(run, "mixed")
    printed = printed_values(run.options, "change")
    rows = [
        {"test": f"{test.path.name.title()}, {name_of(run.options, test.flows[-1])}"} | ends
        for test in samples.tests
        for measured in [change(samples, test.path.name, test.flows[-1])]
        for ends in with_ends(printed.get(test.key), measured)
    ]
    if not rows:
        return side_by_side([])
    labels = list(dict.fromkeys(row["test"] for row in rows))
    base = Chart(data(rows)).encode(
        alt.Y("test:N", title=None, sort=labels, axis=alt.Axis(labelLimit=240)),
        alt.YOffset("what:N", sort=["printed", "measured"]),
    )
    bars = base.mark_bar().encode(
        alt.X("value:Q", title="Change per standard flow", axis=alt.Axis(format="%")),
        printed_or_measured(),
        tooltip=["test:N", "what:N", "value:Q", "low:Q", "high:Q"],
    )
    errors = base.mark_rule(color=INK).encode(alt.X("low:Q"), x2="high:Q")
    return themed(alt.layer(bars, errors).properties(width=560, height=300))


@table
def impact(run: RunResults) -> Table | None:
    """Throughput per standard flow without and with the new flow, and its change."""
    samples = Samples.of(run, "mixed")
    printed = printed_values(run.options, "change")
    rows = []
    for test in samples.tests:
        base = standard_flows(samples, f"{test.path.name}.{STANDARD}", own=True)
        shift = change(samples, test.path.name, test.flows[-1])
        rows.append(
            {
                "path": test.path.title,
                "new": name_of(run.options, test.flows[-1]),
                "without": plus_minus(*Spread.of(base)),
                "among": plus_minus(*Spread.of(standard_flows(samples, test.key))),
                "change": _percent(*shift),
                "printed": _percent(*printed.get(test.key, _NONE)),
                "change_value": shift.value,
                "change_error": shift.error,
            }
        )
    headings = {"path": "Path", "new": "New flow", "without": "Without", "among": "With"}
    headings |= {"change": "Change, measured", "printed": "Change, printed"}
    return rows_table("impact", rows, headings)


def _percent(value: float, error: float) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:+.0%}" + ("" if math.isnan(error) else f" ± {error:.0%}")


@table
def sums(run: RunResults) -> Table | None:
    """Sums of the standard flows, the new one and all, printed and measured."""
    samples = Samples.of(run)
    printed = {name: printed_values(run.options, name) for name in ("standard", "new", "total")}
    rows = []
    for test in samples.tests:
        new, own = test.flows[-1], test.flows[-1] == STANDARD
        count = FLOWS if own else FLOWS - 1
        standard = [count * flow for flow in standard_flows(samples, test.key, own=own)]
        rows.append(
            {
                "path": test.path.title,
                "mix": mix_of(run.options, test),
                "standard": plus_minus(*Spread.of(standard)),
                "new": "–" if own else plus_minus(*Spread.of(new_flow(samples, test.key))),
                "total": plus_minus(*samples.spread(test.key, "total")),
                "day": "later" if new in MODIFIED else "first",
            }
            | {
                f"{name}_printed": plus_minus(*values.get(test.key, _NONE))
                for name, values in printed.items()
            }
        )
    headings = {"path": "Path", "mix": "Flows"}
    for name, heading in (("standard", "Standard"), ("new", "New"), ("total", "Sum")):
        headings |= {name: f"{heading}, measured", f"{name}_printed": "printed"}
    return rows_table("sums", rows, headings | {"day": "Day"})
