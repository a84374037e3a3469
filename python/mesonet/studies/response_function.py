"""Response functions measured by simulation, beside the published ones.

One flow without limit on a path that never queues, with losses at random; every segment is
acknowledged. What is measured is the mean window over time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from matplotlib.figure import Figure

from mesonet.dumbbell import Dumbbell, dumbbell
from mesonet.figures import Look
from mesonet.figures.style import paper, sheet
from mesonet.simulate import Run
from mesonet.studies.bench import Item
from mesonet.studies.lab import Size
from mesonet.studies.response_rules import CURVES, Curve, expected_window

PROBABILITIES = {"pocket": (1e-2, 1e-3, 1e-4), "full": (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)}
"""Loss probabilities of a size."""
TOLERANCE = 0.1
"""Part of the published window by which a measured one may differ."""
EDITION = 1

_WARM_UP = 0.1
_LOSSES = {1e-5: 500.0, 1e-6: 300.0}
_LOSSES_ELSE = 2000.0


def losses(p: float) -> float:
    """Losses that a run should have; their number decides how well the mean is known."""
    return _LOSSES.get(p, _LOSSES_ELSE)


def duration(curve: Curve, p: float) -> float:
    """Simulated time [s] in which the published window has that many losses."""
    return losses(p) / p / curve.window(p) * curve.rtt


def response_scenario(curve: Curve, p: float) -> Dumbbell:
    """One flow at a loss probability; slow start ends at the published window."""
    return dumbbell(
        rate="100000 p/ms",
        rtt=f"{curve.rtt * 1000:g} ms",
        buffer="10000000 packets",
        loss=p,
        flows=[curve.algorithm],
        profile="mesonet",
        initial_ssthresh=max(round(curve.window(p)), 2),
        interval=f"{curve.rtt * 1000:g} ms",
        duration=f"{duration(curve, p):.6g} s",
    )


def run_name(curve: Curve, p: float) -> str:
    """Name of a run: unique in the study."""
    return f"{curve.algorithm}-{curve.rtt * 1000:g}ms-{p:g}"


def response_items(size: Size, algorithms: Iterable[str]) -> list[Item]:
    """The runs of the study, for those algorithms that have a published function."""
    wanted = set(algorithms)
    return [
        Item(
            run_name(curve, p),
            response_scenario(curve, p),
            measure_window,
            edition=EDITION,
            cost=losses(p) / p,
        )
        for curve in CURVES
        if curve.algorithm in wanted
        for p in PROBABILITIES[size]
    ]


def measure_window(run: Run) -> dict[str, Any]:
    """Mean window after the first tenth [segments], its standard error, and counts of losses."""
    begin = _WARM_UP * run.scenario.duration
    window = run.flows.filter(pl.col("time") > begin)["cwnd"].to_numpy()
    # Means over long stretches, each with many losses, are close to independent.
    batches = [part.mean() for part in np.array_split(window, 20) if part.size]
    return {
        "window": float(window.mean()),
        "error": float(np.std(batches, ddof=1) / math.sqrt(len(batches))),
        "recoveries": int(run.series["recoveries"].sum()),
        "timeouts": int(run.series["timeouts"].sum()),
    }


def verdict(measured: float, published: float, expected: float) -> str:
    """`agrees` with what is published, `explained` by random losses alone, or `differs`.

    Explained means: what the rule gives under losses at random, without a network, is as close to
    the measured value as the published one should be.
    """
    if abs(measured / published - 1) <= TOLERANCE:
        return "agrees"
    return "explained" if abs(measured / expected - 1) <= TOLERANCE else "differs"


def response_frame(results: Mapping[str, Mapping[str, Any]]) -> pl.DataFrame:
    """One row per algorithm, round-trip time and loss probability that has been measured."""
    rows = []
    for curve in CURVES:
        for p in PROBABILITIES["full"]:
            result = results.get(run_name(curve, p))
            if result is None:
                continue
            published, expected = curve.window(p), expected_window(curve, p)
            rows.append(
                {
                    "algorithm": curve.label,
                    "name": curve.algorithm,
                    "rtt": curve.rtt,
                    "loss": p,
                    "published": published,
                    "random": expected,
                    **result,
                    "difference": result["window"] / published - 1,
                    "from_random": result["window"] / expected - 1,
                    "verdict": verdict(result["window"], published, expected),
                    "source": curve.source,
                }
            )
    return pl.DataFrame(rows)


def response_markdown(frame: pl.DataFrame) -> str:
    """The table of the manual."""
    head = (
        "| Algorithm, RTT | p | Published, periodic loss | The rule, random loss | Measured "
        "| Timeouts | From published | From the rule | |\n|---|---|---|---|---|---|---|---|---|\n"
    )
    lines = []
    for row in frame.iter_rows(named=True):
        power = round(math.log10(row["loss"]))
        lines.append(
            f"| {row['algorithm']}, {row['rtt'] * 1000:g} ms | 1e{power} "
            f"| {_window(row['published'])} | {_window(row['random'])} "
            f"| {_window(row['window'])} ± {_window(row['error'])} "
            f"| {row['timeouts']} | {row['difference']:+.1%} | {row['from_random']:+.1%} "
            f"| {row['verdict']} |\n"
        )
    return head + "".join(lines)


def _window(value: float) -> str:
    return f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def response_figure(frame: pl.DataFrame) -> Figure:
    """Measured points on the published lines, both axes logarithmic."""
    present = [c for c in CURVES if not frame.filter(name=c.algorithm, rtt=c.rtt).is_empty()]
    look = Look.of(dict.fromkeys(curve.label for curve in present))
    with paper():
        figure = sheet(6.4, 4.2)
        axes = figure.subplots()
        p = np.logspace(-6, -2, 121)
        for curve in present:
            colour, dash = look.colour(curve.label), "-" if curve.rtt == 0.1 else "--"
            axes.plot(p, [curve.window(float(each)) for each in p], dash, color=colour, lw=1.0)
            mine = frame.filter(name=curve.algorithm, rtt=curve.rtt)
            axes.plot(
                mine["loss"],
                mine["window"],
                look.marker(curve.label),
                color=colour,
                ms=4.5,
                mfc=colour if curve.rtt == 0.1 else "none",
                label=f"{curve.label}, {curve.rtt * 1000:g} ms",
            )
        axes.set(
            xscale="log",
            yscale="log",
            xlabel="Probability that a segment is lost",
            ylabel="Mean window (segments)",
        )
        axes.grid(which="major", lw=0.3, alpha=0.5)
        axes.legend(loc="upper right")
    return figure


def write_response_pages(results: Mapping[str, Mapping[str, Any]], folder: Path) -> Path:
    """Writes response-function.csv, .png and .md into a folder; returns the path of the last."""
    frame = response_frame(results)
    frame.write_csv(folder / "response-function.csv")
    response_figure(frame).savefig(folder / "response-function.png", dpi=130)
    page = folder / "response-function.md"
    text = f"![Mean window against loss](response-function.png)\n\n{response_markdown(frame)}"
    page.write_text(f"# Response functions\n\n{text}", "utf-8")
    return page
