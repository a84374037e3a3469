"""The page of the study `hcc`: every figure of the slides from our runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import polars as pl

from mesonet.report.charts import picture
from mesonet.report.tables import Table, numbers, table, words
from mesonet.studies.bench import Results
from mesonet.studies.hcc.charts import bars_chart, curves_chart, time_chart
from mesonet.studies.hcc.fairness import BUFFERS
from mesonet.studies.hcc.fairness_page import fairness_sections
from mesonet.studies.hcc.figures import AMPLE
from mesonet.studies.hcc.interpretations import interpretation_sections
from mesonet.studies.hcc.runs import (
    FRIENDLY_BUFFERS,
    LOSS_BUFFERS,
    REVERSE_FLOWS,
    Grid,
    load_name,
    loss_name,
    single_name,
)
from mesonet.studies.hcc.scenarios import RATE, label_of
from mesonet.studies.page import CaptionedChart, Section

Row = dict[str, Any]


def sections(
    results: Results, grid: Grid, algorithms: Sequence[str], table_of: Sequence[str]
) -> list[Section]:
    """All sections that have results, in the order of the slides."""
    found = [
        _buffers(results, grid, algorithms),
        _losses(results, grid, algorithms),
        _dynamics(results),
        _equal(results, algorithms),
        *fairness_sections(results, table_of),
        _two(results),
        _friendly(results, algorithms),
        _reverse(results, grid, algorithms),
        *interpretation_sections(results, grid, algorithms, table_of),
    ]
    return [section for section in found if section is not None]


def _buffers(results: Results, grid: Grid, algorithms: Sequence[str]) -> Section | None:
    rows = _by_buffer(results, algorithms, grid.buffers, single_name)
    if not rows:
        return None
    buffer = ("buffer", "Buffer (packets)")
    throughput = curves_chart(
        rows, x=buffer, y=("throughput", "Mean throughput (Mbit/s)"), top=RATE, level=RATE
    )
    queue = curves_chart(rows, x=buffer, y=("queue", "Mean queue (packets)"), level=400)
    return Section(
        "buffers",
        "One flow: throughput and queue against buffer (figs. 7, 8)",
        charts=(
            CaptionedChart(
                picture("throughput-buffer", throughput, "Throughput against buffer by protocol"),
                "Mean throughput of one flow alone. Where the buffer is much smaller than the "
                "1000 packets that the path holds, a cut of the window leaves the link idle: the "
                "smaller the cut, the better. The dashed line is the capacity.",
            ),
            CaptionedChart(
                picture("queue-buffer", queue, "Queue against buffer by protocol"),
                "Mean queue. FAST and HCC keep alpha, 400 packets (dashed), as soon as the buffer "
                "has room for them; the others fill any buffer.",
            ),
        ),
        tables=(("Every run", _numbers("buffers", rows, ("buffer",))),),
    )


def _losses(results: Results, grid: Grid, algorithms: Sequence[str]) -> Section | None:
    rows = [
        {
            "protocol": label_of(name),
            "panel": f"{buffer} packets",
            "p": p,
            "throughput": run["throughput"],
        }
        for buffer in LOSS_BUFFERS
        for name in algorithms
        for p in grid.losses
        if (run := results.get(loss_name(name, buffer, p)))
    ]
    if not rows:
        return None
    chart = curves_chart(
        rows,
        x=("p", "Probability of loss"),
        y=("throughput", "Mean throughput (Mbit/s)"),
        log=True,
        top=RATE,
    )
    caption = (
        "Mean throughput of one flow where packets are lost at random, at two buffers. How fast a "
        "protocol grows back after a loss decides; the buffer hardly matters once losses are "
        "frequent."
    )
    return Section(
        "losses",
        "One flow: throughput against random loss (fig. 9)",
        charts=(
            CaptionedChart(picture("throughput-loss", chart, "Throughput against loss"), caption),
        ),
        tables=(("Every run", _numbers("losses", rows, ("p",))),),
    )


def _dynamics(results: Results) -> Section | None:
    runs = [
        (f"{buffer} packets", results[single_name("hcc", buffer)])
        for buffer in (200, 600)
        if single_name("hcc", buffer) in results
    ]
    if not runs:
        return None
    rows = [
        *(row for panel, run in runs for row in _over_time(run, panel, "flow.window", "window")),
        *(row for panel, run in runs for row in _over_time(run, panel, "queue", "queue")),
    ]
    chart = time_chart(rows, title="Packets")
    caption = (
        "Window and queue of one HCC flow. With 600 packets of buffer the delay rule finds its "
        "equilibrium, alpha packets in the queue, and stays. With 200 there is no such "
        "equilibrium: losses, half of the window, and the search back, first in equal, then in "
        "ever smaller steps."
    )
    return Section(
        "dynamics",
        "One flow of HCC over time (fig. 10)",
        charts=(
            CaptionedChart(picture("hcc-time", chart, "HCC's window and queue over time"), caption),
        ),
    )


def _equal(results: Results, algorithms: Sequence[str]) -> Section | None:
    rows = _bars(results, algorithms, "equal", BUFFERS)
    if not rows:
        return None
    caption = (
        "Three flows of one protocol with round trips of 120 ms, each a part of the bar. Equal "
        f"parts are {RATE / 3:.0f} Mbit/s long (dashed)."
    )
    chart = picture("equal", bars_chart(rows, fair=RATE / 3), "Three flows by protocol and buffer")
    return Section("equal", "Three equal flows (fig. 11)", charts=(CaptionedChart(chart, caption),))


def _two(results: Results) -> Section | None:
    charts = []
    for ratio, what in ((1.0, "equal round trips of 40 ms"), (6.0, "round trips of 40 and 240 ms")):
        rows = [
            row
            for buffer in BUFFERS
            if (run := results.get(f"dynamics-{ratio:g}-{buffer}"))
            for flow in ("first", "second")
            for row in _over_time(run, f"{buffer} packets", f"{flow}.rate", flow)
        ]
        if rows:
            chart = time_chart(rows, title="Throughput (Mbit/s)")
            name = f"two-{ratio:g}"
            charts.append(
                CaptionedChart(
                    picture(name, chart, f"Two flows of HCC, {what}"),
                    f"Two flows of HCC with {what}. They want 800 packets in the queue: with 2000 "
                    "they have them and share equally, with 600 losses decide.",
                )
            )
    if run := results.get("gigabit"):
        rows = [
            row
            for flow in ("first", "second")
            for row in _over_time(run, "throughput (Mbit/s)", f"{flow}.rate", flow)
        ] + _over_time(run, "queue (packets)", "queue", "queue")
        chart = time_chart(rows, title="")
        charts.append(
            CaptionedChart(
                picture("gigabit", chart, "Two flows of HCC over 1 Gbit/s"),
                "1 Gbit/s, 2000 packets of buffer; the second flow joins after a third of the "
                "time. It takes the queue of the first for part of its base delay and asks for "
                "more.",
            )
        )
    if not charts:
        return None
    title = "Flows of HCC over time, and 1 Gbit/s (figs. 13 to 15)"
    return Section("two-flows", title, charts=tuple(charts))


def _friendly(results: Results, algorithms: Sequence[str]) -> Section | None:
    rows = _bars(results, algorithms, "friendly", FRIENDLY_BUFFERS)
    if not rows:
        return None
    caption = (
        "Two flows of a protocol and two of Reno, all with 40 ms. Equal parts for both pairs meet "
        "at the dashed line. The slides do not say how large the buffer of this figure was."
    )
    chart = picture("friendly", bars_chart(rows, fair=RATE / 2), "Two flows and two of Reno")
    return Section(
        "friendly", "Two against two of Reno (fig. 16)", charts=(CaptionedChart(chart, caption),)
    )


def _reverse(results: Results, grid: Grid, algorithms: Sequence[str]) -> Section | None:
    against = _by_buffer(results, algorithms, grid.reverse_buffers, _reverse_name)
    loads = [
        {"protocol": label_of(name), "load": load, "throughput": run["throughput"]}
        for name in algorithms
        for load in (0.0, *grid.loads)
        if (run := results.get(load_name(name, load) if load else single_name(name, AMPLE)))
    ]
    if not against:
        return None
    buffer = ("buffer", "Buffer (packets)")
    throughput = ("throughput", "Mean throughput (Mbit/s)")
    windows = [
        row
        for panel, name in (("alone", single_name), ("reverse traffic", _reverse_name))
        for algorithm in ("hcc", "fast")
        if (run := results.get(name(algorithm, AMPLE)))
        for row in _over_time(run, panel, "flow.window", label_of(algorithm))
    ]
    charts = [
        CaptionedChart(
            picture(
                "reverse-buffer",
                curves_chart(against, x=buffer, y=throughput, top=RATE),
                "Throughput with reverse traffic against buffer",
            ),
            f"Throughput of one flow while {REVERSE_FLOWS} Reno flows fill the reverse path (fig. "
            "17). FAST and Vegas take the queue that their acknowledgements meet for their own. "
            "HCC looks at the forward path only; what it loses is what the acknowledgements of "
            "the others take of the link, and what their bunching costs.",
        )
    ]
    if windows:
        charts.append(
            CaptionedChart(
                picture("windows", time_chart(windows, title="Window (packets)"), "Windows"),
                f"Windows of HCC and FAST, {AMPLE} packets of buffer, alone and with reverse "
                "traffic (fig. 18 (a), (b)).",
            )
        )
    if len(loads) > len(algorithms):
        chart = curves_chart(loads, x=("load", "Reverse load (Mbit/s)"), y=throughput, top=RATE)
        charts.append(
            CaptionedChart(
                picture("reverse-load", chart, "Throughput against reverse load"),
                f"Throughput against a constant reverse load, {AMPLE} packets of buffer (fig. 18 "
                "(c)). A load below the capacity leaves no queue on the reverse path, so nobody "
                "suffers but from the acknowledgements of that load, which share the forward link.",
            )
        )
    note = (
        "Fig. 18 (d), throughput against the packet size of the reverse traffic, is not here: all "
        "flows of a run have packets of one size."
    )
    return Section(
        "reverse",
        "Reverse traffic (figs. 17, 18)",
        charts=tuple(charts),
        tables=(("With reverse Reno flows", _numbers("reverse", against, ("buffer",))),),
        notes=(note,),
    )


def _by_buffer(
    results: Results,
    algorithms: Sequence[str],
    buffers: Iterable[int],
    run_name: Callable[[str, int], str],
) -> list[Row]:
    return [
        {
            "protocol": label_of(name),
            "buffer": buffer,
            "throughput": run["throughput"],
            "queue": run["queue"],
            "loss": 100 * run["loss"],
        }
        for name in algorithms
        for buffer in buffers
        if (run := results.get(run_name(name, buffer)))
    ]


def _reverse_name(algorithm: str, buffer: int) -> str:
    return f"reverse-{algorithm}-{buffer}"


def _bars(
    results: Results, algorithms: Sequence[str], kind: str, buffers: Iterable[int]
) -> list[Row]:
    return [
        {
            "protocol": label_of(name),
            "panel": f"{buffer} packets",
            "flow": flow,
            "kind": "Reno" if flow.startswith("reno") else "the protocol",
            "throughput": throughput,
        }
        for buffer in buffers
        for name in algorithms
        if (run := results.get(f"{kind}-{name}-{buffer}"))
        for flow, throughput in run["throughputs"].items()
    ]


def _over_time(run: Any, panel: str, curve: str, line: str) -> list[Row]:
    curves = run["curves"]
    return [
        {"time": time, "value": value, "line": line, "panel": panel}
        for time, value in zip(curves["time"], curves[curve], strict=True)
    ]


def _numbers(identifier: str, rows: Sequence[Row], by: Sequence[str]) -> Table:
    headings = {
        "buffer": "buffer",
        "p": "loss probability",
        "panel": "buffer",
        "throughput": "throughput (Mbit/s)",
        "queue": "queue (packets)",
        "loss": "lost (%)",
    }
    columns = [words("protocol", "protocol")]
    columns += [words("panel", "buffer")] if "panel" in rows[0] else []
    columns += [
        numbers(name, headings[name])
        for name in (*by, "throughput", "queue", "loss")
        if name in rows[0]
    ]
    return table(identifier, pl.DataFrame(rows), columns)
