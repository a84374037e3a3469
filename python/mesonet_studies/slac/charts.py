"""Charts and tables that the pages of these studies share, for some of a study's tests each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl

from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, GREY, INK, Look, data, nothing_chart, themed
from mesonet.numbers import plain_number as number
from mesonet.page.tables import Table, fixed, rows_table
from mesonet.studies.study import Options, RunResults, chart, table
from mesonet_studies.slac.paths import STANDARD, PathTest
from mesonet_studies.slac.samples import WINDOWS, Samples, Spread

_TITLE = 38
"""Characters of a title that fit over a panel."""
_FLOWS = ("#0072B2", "#009E73", "#D55E00", "#E69F00", "#CC79A7", "#56B4E9", "#7A6FD0", "#A5673F")
_WHAT = ["printed", "measured"]
_ABOUT = {"path": "Path", "test": "Test", "algorithm": "Algorithm"}


def printed_rows(options: Options) -> list[dict[str, Any]]:
    """Rows of the study's printed tables."""
    rows = pl.read_csv(Path(__file__).parent / options.values["printed"])
    return rows.with_columns(pl.col(pl.Int64).cast(pl.Float64)).to_dicts()


def printed_values(options: Options, name: str) -> dict[str, Spread]:
    """A printed table: values and errors by the keys of tests."""
    return {
        f"{path}.{row['test']}": Spread(row[path], row[f"{path}_error"])
        for row in printed_rows(options)
        for path in options.values["paths"]
        if row["table"] == name and row.get(path) is not None
    }


def name_of(options: Options, algorithm: str) -> str:
    """The name of an algorithm for people."""
    labels: Mapping[str, str] = options.values["labels"]
    return labels.get(algorithm, algorithm)


def mix_of(options: Options, test: PathTest) -> str:
    """Standard flows of a test, and the new one, for people."""
    count = sum(name == STANDARD for name in test.flows)
    new = test.flows[-1]
    return f"{count} standard" + ("" if new == STANDARD else f", 1 {name_of(options, new)}")


def about(options: Options, test: PathTest) -> dict[str, str]:
    """Path, algorithm and number of flows of a test, for people."""
    flows = f"{len(test.flows)} flow{'s' if len(test.flows) > 1 else ''}"
    return {
        "path": test.path.title,
        "test": f"{flows}, {test.reverse} reverse" if test.reverse else flows,
        "algorithm": name_of(options, test.flows[-1]),
    }


def plus_minus(value: float, error: float) -> str:
    """A mean and its deviation for people."""
    if math.isnan(value):
        return "–"
    rounded = float(f"{value:.3g}")
    if math.isnan(error):
        return number(rounded)
    # Finer than a hundredth of the value's last digit, a deviation says nothing.
    digits = 4 - math.floor(math.log10(abs(rounded))) if rounded else 5
    error = round(float(f"{error:.2g}"), max(digits, 1))
    return f"{number(rounded)}\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{number(error)}"


@table
def comparison(run: RunResults, printed: str, measure: str, among: str = "") -> Table | None:
    """Printed beside measured for every test with a printed value or a measured one."""
    samples = Samples.of(run, among)
    values = printed_values(run.options, printed)
    rows = []
    for test in samples.tests:
        ours, published = samples.spread(test.key, measure), values.get(test.key)
        if published is None and math.isnan(ours.value):
            continue
        value, error = published or (None, None)
        rows.append(
            {
                **about(run.options, test),
                "printed": value,
                "printed_error": error,
                "printed_text": plus_minus(*published) if published else "–",
                "measured": ours.value,
                "measured_error": ours.error,
                "measured_text": plus_minus(*ours),
                "ratio": ours.value / value if value else None,
                "repeats": len(samples.runs.get(test.key, ())),
            }
        )
    headings = _ABOUT | {"printed_text": "Printed", "measured_text": "Measured"}
    headings |= {"ratio": "Measured over printed", "repeats": "Repeats"}
    return rows_table(printed, rows, headings, {"ratio": fixed(2), "repeats": str})


@table
def windows_table(run: RunResults, among: str = "") -> Table | None:
    """xi_f at every length of window, and the other interpretation."""
    samples = Samples.of(run, among)
    measures = {"second": ("xi_f_1s", "1 s")}
    measures |= {f"rtt_{count}": (f"xi_f_{count}", f"{count} RTT") for count in WINDOWS}
    measures |= {"spread": ("spread", "root mean square, 1 s")}
    rows = [
        about(run.options, test)
        | {name: samples.mean(test.key, measure) for name, (measure, _) in measures.items()}
        for test in samples.tests
    ]
    return rows_table(
        "xi-w", rows, _ABOUT | {name: heading for name, (_, heading) in measures.items()}
    )


