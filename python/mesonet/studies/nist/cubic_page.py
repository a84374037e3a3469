"""The page of CUBIC and BBR in Experiments 1b and 2b."""

from __future__ import annotations

import math
from collections.abc import Mapping

import polars as pl

from mesonet.figures.style import Look
from mesonet.report.tables import Column, Table, numbers, table, words
from mesonet.studies.nist.exp1_page import (
    apart_section,
    conditions_section,
    long_flows_section,
    response_names,
)
from mesonet.studies.nist.exp1_results import ExperimentResults
from mesonet.studies.page import Section

_ALONE = (
    ("loss", "Mean loss rate"),
    ("retransmission", "Retransmission rate, few buffers"),
    ("queueing", "Queueing delay, buffers of a round trip (s)"),
    ("connecting", "Flows connecting"),
    ("completed", "Flows completed"),
    ("long_gain", "Long-lived flows' goodput over Reno's"),
    ("kept", "Part of the window kept after a loss"),
)
_TEXT = (
    (
        "Every algorithm is simulated alone in the network of 1b, and beside Reno in that of 2b. "
        "The study's own algorithms are there to compare with; what was published about those is "
        "scored by nist-1b and nist-2b."
    ),
    (
        "BBR paces and does not wait for losses; what it keeps of a window after one is no "
        "constant of it, only what the bench saw."
    ),
)


def sections(
    frame: pl.DataFrame, mixed: pl.DataFrame, figures: Mapping[str, float]
) -> list[Section]:
    """All sections; `frame` and `mixed` are the results of the two campaigns."""
    made = []
    if not frame.is_empty():
        found = ExperimentResults(frame)
        look = Look.of(found.labels)
        made.append(
            Section(
                "alone",
                "Everybody uses the same algorithm",
                _TEXT,
                tables=(("Means over the conditions", _alone(found, figures)),),
            )
        )
        if len(found.labels) > 2:
            made.append(apart_section(found, look))
        made.append(long_flows_section(found, look, figures))
        made.append(conditions_section(found, look, response_names(frame)))
    if not mixed.is_empty():
        made.append(_mixed(mixed, figures))
    return made


def _alone(found: ExperimentResults, figures: Mapping[str, float]) -> Table:
    rows = []
    for label in found.labels:
        row: dict[str, str | float] = {"label": label}
        for name, _ in _ALONE:
            key = f"kept.{label}" if name == "kept" else f"{label}.{name}"
            row[name] = figures.get(key, math.nan)
        rows.append(row)
    columns = [words("label", "Algorithm"), *(numbers(name, text) for name, text in _ALONE)]
    return table("alone", pl.DataFrame(rows).fill_nan(None), columns)


def _mixed(mixed: pl.DataFrame, figures: Mapping[str, float]) -> Section:
    labels = list(mixed["alternative"].unique(maintain_order=True))
    frame = pl.DataFrame(
        [
            {
                "label": label,
                "own": figures.get(f"{label}.own_beside", math.nan),
                "reno": figures.get(f"{label}.reno_beside", math.nan),
            }
            for label in labels
        ]
    ).fill_nan(None)

    def times(value: float) -> str:
        return f"{value:.3f}"

    columns = (
        words("label", "Beside Reno"),
        Column("own", "Its own goodput", times),
        Column("reno", "Reno's goodput beside it", times),
    )
    return Section(
        "mixed",
        "Among Reno flows",
        (
            (
                "Goodput of documents and Web objects in the mixes of 2b, as multiples of what "
                "Reno has beside CTCP (geometric mean over conditions and flow groups)."
            ),
        ),
        tables=(("Goodput in the mixes", table("mixed", frame, columns)),),
    )
