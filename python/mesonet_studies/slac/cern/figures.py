"""Figures, charts and tables of `slac-2005`: four flows, one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

from mesonet.figures.chart import Chart
from mesonet.figures.style import VERMILLION, data, themed
from mesonet.page.tables import Table, rows_table
from mesonet.studies.bench import Item
from mesonet.studies.study import Options, RunResults, chart, table
from mesonet_studies.slac.cern.measure import measure_phases
from mesonet_studies.slac.charts import (
    name_of,
    over_time,
    plus_minus,
    printed_or_measured,
    printed_rows,
    side_by_side,
)
from mesonet_studies.slac.paths import settings, test_items
from mesonet_studies.slac.samples import Samples, ratio

__all__ = ["over_time", "settings"]

ALGORITHMS = ("hstcp", "fast", "scalable", "htcp", "bic", "reno")
MEASURES = {
    "throughput": ("total", "Throughput (Mbit/s)"),
    "stability": ("stability", "Deviation over mean"),
    "fairness": ("fairness", "Fairness of two flows"),
    "rtt": ("rtt_deviation", "Deviation of RTT (ms)"),
}
"""Columns of the printed summary: what is kept of a run for them, and headings."""


def runs(options: Options) -> Sequence[Item]:
    """Every test with every seed."""
    return test_items(options, measure_phases)


def figures(run: RunResults) -> dict[str, float]:
    """Figures of the claims."""
    samples = Samples.of(run)

    def of(name: str, measure: str) -> float:
        return samples.mean(f"cern.{name}.4", measure)

    four = {
        name: {label: of(name, column) for label, (column, _) in MEASURES.items()}
        for name in ALGORITHMS
    }

    def minimum(label: str, *names: str) -> float:
        return float(np.min([four[name][label] for name in names]))

    numbers = {
        f"{label}.{name}": values[label] for name, values in four.items() for label in values
    }
    numbers |= {
        f"{n}.{count}": of(n, f"total.{count}") for n in ("htcp", "bic") for count in (1, 2)
    }
    apart = [ratio(four["bic"][label], four["htcp"][label]) - 1 for label in MEASURES]
    return numbers | {
        "throughput.low": np.max([four[name]["throughput"] for name in ("hstcp", "reno")]),
        "throughput.high": minimum("throughput", "scalable", "htcp", "bic"),
        "fairness.bic and htcp": minimum("fairness", "bic", "htcp"),
        "bic and htcp": np.abs(apart).max(),
        "rtt.others": minimum("rtt", *(name for name in ALGORITHMS if name != "fast")),
        "stability.worst": minimum("stability", "reno", "hstcp"),
        "fast.second": of("fast", "second_share"),
        "htcp.variation.2": of("htcp", "variation.2"),
        "htcp.variation.many": np.max([of("htcp", f"variation.{count}") for count in (3, 4)]),
        "reno.early": ratio(of("reno", "early"), of("reno", "total.1")),
        "reno.trough": ratio(of("reno", "trough"), of("reno", "early")),
        "reno.climb": of("reno", "climb_ratio"),
    }


def _printed(options: Options) -> dict[str, dict[str, float]]:
    """The printed summary: its columns by algorithm."""
    return {row.pop("algorithm"): row for row in printed_rows(options)}


@table
def summary(run: RunResults) -> Table | None:
    """Four metrics of every algorithm, printed and measured."""
    samples, printed = Samples.of(run), _printed(run.options)
    rows = []
    for test in samples.tests:
        row = printed.get(test.flows[0], {})
        ours = {name: samples.mean(test.key, measure) for name, (measure, _) in MEASURES.items()}
        throughput = (row.get(name, math.nan) for name in ("throughput", "throughput_error"))
        deviation = samples.mean(test.key, "deviation")
        rows.append(
            ours
            | {f"{name}_printed": row.get(name) for name in MEASURES}
            | {
                "algorithm": name_of(run.options, test.flows[0]),
                "throughput": plus_minus(ours["throughput"], deviation),
                "throughput_printed": plus_minus(*throughput),
                "fairness_low": samples.mean(test.key, "fairness_low"),
            }
        )
    headings = {"algorithm": "Algorithm"}
    for name, (_, heading) in MEASURES.items():
        words = "Fairness" if name == "fairness" else heading
        headings |= {f"{name}_printed": f"{words}, printed", name: "measured"}
        headings |= {"fairness_low": "lowest"} if name == "fairness" else {}
    return rows_table("summary", rows, headings)


@chart
def metrics(run: RunResults) -> Any:
    """Bars of the four metrics, printed and measured."""
    samples, printed = Samples.of(run), _printed(run.options)
    panels = []
    for measure, (column, heading) in MEASURES.items():
        rows = [
            {"algorithm": name_of(run.options, test.flows[0]), "what": what, "value": value}
            for test in samples.tests
            for what, value in (
                ("printed", printed.get(test.flows[0], {}).get(measure, math.nan)),
                ("measured", samples.mean(test.key, column)),
            )
            if not math.isnan(value)
        ]
        bars = Chart(data(rows)).encode(
            alt.X("algorithm:N", title=None, sort=None, axis=alt.Axis(labelAngle=-30)),
            alt.XOffset("what:N", sort=["printed", "measured"]),
            alt.Y("value:Q", title=heading),
            printed_or_measured(),
            tooltip=["algorithm:N", "what:N", "value:Q"],
        )
        panels.append(bars.mark_bar().properties(width=330, height=150))
    return themed(alt.concat(*panels, columns=2, spacing=26))


@chart
def round_trips(run: RunResults) -> Any:
    """The round-trip time of the first repeat over time, a panel per algorithm."""
    samples = Samples.of(run)
    panels = []
    for test, curves in samples.first_curves():
        step = curves["time"][-1] / len(curves["rtt"])
        rows = [{"time": (k + 1) * step, "rtt": value} for k, value in enumerate(curves["rtt"])]
        line = Chart(data(rows)).encode(
            alt.X("time:Q", title="Time (s)"),
            alt.Y("rtt:Q", title="RTT (ms)", scale=alt.Scale(zero=False)),
        )
        line = line.mark_line(strokeWidth=1.1, color=VERMILLION)
        name = name_of(run.options, test.flows[0])
        panels.append(line.properties(width=250, height=110, title=name))
    return side_by_side(panels, spacing=24)