@chart
def over_time(
    run: RunResults,
    title: str,
    field: str = "rate",
    heading: str = "Mbit/s",
    columns: int = 3,
    among: str = "",
) -> Any:
    """Every flow of the first repeat over time, a panel per test, as the slides show them."""
    samples = Samples.of(run, among)
    largest = max((len(test.flows) for test in samples.tests), default=0)
    colour = alt.Color(
        "flow:N",
        title="Flow",
        scale=alt.Scale(domain=[f"{k + 1}" for k in range(largest)], range=list(_FLOWS[:largest])),
        legend=alt.Legend() if largest > 1 else None,
    )
    panels = []
    for test, curves in samples.first_curves():
        rows = [
            {"time": time, "flow": f"{flow + 1}", "value": value}
            for flow, values in enumerate(curves[field])
            for time, value in _from_start(curves["time"], values)
        ]
        buffer, mix = test.path.buffer, mix_of(run.options, test)
        lines = title.format(**about(run.options, test), buffer=buffer, mix=mix)
        base = Chart(data(rows)).encode(
            alt.X("time:Q", title="Time (s)"),
            alt.Y("value:Q", title=heading),
            colour,
            tooltip=["time:Q", "flow:N", "value:Q"],
        )
        line = base.mark_line(strokeWidth=1.1)
        panels.append(line.properties(width=250, height=130, title=_lines(lines)))
    return side_by_side(panels, columns=columns, spacing=24)


def _from_start(times: Sequence[float], values: Sequence[float]) -> Iterable[tuple[float, float]]:
    """Times and values from the last zero before a flow has begun."""
    begun = next((place for place, value in enumerate(values) if value > 0), len(values))
    begin = max(begun - 1, 0)
    return zip(times[begin:], values[begin:], strict=True)


def _lines(title: str) -> str | list[str]:
    """Lines of a title, two where it is wider than its panel."""
    head, _, rest = title.partition(": ")
    return [f"{head}:", rest] if len(title) > _TITLE and rest else title


@chart
def beside(run: RunResults, printed: str, measure: str, heading: str, among: str = "") -> Any:
    """Printed and measured values side by side, a panel per path and test."""
    samples = Samples.of(run, among)
    values = printed_values(run.options, printed)
    rows = [
        about(run.options, test) | ends
        for test in samples.tests
        for ends in with_ends(values.get(test.key), samples.spread(test.key, measure), minimum=0.0)
    ]
    algorithms = list(dict.fromkeys(row["algorithm"] for row in rows))
    panels = []
    for part, title in _by_test(rows):
        base = Chart(data(part)).encode(
            alt.X("algorithm:N", title=None, sort=algorithms, axis=alt.Axis(labelAngle=-30)),
            alt.XOffset("what:N", sort=_WHAT),
        )
        bars = base.mark_bar().encode(
            alt.Y("value:Q", title=heading),
            printed_or_measured(),
            tooltip=["algorithm:N", "what:N", "value:Q", "low:Q", "high:Q"],
        )
        errors = base.mark_rule(color=INK).encode(alt.Y("low:Q", title=heading), y2="high:Q")
        panels.append(alt.layer(bars, errors).properties(width=210, height=130, title=title))
    return side_by_side(panels)


def with_ends(
    printed: Spread | None, measured: Spread, *, minimum: float = -math.inf
) -> list[dict[str, Any]]:
    """Rows of a chart: values that are known by what they are, with the ends of their errors."""
    rows = []
    for what, spread in zip(_WHAT, (printed, measured), strict=True):
        if spread is not None and not math.isnan(spread.value):
            error = 0.0 if math.isnan(spread.error) else spread.error
            low, high = max(spread.value - error, minimum), spread.value + error
            rows.append({"what": what, "value": spread.value, "low": low, "high": high})
    return rows


@chart
def windows_chart(run: RunResults, among: str = "") -> Any:
    """xi_f against the length of its windows in base round-trip times, and at 1 s."""
    samples = Samples.of(run, among)
    rows = [
        {**about(run.options, test), "window": window, "value": value, "kind": kind}
        for test in samples.tests
        for window, measure, kind in (
            *((float(count), f"xi_f_{count}", "round trips") for count in WINDOWS),
            (1000 / test.path.rtt_ms, "xi_f_1s", "1 s"),
        )
        if not math.isnan(value := samples.mean(test.key, measure))
    ]
    look = Look.of(dict.fromkeys(str(row["algorithm"]) for row in rows))
    panels = []
    for part, title in _by_test(rows):
        base = Chart(data(part)).encode(
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
        panels.append(alt.layer(lines, seconds).properties(width=210, height=130, title=title))
    return side_by_side(panels)


def _by_test(rows: Sequence[Mapping[str, Any]]) -> Iterable[tuple[pl.DataFrame, str]]:
    """Rows of each path and test, with the title of their panel."""
    if rows:
        for (path, test), part in pl.DataFrame(rows).group_by("path", "test", maintain_order=True):
            yield part, f"{path}: {test}"


def side_by_side(panels: Sequence[Any], *, columns: int = 3, spacing: int = 22) -> Any:
    """Panels in rows, or words in their place if there are none."""
    if not panels:
        return nothing_chart("No run of these tests succeeded.")
    return themed(alt.concat(*panels, columns=columns, spacing=spacing))


def printed_or_measured() -> Any:
    """Colours of printed and measured values."""
    return alt.Color("what:N", title=None, scale=alt.Scale(domain=_WHAT, range=[GREY, BLUE]))
