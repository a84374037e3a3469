"""CUBIC and BBR in Experiments 1b and 2b: algorithms that came after the study.

Claims are those of their authors and of the standards.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from mesonet.plan import Plan, plan_from_dict
from mesonet.studies import Item, Options, RunResults, find_study
from mesonet_studies.nist.exp1 import charts
from mesonet_studies.nist.exp1 import measure as alone
from mesonet_studies.nist.exp1.bench import cut_figures, cut_items
from mesonet_studies.nist.exp1.figures import divide, geometric_mean, measured
from mesonet_studies.nist.exp1.results import ExperimentResults, results_of

labels, loss = alone.labels, alone.loss
apart, dendrograms = alone.apart, alone.dendrograms
long_flows, latencies = charts.long_flows, charts.latencies
conditions, apart_counts = alone.conditions, alone.apart_counts

_LONG_FLOWS = (".long_gain", ".long_kept", ".activation", ".goodput_seconds", ".recovery_seconds")
"""Ends of the names of figures of Experiment 1 that are shown here, too."""


def runs(options: Options) -> list[Item]:
    """Flows whose windows show what is kept of them."""
    return cut_items(options.chosen)


def plans(options: Options) -> dict[str, Plan]:
    """Everybody uses one algorithm, as in 1b, or part of the sources beside Reno, as in 2b."""
    experiment = replace(options, algorithms=options.chosen, variants=())
    table = find_study("nist-1b").prepare(experiment).plans["conditions"].to_dict()
    table["scenario"] |= options.values["alone"]
    rivals = tuple(name for name in options.chosen if name != "reno")
    mixed = find_study("nist-2b").prepare(replace(experiment, algorithms=rivals)).plans[""]
    return {"1b": plan_from_dict(table), "2b": mixed}


def settings(options: Options) -> dict[str, str]:
    """The algorithms, which options change."""
    return {"Algorithms": ", ".join(options.chosen)}


def figures(run: RunResults) -> dict[str, float]:
    """Figures of each algorithm, alone and among Reno flows."""
    numbers, frame = cut_figures(run), run.campaigns["2b"].results()
    if results_of(run).labels:
        numbers |= alone_figures(results_of(run))
    if not frame.is_empty():
        # Experiment 2 labels only its own algorithms.
        names = {
            str(alternative.set["algorithms"]): alternative.label
            for alternative in _plan(run).alternatives
        }
        numbers |= mixed_figures(frame, names, run.options.values["small_files"])
    return numbers


def _plan(run: RunResults) -> Plan:
    return run.campaigns["1b"].plan


def alone_figures(results: ExperimentResults) -> dict[str, float]:
    """Figures of each algorithm when all sources use it, by algorithm.

    `retransmission` and `queueing` are means over the conditions with few and with many buffers,
    `long_gain` is the goodput of the long-lived flows over standard TCP's.
    """
    figures = {n: value for n, value in measured(results).items() if n.endswith(_LONG_FLOWS)}
    everywhere = np.full(len(results.conditions), fill_value=True)
    for name, response, where in (
        ("retransmission", "y6", results.minus),
        ("queueing", "y8", ~results.minus),
        ("completed", "T.y4", everywhere),
        ("connecting", "y42", everywhere),
        ("loss", "loss_rate", everywhere),
    ):
        for label in results.labels:
            figures[f"{label}.{name}"] = float(np.mean(results.values(response, label)[where]))
    return figures


def mixed_figures(
    frame: pl.DataFrame, names: dict[str, str], groups: Sequence[int]
) -> dict[str, float]:
    """Goodput of documents and Web objects in the mixes, own and Reno's, by algorithm.

    Both over what Reno has beside CTCP or, without CTCP, beside the first algorithm: geometric
    means over conditions and flow groups, from the first to the last.
    """
    labelled = {label: name for name, label in names.items()}
    frame = frame.with_columns(pl.col("alternative").replace(names))
    mixed = list(frame["alternative"].unique(maintain_order=True))

    def goodputs(label: str, of: str) -> Any:
        rows = frame.filter(alternative=label).sort("condition")
        columns = [f"g{number}:{of}" for number in range(groups[0], groups[1] + 1)]
        kept = [column for column in columns if column in rows.columns]
        return rows.select(kept).cast(pl.Float64).fill_null(math.nan).to_numpy()

    base = goodputs("CTCP" if "CTCP" in mixed else mixed[0], "reno")
    figures = {}
    for label in mixed:
        for kind, of in (("own", labelled.get(label, label)), ("reno", "reno")):
            values = goodputs(label, of)
            same = values.shape == base.shape
            ratios = divide(values, base) if same else np.array([math.nan])
            figures[f"{label}.{kind}_beside"] = geometric_mean(ratios)
    return figures
