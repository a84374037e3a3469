"""Sections of the page of `slac-impact`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import altair as alt
import polars as pl

from mesonet.figures.style import BLUE, GREY, INK, data, nothing_chart, themed
from mesonet.report.charts import Picture, picture
from mesonet.report.tables import Column, Table, table, words
from mesonet.studies.page import CaptionedChart, Section
from mesonet.studies.slac.impact import (
    FLOWS,
    MODIFIED,
    STANDARD,
    change,
    new_flow,
    standard_flows,
)
from mesonet.studies.slac.pages import name_of, over_time, plus_minus, with_error
from mesonet.studies.slac.paths import PathTest
from mesonet.studies.slac.published import (
    IMPACT_CHANGE,
    IMPACT_NEW,
    IMPACT_STANDARD,
    IMPACT_TOTAL,
    PrintedValue,
)
from mesonet.studies.slac.samples import Samples
from mesonet.studies.slac.settings import NOT_COMPARABLE


def impact_sections(samples: Samples, tests: Sequence[PathTest]) -> list[Section]:
    """Changes, sums and every test over time."""
    panels = [
        (f"{test.path.title}: {_mix(test)}", test) for test in tests if samples.first(test.key)
    ]
    return [
        Section(
            "impact",
            "What standard flows lose",
            (
                NOT_COMPARABLE,
                (
                    "Impact is the change of what a standard flow carries when the eighth flow "
                    "is a new "
                    "one. Errors follow from the deviations of both means over repeats, as in the "
                    "source."
                ),
            ),
            (
                CaptionedChart(
                    _changes(samples, tests),
                    "Below zero the standard flows lose. Lines are the error.",
                ),
            ),
            (("Throughput per standard flow [Mbit/s]", _change_table(samples, tests)),),
            (
                (
                    "The modifications were measured on another day, when eight standard flows "
                    "carried "
                    "187 instead of 311 Mbit/s to Ireland; here all share one baseline."
                ),
            ),
        ),
        Section(
            "sums",
            "What the new flow carries",
            (),
            (),
            (("Sums [Mbit/s]", _sums(samples, tests)),),
        ),
        Section(
            "time",
            "Every test over time",
            (),
            (
                CaptionedChart(
                    over_time("impact-time", samples, panels),
                    f"Flow {FLOWS} starts last; it is the new one.",
                ),
            ),
        ),
    ]


def _mix(test: PathTest) -> str:
    new = test.flows[-1]
    standard = f"{FLOWS} standard" if new == STANDARD else f"{FLOWS - 1} standard, 1 "
    return standard if new == STANDARD else standard + name_of(new)


def _changes(samples: Samples, tests: Sequence[PathTest]) -> Picture:
    rows = []
    for test in tests:
        new = test.flows[-1]
        if new == STANDARD:
            continue
        found = change(samples, test.path, new)
        pairs = [("printed", IMPACT_CHANGE.get(test.key)), ("measured", PrintedValue(*found))]
        for what, pair in pairs:
            if pair is None or math.isnan(pair.value):
                continue
            error = 0.0 if math.isnan(pair.error) else pair.error
            rows.append(
                {
                    "test": f"{test.path.name.title()}, {name_of(new)}",
                    "what": what,
                    "value": pair.value,
                    "low": pair.value - error,
                    "high": pair.value + error,
                }
            )
    if not rows:
        return picture("changes", nothing_chart("No run of these tests succeeded."), "Nothing")
    base = alt.Chart(data(rows)).encode(
        alt.Y(
            "test:N",
            title=None,
            sort=list(dict.fromkeys(str(row["test"]) for row in rows)),
            axis=alt.Axis(labelLimit=240),
        ),
        alt.YOffset("what:N", sort=["printed", "measured"]),
    )
    bars = base.mark_bar().encode(
        alt.X("value:Q", title="Change per standard flow", axis=alt.Axis(format="%")),
        alt.Color(
            "what:N",
            title=None,
            scale=alt.Scale(domain=["printed", "measured"], range=[GREY, BLUE]),
        ),
        tooltip=["test:N", "what:N", "value:Q", "low:Q", "high:Q"],
    )
    errors = base.mark_rule(color=INK).encode(alt.X("low:Q"), x2="high:Q")
    chart = themed(alt.layer(bars, errors).properties(width=560, height=300))
    return picture("changes", chart, "Change of what a standard flow carries, printed and measured")


def _change_table(samples: Samples, tests: Sequence[PathTest]) -> Table:
    rows = []
    for test in tests:
        new = test.flows[-1]
        if new == STANDARD:
            continue
        base = f"{test.path.name}.{STANDARD}"
        found, printed = change(samples, test.path, new), IMPACT_CHANGE.get(test.key)
        rows.append(
            {
                "path": test.path.title,
                "new": name_of(new),
                "without": plus_minus(*with_error(standard_flows(samples, base, own=True))),
                "among": plus_minus(*with_error(standard_flows(samples, test.key))),
                "change": _percent(found.change, found.error),
                "printed": "–" if printed is None else _percent(*printed),
                "change_value": found.change,
                "change_error": found.error,
            }
        )
    columns: list[Column] = [
        words("path", "Path"),
        words("new", "New flow"),
        words("without", "Without"),
        words("among", "With"),
        words("change", "Change, measured"),
        words("printed", "Change, printed"),
    ]
    return table("impact", pl.DataFrame(rows, infer_schema_length=None), columns)


def _percent(value: float, error: float) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:+.0%}" + ("" if math.isnan(error) else f" ± {error:.0%}")


def _sums(samples: Samples, tests: Sequence[PathTest]) -> Table:
    rows = []
    for test in tests:
        new = test.flows[-1]
        own = new == STANDARD
        count = FLOWS if own else FLOWS - 1
        standard = [count * each for each in standard_flows(samples, test.key, own=own)]
        total = (samples.mean(test.key, "total"), samples.deviation(test.key, "total"))
        rows.append(
            {
                "path": test.path.title,
                "mix": _mix(test),
                "standard": plus_minus(*with_error(standard)),
                "standard_printed": _printed(IMPACT_STANDARD, test.key),
                "new": "–" if own else plus_minus(*with_error(new_flow(samples, test.key))),
                "new_printed": _printed(IMPACT_NEW, test.key),
                "total": plus_minus(*total),
                "total_printed": _printed(IMPACT_TOTAL, test.key),
                "day": "later" if new in MODIFIED else "first",
            }
        )
    columns: list[Column] = [
        words("path", "Path"),
        words("mix", "Flows"),
        words("standard", "Standard, measured"),
        words("standard_printed", "printed"),
        words("new", "New, measured"),
        words("new_printed", "printed"),
        words("total", "Sum, measured"),
        words("total_printed", "printed"),
        words("day", "Day"),
    ]
    return table("sums", pl.DataFrame(rows, infer_schema_length=None), columns)


def _printed(cells: Mapping[str, PrintedValue], key: str) -> str:
    return plus_minus(*cells[key]) if key in cells else "–"
