"""Parts that the pages of these studies share: tables beside the source's, charts, variants."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from mesonet.figures.style import BLUE, GREY, INK, Look, data, nothing_chart, themed
from mesonet.report.charts import picture
from mesonet.report.tables import Column, Table, numbers, table, words
from mesonet.studies.page import Section
from mesonet.studies.rules import Figures, number
from mesonet.studies.scorecard import Claim, score
from mesonet.studies.slac.paths import PathTest
from mesonet.studies.slac.published import PrintedValue
from mesonet.studies.slac.samples import WINDOWS, Samples, average

LABELS = {
    "reno": "standard TCP",
    "ctcp": "CTCP",
    "hstcp": "HSTCP",
    "ctcp:slac-muted": "CTCP, muted",
    "ctcp:slac-partial": "CTCP, partial",
    "ctcp:slac-diffwnd": "CTCP, gamma by diffWnd",
    "ctcp:slac-losswnd": "CTCP, gamma by loss window",
    "fast": "FAST",
    "scalable": "Scalable TCP",
    "htcp": "H-TCP",
    "bic": "BIC",
}
"""Names of algorithms for people."""

_TITLE = 38
"""Characters of a title that fit over a panel."""
_FLOWS = ("#0072B2", "#009E73", "#D55E00", "#E69F00", "#CC79A7", "#56B4E9", "#7A6FD0", "#A5673F")


def name_of(algorithm: str) -> str:
    """The name of an algorithm for people."""
    return LABELS.get(algorithm, algorithm)


def title_of(test: PathTest) -> str:
    """A test for people."""
    flows = f"{len(test.flows)} flow{'s' if len(test.flows) > 1 else ''}"
    return f"{flows}, {test.reverse} reverse" if test.reverse else flows


def with_error(values: Sequence[float]) -> tuple[float, float]:
    """Mean and sample standard deviation; NaN where there are too few."""
    error = float(np.std(values, ddof=1)) if len(values) > 1 else math.nan
    return average(values), error


def plus_minus(value: float, error: float) -> str:
    """A mean and its deviation for people."""
    if math.isnan(value):
        return "–"
    shown = float(f"{value:.3g}")
    if math.isnan(error):
        return number(shown)
    # Finer than a hundredth of the value's last digit, a deviation says nothing.
    digits = 4 - math.floor(math.log10(abs(shown))) if shown else 5
    error = round(float(f"{error:.2g}"), max(digits, 1))
    return f"{number(shown)}\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{number(error)}"


def comparison(
    identifier: str,
    samples: Samples,
    tests: Sequence[PathTest],
    printed: Mapping[str, PrintedValue],
    measure: str,
) -> Table:
    """Printed beside measured for every test with a printed value or a measured one."""
    rows = []
    for test in tests:
        value, error = samples.mean(test.key, measure), samples.deviation(test.key, measure)
        found = printed.get(test.key)
        if found is None and math.isnan(value):
            continue
        rows.append(
            {
                "path": test.path.title,
                "test": title_of(test),
                "algorithm": name_of(test.flows[-1]),
                "printed": None if found is None else found.value,
                "printed_error": None if found is None else found.error,
                "printed_text": "–" if found is None else plus_minus(*found),
                "measured": value,
                "measured_error": error,
                "measured_text": plus_minus(value, error),
                "ratio": None if found is None or not found.value else value / found.value,
                "repeats": len(samples.runs.get(test.key, ())),
            }
        )
    frame = pl.DataFrame(rows, infer_schema_length=None)
    columns: list[Column] = [
        words("path", "Path"),
        words("test", "Test"),
        words("algorithm", "Algorithm"),
        words("printed_text", "Printed"),
        words("measured_text", "Measured"),
        Column("ratio", "Measured over printed", lambda value: f"{value:.2f}"),
        Column("repeats", "Repeats"),
    ]
    return table(identifier, frame, columns)


def over_time(
    identifier: str,
    samples: Samples,
    panels: Sequence[tuple[str, PathTest]],
    *,
    field: str = "rate",
    heading: str = "Mbit/s",
    columns: int = 3,
) -> Any:
    """One panel per test: every flow of the first repeat over time, as the slides show them."""
    charts = []
    most = max((len(test.flows) for _, test in panels), default=0)
    for title, test in panels:
        first = samples.first(test.key)
        if first is None:
            continue
        found = first["curves"]
        rows = [
            {"time": time, "flow": f"{flow + 1}", "value": value}
            for flow, values in enumerate(found[field])
            for time, value in _from_start(found["time"], values)
        ]
        charts.append(
            alt.Chart(data(rows))
            .mark_line(strokeWidth=1.1)
            .encode(
                alt.X("time:Q", title="Time (s)"),
                alt.Y("value:Q", title=heading),
                alt.Color(
                    "flow:N",
                    title="Flow",
                    scale=alt.Scale(
                        domain=[f"{k + 1}" for k in range(most)], range=list(_FLOWS[:most])
                    ),
                    legend=alt.Legend() if most > 1 else None,
                ),
                tooltip=["time:Q", "flow:N", "value:Q"],
            )
            .properties(width=250, height=130, title=_lines(title))
        )
    if not charts:
        return picture(identifier, nothing_chart("No run of these tests succeeded."), "Nothing")
    chart = themed(alt.concat(*charts, columns=columns, spacing=24))
    return picture(identifier, chart, f"{heading} of every flow over time")


def _from_start(times: Sequence[float], values: Sequence[float]) -> Iterable[tuple[float, float]]:
    """Times and values from the last zero before a flow has begun."""
    begun = next((place for place, value in enumerate(values) if value > 0), len(values))
    begin = max(begun - 1, 0)
    return zip(times[begin:], values[begin:], strict=True)


def _lines(title: str) -> str | list[str]:
    """Lines of a title, two where it is wider than its panel."""
    head, _, rest = title.partition(": ")
    return [f"{head}:", rest] if len(title) > _TITLE and rest else title


def beside(
    identifier: str,
    samples: Samples,
    tests: Sequence[PathTest],
    printed: Mapping[str, PrintedValue],
    measure: str,
    *,
    heading: str,
) -> Any:
    """Printed and measured values side by side, a panel per path and test."""
    rows = []
    for test in tests:
        pairs = [("printed", printed.get(test.key))]
        mean = samples.mean(test.key, measure)
        if not math.isnan(mean):
            pairs.append(("measured", PrintedValue(mean, samples.deviation(test.key, measure))))
        for what, pair in pairs:
            if pair is None:
                continue
            error = 0.0 if math.isnan(pair.error) else pair.error
            rows.append(
                {
                    "path": test.path.title,
                    "algorithm": name_of(test.flows[-1]),
                    "test": title_of(test),
                    "what": what,
                    "value": pair.value,
                    "low": max(pair.value - error, 0.0),
                    "high": pair.value + error,
                }
            )
    if not rows:
        return picture(identifier, nothing_chart("No run of these tests succeeded."), "Nothing")
    frame = pl.DataFrame(rows)
    colour = alt.Color(
        "what:N",
        title=None,
        scale=alt.Scale(domain=["printed", "measured"], range=[GREY, BLUE]),
    )
    algorithms = frame["algorithm"].unique(maintain_order=True).to_list()
    panels = []
    for (path, test_name), part in frame.group_by("path", "test", maintain_order=True):
        base = alt.Chart(data(part)).encode(
            alt.X("algorithm:N", title=None, sort=algorithms, axis=alt.Axis(labelAngle=-30)),
            alt.XOffset("what:N", sort=["printed", "measured"]),
        )
        bars = base.mark_bar().encode(
            alt.Y("value:Q", title=heading),
            colour,
            tooltip=["algorithm:N", "what:N", "value:Q", "low:Q", "high:Q"],
        )
        errors = base.mark_rule(color=INK).encode(alt.Y("low:Q", title=heading), y2="high:Q")
        panels.append(
            alt.layer(bars, errors).properties(width=210, height=130, title=f"{path}: {test_name}")
        )
    chart = themed(alt.concat(*panels, columns=3, spacing=22))
    return picture(identifier, chart, f"{heading}, printed and measured")


def windows_chart(identifier: str, samples: Samples, tests: Sequence[PathTest]) -> Any:
    """xi_f against the length of its windows in base round-trip times, and at 1 s."""
    rows = []
    for test in tests:
        if len(test.flows) < 2:
            continue
        for count in WINDOWS:
            value = samples.mean(test.key, f"xi_f_{count}")
            rows.append(_window_row(test, float(count), value, "round trips"))
        second = samples.mean(test.key, "xi_f_1s")
        rows.append(_window_row(test, 1000 / test.path.rtt_ms, second, "1 s"))
    rows = [row for row in rows if not math.isnan(row["value"])]
    if not rows:
        return picture(identifier, nothing_chart("No run of these tests succeeded."), "Nothing")
    look = Look.of(dict.fromkeys(row["algorithm"] for row in rows))
    frame = pl.DataFrame(rows)
    panels = []
    for (path, test_name), part in frame.group_by("path", "test", maintain_order=True):
        base = alt.Chart(data(part)).encode(
            alt.X(
                "window:Q",
                title="Window (base RTTs)",
                scale=alt.Scale(type="log", domain=[WINDOWS[0] * 0.8, WINDOWS[-1] * 1.4]),
                axis=alt.Axis(values=list(WINDOWS)),
            ),
            alt.Y("value:Q", title="ξ_f"),
            alt.Color("algorithm:N", title=None, scale=look.scale()),
            tooltip=["algorithm:N", "kind:N", "window:Q", "value:Q"],
        )
        lines = base.mark_line(point=True).transform_filter("datum.kind == 'round trips'")
        seconds = base.mark_point(shape="diamond", size=90).transform_filter("datum.kind == '1 s'")
        panels.append(
            alt.layer(lines, seconds).properties(
                width=210, height=130, title=f"{path}: {test_name}"
            )
        )
    chart = themed(alt.concat(*panels, columns=3, spacing=22))
    return picture(identifier, chart, "ξ_f against the length of its windows")


def _window_row(test: PathTest, window: float, value: float, kind: str) -> dict[str, Any]:
    return {
        "path": test.path.title,
        "test": title_of(test),
        "algorithm": name_of(test.flows[-1]),
        "window": window,
        "value": value,
        "kind": kind,
    }


def windows_table(identifier: str, samples: Samples, tests: Sequence[PathTest]) -> Table:
    """xi_f at every length of window, and the other interpretation."""
    rows = [
        {
            "path": test.path.title,
            "test": title_of(test),
            "algorithm": name_of(test.flows[-1]),
            "second": samples.mean(test.key, "xi_f_1s"),
            **{f"rtt_{count}": samples.mean(test.key, f"xi_f_{count}") for count in WINDOWS},
            "spread": samples.mean(test.key, "spread"),
        }
        for test in tests
        if len(test.flows) > 1
    ]
    columns = [
        words("path", "Path"),
        words("test", "Test"),
        words("algorithm", "Algorithm"),
        numbers("second", "1 s"),
        *(numbers(f"rtt_{count}", f"{count} RTT") for count in WINDOWS),
        numbers("spread", "root mean square, 1 s"),
    ]
    return table(identifier, pl.DataFrame(rows, infer_schema_length=None), columns)


def sensitivity(
    study: str, claims: Sequence[Claim], cards: Sequence[tuple[str, Figures]]
) -> pl.DataFrame:
    """One row per variant: claims that agree and disagree, and which disagree."""
    rows = []
    for title, figures in cards:
        card = score(study, "desk", claims, figures)
        counts = card.counts()
        rows.append(
            {
                "world": title,
                "agrees": counts["agrees"],
                "scored": card.scored,
                "disagree": ", ".join(
                    entry.claim.id for entry in card.entries if entry.verdict == "disagrees"
                ),
            }
        )
    return pl.DataFrame(rows)


def sensitivity_section(frame: pl.DataFrame) -> Section:
    """The scorecard under other variants, as a section of the page."""
    columns = [
        words("world", "Scenario variant"),
        Column("agrees", "Agree"),
        Column("scored", "Scored"),
        words("disagree", "Disagree"),
    ]
    return Section(
        "worlds",
        "The scorecard under other scenario variants",
        (
            (
                "The source does not say what other traffic the paths carried, nor how the hosts "
                "acknowledge. Each row scores the same claims under another variant: one repeat of "
                "half the duration; the first row is the study's own variant, measured alike."
            ),
        ),
        tables=(("Agreement by scenario variant", table("worlds", frame, columns)),),
    )
