"""CUBIC and BBR in Experiments 1b and 2b: algorithms that came after the study.

Nothing is published for them in this experiment. Claims are those of their authors and of the
standards; everything else stands beside the study's own algorithms on the page.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from mesonet.studies.nist.exp1 import LABELS, cut_figures, experiment_plan
from mesonet.studies.nist.exp1_bench import cut_items
from mesonet.studies.nist.exp1_measured import measured
from mesonet.studies.nist.exp1_results import ExperimentResults
from mesonet.studies.rules import between, ordered, within
from mesonet.studies.scorecard import Claim
from mesonet.studies.study import Options, Prepared, RunResults, Size, Study, StudyOutput

NEW = ("cubic", "bbr1", "bbr3")
"""Algorithms that the study adds."""
ALONE, MIXED = "1b", "2b"
"""Names of its campaigns: everybody uses one algorithm, or part of the sources beside Reno."""
SCALED: Mapping[Size, tuple[float, float, float]] = {
    "pocket": (0.05, 12.0, 0.05),
    "desk": (0.2, 120.0, 0.2),
}
"""Scale, simulated time [s] and scale of line rates of the first campaign, smaller than nist-1b's
for there are more algorithms."""
POCKET = ("reno", *NEW)
"""Algorithms at pocket size: only standard TCP is beside the new ones."""
SMALL_FILES = range(13, 25)
"""Flow groups of documents and Web objects."""

_LONG_FLOWS = (
    ".long_gain", ".long_kept", ".change", ".activation", ".goodput_latency", ".recovery_latency",
)  # fmt: skip
"""Ends of the names of figures of Experiment 1 that are shown here, too."""

_HOCK = "Hock, Bless, Zitterbart: Experimental Evaluation of BBR Congestion Control, ICNP 2017"
_BBR = "Cardwell et al.: BBR: Congestion-Based Congestion Control, ACM Queue 14(5), 2016"
_DRAFT = "draft-ietf-ccwg-bbr"
_RFC = "RFC 9438"


def _prepare(options: Options) -> Prepared:
    alone = replace(options, algorithms=options.algorithms or _set(options.size))
    # The catalogue imports this file.
    from mesonet.studies.catalogue import find_study

    names = alone.algorithms or ()
    beside = replace(options, algorithms=tuple(name for name in names if name != "reno"))
    plans = {
        ALONE: experiment_plan("nist-1b", alone, scaled=SCALED.get(options.size)),
        MIXED: find_study("nist-2b").prepare(beside).plans[""],
    }
    return Prepared(
        _evaluate,
        items=cut_items(names),
        plans=plans,
        settings={
            "Algorithms": ", ".join(names),
            "Scenarios": "as in nist-1b and nist-2b, the first of this study's size",
        },
    )


def _set(size: Size) -> tuple[str, ...]:
    return POCKET if size == "pocket" else tuple(LABELS)


def _evaluate(run_results: RunResults) -> StudyOutput:
    from mesonet.studies.nist.cubic_page import sections

    figures = {name: math.nan for claim in CLAIMS for name in claim.rule.needs}
    found = cut_figures(run_results.results)
    frame, mixed = (run_results.campaigns[name].results() for name in (ALONE, MIXED))
    if not frame.is_empty():
        found |= alone_figures(frame)
    if not mixed.is_empty():
        # Experiment 2 labels only its own algorithms.
        mixed = mixed.with_columns(pl.col("alternative").replace(dict(LABELS)))
        found |= mixed_figures(mixed)
    figures |= {name: value for name, value in found.items() if name in figures}
    return StudyOutput(figures, sections(frame, mixed, found))


def alone_figures(frame: pl.DataFrame) -> dict[str, float]:
    """Figures of each algorithm when all sources use it, by algorithm.

    `retransmission` and `queueing` are means over the conditions with few and with many buffers,
    `long_gain` is the goodput of the long-lived flows over standard TCP's.
    """
    found = ExperimentResults(frame)
    few = frame.unique("condition", keep="first").sort("condition")["buffers"].to_numpy() < 0
    figures = {
        name: value
        for name, value in measured(frame, part=1.0).items()
        if name.endswith(_LONG_FLOWS)
    }
    for label in found.labels:
        figures |= {
            f"{label}.retransmission": float(np.mean(found.values("y6", label)[few])),
            f"{label}.queueing": float(np.mean(found.values("y8", label)[~few])),
            f"{label}.completed": float(np.mean(found.values("T.y4", label))),
            f"{label}.connecting": float(np.mean(found.values("y42", label))),
            f"{label}.loss": float(np.mean(found.values("loss_rate", label))),
        }
    return figures


def mixed_figures(frame: pl.DataFrame) -> dict[str, float]:
    """Goodput of documents and Web objects in the mixes, own and Reno's, by algorithm.

    Both over what Reno has beside CTCP or, without CTCP, beside the first algorithm: geometric
    means over conditions and flow groups.
    """
    labels = list(frame["alternative"].unique(maintain_order=True))
    names = {label: name for name, label in LABELS.items()}
    first = "CTCP" if "CTCP" in labels else labels[0]

    def goodputs(label: str, of: str) -> np.ndarray[Any, Any]:
        rows = frame.filter(pl.col("alternative") == label).sort("condition")
        columns = [f"g{number}:{of}" for number in SMALL_FILES if f"g{number}:{of}" in rows.columns]
        return rows.select(columns).cast(pl.Float64).fill_null(math.nan).to_numpy()

    base = goodputs(first, "reno")
    figures = {}
    for label in labels:
        for kind, of in (("own", names.get(label, label)), ("reno", "reno")):
            values = goodputs(label, of)
            with np.errstate(divide="ignore", invalid="ignore"):
                ratios = np.log(values / base) if values.shape == base.shape else np.array([])
            kept = ratios[np.isfinite(ratios)]
            figures[f"{label}.{kind}_beside"] = (
                float(np.exp(kept.mean())) if kept.size else math.nan
            )
    return figures


_SHORT = (
    "Only flows that last longer than slow start are under BBR's rules, and here most are files of "
    "a hundred packets; where every flow of a small router is BBR, each keeps up to two windows of "
    "its path in flight, which at these sizes is most of the router's buffer."
)

CLAIMS = (
    Claim(
        "cubic-cut",
        "Part of the window that CUBIC keeps after a loss",
        "0.7",
        f"{_RFC}, section 4.6",
        within("kept.CUBIC", 0.7, absolute=0.03),
    ),
    Claim(
        "cubic-at-least-reno",
        "Long-lived CUBIC flows have at least the goodput of Reno's, everybody using one of them",
        "at least the same throughput as Reno",
        f"{_RFC}, sections 4.3 and 5.1",
        between("CUBIC.long_gain", low=1.0),
    ),
    Claim(
        "bbr1-retransmits-most",
        "With few buffers BBR version 1 retransmits more than Reno",
        "massive packet losses with small buffers",
        _HOCK,
        ordered("BBR1.retransmission", "Reno.retransmission"),
    ),
    Claim(
        "bbr3-retransmits-less",
        "With few buffers BBR version 3 retransmits less than version 1",
        "losses bound what version 3 has in flight, not what version 1 has",
        _DRAFT,
        ordered("BBR1.retransmission", "BBR3.retransmission"),
    ),
    Claim(
        "bbr1-short-queues",
        "With buffers of a round trip BBR version 1 queues for less time than Reno",
        "loss-based control fills the buffers, BBR does not",
        _BBR,
        ordered("Reno.queueing", "BBR1.queueing"),
        explanation=_SHORT,
    ),
    Claim(
        "bbr1-beside-reno",
        "Reno has less goodput beside BBR version 1 than beside CUBIC",
        "flows with loss-based control get little of a small buffer beside BBR",
        _HOCK,
        ordered("CUBIC.reno_beside", "BBR1.reno_beside"),
    ),
)
"""Claims of authors and standards on the new algorithms."""


def _words() -> dict[Size, str]:
    rest = "CUBIC, BBR 1, BBR 3 and the study's eight"
    words: dict[Size, str] = {}
    parts: tuple[tuple[Size, str], ...] = (("pocket", "these three and Reno"), ("desk", rest))
    for size, who in parts:
        scale, seconds, interfaces = SCALED[size]
        words[size] = (
            f"{who}; 1b with hosts and routers scaled by {scale:g}, line rates by {interfaces:g}, "
            f"for {seconds:g} simulated seconds, and 2b at its {size} size"
        )
    return {**words, "full": f"{rest}, as in nist-1b and nist-2b of the same size"}


STUDIES: Mapping[str, Study] = {
    "nist-cubic": Study(
        name="nist-cubic",
        title="CUBIC and BBR in Experiments 1b and 2b",
        question=(
            "How would the algorithms that came after the study have done in it: alone in the "
            "network, and among Reno flows?"
        ),
        source="NIST's slides name CUBIC as future work; worlds as in Experiments 1b and 2b",
        sizes=_words(),
        prepare=_prepare,
        claims=CLAIMS,
    )
}
