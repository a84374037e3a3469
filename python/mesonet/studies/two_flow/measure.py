"""Runs, figures, charts and tables of the two-flow bench.

Source of the claims: K. Mills et al., the methodology paper of NIST SP 500-282: round-trip time
162 ms, no initial threshold. Where it has words instead of numbers, ranges are ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from mesonet.numbers import percent
from mesonet.page.tables import Table, rows_table
from mesonet.studies import Item, Options, RunResults, chart, table, value
from mesonet.studies.two_flow.runs import (
    JOIN,
    PARAMETERS,
    REFERENCE_RTT,
    SETTINGS,
    buffer_packets,
    path_packets,
    run_name,
    setting_name,
    two_flow_items,
)

PATH = path_packets(REFERENCE_RTT)
"""Capacity of the path at 162 ms [packets]."""
_WINDOW = 10
"""Points of a curve that a mean over 50 s has."""
_COLUMNS = (
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
"""Columns of the table of runs: name, heading, and True for a part of the capacity."""
_LATE, _PAPER = "means from 50 s instead of 0 s", "BIC with the constants of its paper"
_WINDOWS = (
    (_LATE, "Reno alone: mean window", 2745, "reno.alone_window", "reno.alone_window_late"),
    (_LATE, "BIC alone: mean window", 3607, "bic.alone_window", "bic.alone_window_late"),
    (
        _LATE,
        "Scalable alone: mean window beyond the path",
        340,
        "scalable.alone_excess",
        "scalable.alone_excess_late",
    ),
    *(
        (_PAPER, f"BIC, {name.replace('_', ' ')}", printed, f"bic.{name}", f"paper-bic.{name}")
        for name, printed in (
            ("alone_window", 3607),
            ("both_window", 3747),
            ("red_window", 2243),
            ("blue_window", 1504),
        )
    ),
)
"""Assumption, quantity, printed value, and the figures as scored and under the assumption."""


def runs(options: Options) -> list[Item]:
    """Every algorithm under every setting of the size."""
    return two_flow_items(
        _keys(options),
        options.chosen,
        seed=options.run_seed,
        transport=options.values["transport"],
        models=options.values["models"],
    )


def settings(options: Options) -> dict[str, str]:
    """Parameters that the source states, and the seed."""
    given = {
        f"Parameters of {name}": ", ".join(f"{key} = {value:g}" for key, value in values.items())
        for name, values in PARAMETERS.items()
        if name in options.chosen
    }
    return given | {"Seed": f"{options.run_seed}; nothing here is random but algorithms"}


def facts(run: RunResults) -> dict[str, str]:
    """Number of algorithms."""
    return {"Algorithms": str(len(run.options.chosen))}


def figures(run: RunResults) -> dict[str, float]:
    """Figures of the published setting by algorithm, and times of convergence.

    Those of an algorithm that the size does not run are undefined, for variants name them.
    """
    found: dict[str, float] = {}
    names: dict[str, float] = {}
    absent = []
    for algorithm, prefix in run.options.values["prefixes"].items():
        result = run.results.get(run_name(algorithm, REFERENCE_RTT, math.inf))
        if result is None:
            absent.append(prefix)
            continue
        measured = {**result["figures"], "convergence": convergence(result["curves"])}
        measured["alone_excess_late"] = measured["alone_window_late"] - PATH
        names |= dict.fromkeys(measured, math.nan)
        found |= {f"{prefix}.{name}": each for name, each in measured.items()}
    if run.options.algorithms is None and not run.failures:
        found |= {f"{prefix}.{name}": value for prefix in absent for name, value in names.items()}
    return found


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


@value
def has_shares(run: RunResults) -> bool:
    """Tests whether any run of the published setting is there."""
    return bool(_published(run))


@value
def has_windows(run: RunResults) -> bool:
    """Tests whether any window is measured under two assumptions."""
    return any(each in run.figures for *_, each in _WINDOWS)


@value
def benches(run: RunResults) -> list[dict[str, Any]]:
    """Settings with their runs, for loops."""
    from mesonet.studies.two_flow.charts import facts

    found = []
    for rtt, threshold in _keys(run.options):
        identifier = f"runs-{rtt}-{'inf' if math.isinf(threshold) else f'{threshold:g}'}"
        names = {each: run_name(each, rtt, threshold) for each in run.options.chosen}
        there = [
            {"algorithm": each, "name": name, "facts": facts(run.results[name]["figures"])}
            for each, name in names.items()
            if name in run.results
        ]
        if there:
            found.append({"id": identifier, "name": setting_name(rtt, threshold), "runs": there})
    return found


@chart
def shares(run: RunResults) -> Any:
    """Use and shares of the capacity by algorithm, under the published setting."""
    from mesonet.studies.two_flow.charts import shares_chart

    return shares_chart(_published(run))


@chart
def over_time(run: RunResults, name: str) -> Any:
    """Windows, queue and goodput of a run."""
    from mesonet.studies.two_flow.charts import run_chart

    rtt = next(rtt for _, rtt, _, each in _cells(run.options) if each == name)
    curves = run.results[name]["curves"]
    return run_chart(curves, path=path_packets(rtt), room=buffer_packets(rtt))


@table
def windows(run: RunResults) -> Table | None:
    """Windows under other assumptions, beside the printed ones."""
    rows = [
        {
            "choice": assumption,
            "what": what,
            "printed": float(printed),
            "scored": run.figures[scored],
            "other": run.figures[other],
            "off": run.figures[other] / printed - 1,
        }
        for assumption, what, printed, scored, other in _WINDOWS
        if scored in run.figures and other in run.figures
    ]
    headings = {"choice": "assumption", "what": "what", "printed": "published"}
    headings |= {"scored": "as scored", "other": "under the other assumption", "off": "then off by"}
    return rows_table("two-flow-readings", rows, headings, {"off": partial(percent, digits=2)})


@table
def every_run(run: RunResults) -> Table | None:
    """Every figure of every run."""
    rows = [
        {
            "algorithm": algorithm,
            "rtt_ms": rtt,
            "ssthresh": "inf" if math.isinf(threshold) else f"{threshold:g}",
            **run.results[name]["figures"],
        }
        for algorithm, rtt, threshold, name in _cells(run.options)
        if name in run.results
    ]
    headings = {"algorithm": "algorithm", "rtt_ms": "RTT (ms)", "ssthresh": "threshold"}
    headings |= {name: heading for name, heading, _ in _COLUMNS}
    forms = {name: _part for name, _, part in _COLUMNS if part}
    return rows_table("two-flow", rows, headings, forms)


def _part(part: float) -> str:
    return percent(part, digits=3, signed=False)


def _keys(options: Options) -> list[tuple[int, float]]:
    """Pairs of round-trip time [ms] and threshold [segments], the published one first."""
    return list(SETTINGS[:1] if options.values["published_only"] else SETTINGS)


def _cells(options: Options) -> Iterator[tuple[str, int, float, str]]:
    """Algorithm, round-trip time, threshold and name of every run."""
    for rtt, threshold in _keys(options):
        for algorithm in options.chosen:
            yield algorithm, rtt, threshold, run_name(algorithm, rtt, threshold)


def _published(run: RunResults) -> dict[str, Mapping[str, float]]:
    """Figures of the runs of the published setting, by algorithm."""
    names = {each: run_name(each, REFERENCE_RTT, math.inf) for each in run.options.chosen}
    return {
        each: run.results[name]["figures"] for each, name in names.items() if name in run.results
    }
