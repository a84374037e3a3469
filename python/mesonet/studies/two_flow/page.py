"""The page of the two-flow bench: figures for the claims, and every run as charts and tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from mesonet.figures import percent
from mesonet.report.charts import picture
from mesonet.report.tables import Column, Table, numbers, table, words
from mesonet.studies.bench import Results
from mesonet.studies.page import CaptionedChart, Section
from mesonet.studies.study import Size
from mesonet.studies.two_flow.charts import facts, run_chart, shares_chart
from mesonet.studies.two_flow.claims import ALGORITHMS, PAPER_BIC, PATH, figure_name
from mesonet.studies.two_flow.runs import (
    JOIN,
    REFERENCE_RTT,
    buffer_packets,
    path_packets,
    run_name,
    settings,
)

# Column of the table, its heading, and whether it is a part of the capacity.
_FIGURES = (
    ("alone_window", "red alone: window", False),
    ("alone_use", "red alone: use", True),
    ("alone_queue", "red alone: queue", False),
    ("red_window", "both: red's window", False),
    ("blue_window", "both: blue's window", False),
    ("both_use", "both: use", True),
    ("both_queue", "both: queue", False),
    ("red_share", "red's share", True),
    ("blue_share", "blue's share", True),
    ("blue_part_end", "blue's part at the end", True),
    ("loss", "lost", True),
)
_WINDOW = 10
"""Points of a curve that a mean over 50 s has."""


def reference_figures(
    results: Results, algorithms: Sequence[str]
) -> dict[str, Mapping[str, float]]:
    """The figures of the published setting by algorithm, where there is a result."""
    names = {name: run_name(name, REFERENCE_RTT, math.inf) for name in algorithms}
    return {name: results[run]["figures"] for name, run in names.items() if run in results}


def claimed_figures(results: Results) -> dict[str, float]:
    """Figures that claims rest on: those of the published setting, and times of convergence."""
    figures: dict[str, float] = {}
    for label, algorithm in ALGORITHMS.items():
        result = results.get(run_name(algorithm, REFERENCE_RTT, math.inf))
        if result is None:
            continue
        measured = {**result["figures"], "convergence": convergence(result["curves"])}
        figures |= {figure_name(label, name): value for name, value in measured.items()}
    return figures


def convergence(curves: Mapping[str, Sequence[float]]) -> float:
    """Time from blue's start until its part of the goodput is 40 to 60 % over 50 s [s].

    Infinite if that never happens. The time is that of the first point of those 50 s.
    """
    times, red, blue = curves["time"], curves["red_use"], curves["blue_use"]
    for k in range(len(times) - _WINDOW + 1):
        if times[k] < JOIN:
            continue
        both = sum(red[k : k + _WINDOW]) + sum(blue[k : k + _WINDOW])
        if both and 0.4 <= sum(blue[k : k + _WINDOW]) / both <= 0.6:
            return times[k] - JOIN
    return math.inf


def sections(results: Results, *, size: Size, algorithms: Sequence[str]) -> list[Section]:
    """Overview, every run over time by setting, and every figure."""
    keys = [key for key in settings(size) if _present(results, *key, algorithms)]
    return [
        *_overview(results, algorithms),
        *(_setting(results, *key, algorithms) for key in keys),
        *_interpretations(results),
        *_tables(results, keys, algorithms),
    ]


def _present(results: Results, rtt: int, threshold: float, algorithms: Sequence[str]) -> bool:
    return any(run_name(name, rtt, threshold) in results for name in algorithms)


def _overview(results: Results, algorithms: Sequence[str]) -> list[Section]:
    figures = reference_figures(results, algorithms)
    if not figures:
        return []
    chart = picture(
        "shares", shares_chart(figures), "Shares of red and blue of the capacity, by algorithm"
    )
    caption = (
        "What red and blue had of the capacity while both were there, 250 to 1000 s, round trip "
        "162 ms, no initial threshold. A bar that ends at 100 % is a path fully used; colours "
        "that meet at half of it are a fair division. The dot is red's use while it was alone."
    )
    return [Section("shares", "Use and shares", charts=(CaptionedChart(chart, caption),))]


def setting_name(rtt_ms: int, threshold: float) -> str:
    """A setting in words."""
    limit = "no initial threshold" if math.isinf(threshold) else f"threshold {threshold:g}"
    return f"{rtt_ms} ms, {limit}"


def _setting(results: Results, rtt: int, threshold: float, algorithms: Sequence[str]) -> Section:
    charts = []
    for algorithm in algorithms:
        name = run_name(algorithm, rtt, threshold)
        if name not in results:
            continue
        line = facts(results[name]["figures"])
        chart = run_chart(results[name]["curves"], path=path_packets(rtt), room=buffer_packets(rtt))
        description = f"Windows, queue and goodput over time, {algorithm}: {line}"
        charts.append(CaptionedChart(picture(name, chart, description), f"{algorithm}: {line}"))
    text = (
        "Lines are means over five seconds, bands the range inside them; red is there from 0 s, "
        "blue from 250 s. Dashed: what the path holds, what path and buffer hold, and the buffer."
    )
    identifier = f"runs-{rtt}-{'inf' if math.isinf(threshold) else f'{threshold:g}'}"
    return Section(identifier, f"Runs: {setting_name(rtt, threshold)}", (text,), tuple(charts))


# Printed windows of red alone, what is measured of them, and what has to be taken off.
_ALONE = (("Reno", "", 2745, 0), ("BIC", "", 3607, 0), ("Scalable", "beyond the path", 340, PATH))
# Printed windows of BIC with both flows.
_BIC = (("both_window", 3747), ("red_window", 2243), ("blue_window", 1504))


def _interpretations(results: Results) -> list[Section]:
    """Scored figures if means counted later, or BIC had the constants of its paper."""
    figures = reference_figures(results, [*ALGORITHMS.values(), PAPER_BIC])
    rows = []
    for label, rest, printed, less in _ALONE:
        if it := figures.get(ALGORITHMS[label]):
            what = f"{label} alone: mean window {rest}".strip()
            scored, other = it["alone_window"] - less, it["alone_window_late"] - less
            rows.append(
                _interpretation("means from 50 s instead of 0 s", what, printed, scored, other)
            )
    if (bic := figures.get(ALGORITHMS["BIC"])) and (paper := figures.get(PAPER_BIC)):
        for name, printed in (("alone_window", 3607), *_BIC):
            what = f"BIC, {name.replace('_', ' ')}"
            assumption = "BIC with the constants of its paper"
            rows.append(_interpretation(assumption, what, printed, bic[name], paper[name]))
    if not rows:
        return []
    columns = [
        words("choice", "assumption"),
        words("what", "what"),
        numbers("printed", "published"),
    ]
    columns += [numbers("scored", "as scored"), numbers("other", "under the other assumption")]
    columns.append(Column("off", "then off by", lambda part: percent(part, digits=2)))
    text = (
        "The paper does not say from when its averages count, nor with which constants its BIC "
        "ran. The first was not chosen by what is printed; for BIC the windows decided between the "
        "constants of its paper and those of Linux, so those that did count as fitted."
    )
    windows = table("two-flow-readings", pl.DataFrame(rows), columns)
    return [Section("readings", "Other assumptions", (text,), tables=(("Windows", windows),))]


def _interpretation(
    assumption: str, what: str, printed: float, scored: float, other: float
) -> dict[str, Any]:
    row = {"choice": assumption, "what": what, "printed": float(printed)}
    return row | {"scored": scored, "other": other, "off": other / printed - 1}


def _tables(
    results: Results, keys: Sequence[tuple[int, float]], algorithms: Sequence[str]
) -> list[Section]:
    rows = [_row(results, *key, name) for key in keys for name in algorithms]
    frame = pl.DataFrame([row for row in rows if row])
    if frame.is_empty():
        return []
    text = (
        "“Alone” is 0 to 250 s, “both” 250 to 1000 s, “at the end” the last 250 s. Windows and "
        "queues are means in packets, uses and shares parts of the capacity."
    )
    return [Section("figures", "Every figure", (text,), tables=(("All runs", _table(frame)),))]


def _row(results: Results, rtt: int, threshold: float, algorithm: str) -> dict[str, Any] | None:
    result = results.get(run_name(algorithm, rtt, threshold))
    if result is None:
        return None
    setting = {"rtt_ms": rtt, "ssthresh": "inf" if math.isinf(threshold) else f"{threshold:g}"}
    return {"algorithm": algorithm, **setting, **result["figures"]}


def _table(frame: pl.DataFrame) -> Table:
    columns = [words("algorithm", "algorithm"), numbers("rtt_ms", "RTT (ms)")]
    columns.append(words("ssthresh", "threshold"))
    for name, heading, part in _FIGURES:
        if part:
            form = lambda value: percent(value, digits=3, signed=False)  # noqa: E731
            columns.append(Column(name, heading, form))
        else:
            columns.append(numbers(name, heading))
    return table("two-flow", frame, columns)
