"""Sections of the page of `slac-2005`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt
import polars as pl

from mesonet.figures.style import BLUE, GREY, VERMILLION, data, nothing_chart, themed
from mesonet.report.charts import Picture, picture
from mesonet.report.tables import Column, Table, numbers, table, words
from mesonet.studies.page import CaptionedChart, Section
from mesonet.studies.slac.cern import MEASURES
from mesonet.studies.slac.pages import name_of, over_time, plus_minus
from mesonet.studies.slac.paths import PathTest
from mesonet.studies.slac.published import SUMMARY_2005
from mesonet.studies.slac.samples import Samples
from mesonet.studies.slac.settings import NOT_COMPARABLE

_HEADINGS = {
    "throughput": "Throughput (Mbit/s)",
    "stability": "Deviation over mean",
    "fairness": "Fairness of two flows",
    "rtt": "Deviation of RTT (ms)",
}


def cern_sections(samples: Samples, tests: Sequence[PathTest]) -> list[Section]:
    """The summary and every algorithm over time."""
    panels = [(name_of(test.flows[0]), test) for test in tests]
    return [
        Section(
            "summary-table",
            "The summary",
            (
                NOT_COMPARABLE,
                (
                    "Fairness is Jain's index of the mean throughputs of the two flows in the "
                    "second "
                    "half of the time in which exactly two send; “lowest” is that in windows of "
                    "10 s. "
                    "The source prints min(F) “calculated with two flows” and does not say over "
                    "what."
                ),
            ),
            (
                CaptionedChart(
                    _bars(samples, tests),
                    "Four metrics of four flows, printed and measured.",
                ),
            ),
            (("Summary", _summary(samples, tests)),),
        ),
        Section(
            "time",
            "Every algorithm over time",
            (),
            (
                CaptionedChart(
                    over_time("cern-rate", samples, panels),
                    "Throughput of each flow; they start one after the other and end together.",
                ),
                CaptionedChart(
                    _rtts(samples, tests), "Round-trip time with the queue of the bottleneck."
                ),
            ),
        ),
    ]


def _summary(samples: Samples, tests: Sequence[PathTest]) -> Table:
    rows = []
    for test in tests:
        printed = SUMMARY_2005.get(test.flows[0])

        def of(measure: str, key: str = test.key) -> float:
            return samples.mean(key, measure)

        rows.append(
            {
                "algorithm": name_of(test.flows[0]),
                "throughput_printed": "–"
                if printed is None
                else plus_minus(printed.throughput, printed.error),
                "throughput": plus_minus(of("total"), of("deviation")),
                "stability_printed": None if printed is None else printed.stability,
                "stability": of("stability"),
                "fairness_printed": None if printed is None else printed.fairness,
                "fairness": of("fairness"),
                "fairness_low": of("fairness_low"),
                "rtt_printed": None if printed is None else float(printed.rtt),
                "rtt": of("rtt_deviation"),
            }
        )
    columns: list[Column] = [
        words("algorithm", "Algorithm"),
        words("throughput_printed", "Throughput (Mbit/s), printed"),
        words("throughput", "measured"),
        numbers("stability_printed", "Deviation over mean, printed"),
        numbers("stability", "measured"),
        numbers("fairness_printed", "Fairness, printed"),
        numbers("fairness", "measured"),
        numbers("fairness_low", "lowest"),
        numbers("rtt_printed", "Deviation of RTT (ms), printed"),
        numbers("rtt", "measured"),
    ]
    return table("summary", pl.DataFrame(rows, infer_schema_length=None), columns)


def _bars(samples: Samples, tests: Sequence[PathTest]) -> Picture:
    panels = []
    for measure, column in MEASURES.items():
        rows = []
        for test in tests:
            name = test.flows[0]
            if name in SUMMARY_2005:
                printed = float(getattr(SUMMARY_2005[name], measure))
                rows.append({"algorithm": name_of(name), "what": "printed", "value": printed})
            value = samples.mean(test.key, column)
            if not math.isnan(value):
                rows.append({"algorithm": name_of(name), "what": "measured", "value": value})
        panels.append(
            alt.Chart(data(rows))
            .mark_bar()
            .encode(
                alt.X("algorithm:N", title=None, sort=None, axis=alt.Axis(labelAngle=-30)),
                alt.XOffset("what:N", sort=["printed", "measured"]),
                alt.Y("value:Q", title=_HEADINGS[measure]),
                alt.Color(
                    "what:N",
                    title=None,
                    scale=alt.Scale(domain=["printed", "measured"], range=[GREY, BLUE]),
                ),
                tooltip=["algorithm:N", "what:N", "value:Q"],
            )
            .properties(width=330, height=150)
        )
    chart = themed(alt.concat(*panels, columns=2, spacing=26))
    return picture("summary", chart, "Throughput, stability, fairness and deviation of the RTT")


def _rtts(samples: Samples, tests: Sequence[PathTest]) -> Picture:
    panels = []
    for test in tests:
        first = samples.first(test.key)
        if first is None:
            continue
        curve = first["curves"]["rtt"]
        step = first["curves"]["time"][-1] / len(curve)
        rows = [{"time": (k + 1) * step, "rtt": value} for k, value in enumerate(curve)]
        panels.append(
            alt.Chart(data(rows))
            .mark_line(strokeWidth=1.1, color=VERMILLION)
            .encode(
                alt.X("time:Q", title="Time (s)"),
                alt.Y("rtt:Q", title="RTT (ms)", scale=alt.Scale(zero=False)),
            )
            .properties(width=250, height=110, title=name_of(test.flows[0]))
        )
    if not panels:
        return picture("rtts", nothing_chart("No run of these tests succeeded."), "Nothing")
    chart = themed(alt.concat(*panels, columns=3, spacing=24))
    return picture("rtts", chart, "Round-trip time over time, by algorithm")
