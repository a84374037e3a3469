"""Experiment 2: seven alternate algorithms, each mixed with Reno, on a national network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from mesonet.studies.nist.exp2_claims import claims_of
from mesonet.studies.nist.exp2_cost import cost_of
from mesonet.studies.nist.exp2_figures import measured
from mesonet.studies.nist.exp2_measures import Mixed
from mesonet.studies.nist.exp2_network import network_figures
from mesonet.studies.nist.exp2_page import sections
from mesonet.studies.nist.exp2_plan import SCALES, Scale, algorithms_of, plan_of
from mesonet.studies.study import Options, Prepared, RunResults, Size, Study, StudyOutput

_MOVIES = (1,)
_LARGE_FILES = (1, 7)
"""Files that count as movies on very fast paths: scaled down, these see hardly a movie."""
_FEWEST = 30
"""Fewest transfers of a mean that counts, customary for a sample from a skewed distribution.

Scaled down, a smaller sample tells which files ended, not how fast. The page has other sizes.
"""
_LEAST = 25.0
"""Least weight of a gain; scaled down, gains of a smaller weight are too uncertain."""

_ABOUT: Mapping[str, tuple[str, str]] = {
    "nist-2a": (
        "Seven alternate algorithms among Reno, high initial threshold",
        "What do seven algorithms gain, and what do they leave Reno, if slow start has no bound?",
    ),
    "nist-2b": (
        "Seven alternate algorithms among Reno, low initial threshold",
        "What do they gain, and what do they leave to Reno, if slow start ends at 100 segments?",
    ),
    "nist-2c": (
        "Seven alternate algorithms among Reno, a larger and faster network",
        "Does what holds on a small and slow network hold on one that is larger and faster?",
    ),
}


def _study(name: str) -> Study:
    title, question = _ABOUT[name]

    def prepare(options: Options) -> Prepared:
        plan = plan_of(name, options)
        return Prepared(
            evaluate=lambda run_results: _evaluate(study, options, run_results),
            plans={"": plan},
            settings={
                "Seed": f"{plan.seed}, the same for all conditions and algorithms",
                "Replicates": str(plan.replicates),
                "Conditions": "2^(9-4), the published 32",
                "Algorithms": ", ".join(algorithms_of(options).values()) + "; each with reno",
                "Interpretation": "buffers of half of rtt*c at the minus level and documents of 10 "
                'Web objects, as in the slides; `plan_of(..., interpretation="paper")` gives the '
                "paper's rtt*c/sqrt(n) and 100",
                "Scale": _scale_text(SCALES[name].get(options.size)),
                "File sizes": "Pareto with shape 1.5, which is not published",
                "Order of congestion": "as printed",
                "Counted": "everything"
                if options.size == "full"
                else f"ranks where every algorithm has {_FEWEST} transfers of both kinds; gains "
                f"with a weight of {_LEAST:g} or more",
            },
        )

    study = Study(
        name=name,
        title=title,
        question=question,
        source="NIST SP 500-282, Experiment " + name.removeprefix("nist-"),
        sizes={size: _size_text(name, size) for size in ("pocket", "desk", "full")},
        prepare=prepare,
        claims=claims_of(name),
    )
    return study


def _scale_text(scale: Scale | None) -> str:
    if scale is None:
        return "as published"
    shares = "/".join(f"{share:g}" for share in scale.receivers)
    return (
        f"speed and hosts times {scale.network:g}, interfaces times {scale.interfaces:g}, service "
        f"packs and movies {scale.files} times smaller and more frequent, receivers {shares} "
        f"(N/F/D), {scale.duration:g} s of which the first {scale.warm_up:.0%} are not measured"
    )


def _size_text(name: str, size: Size) -> str:
    return f"224 runs; {_scale_text(SCALES[name].get(size))}"


def _evaluate(study: Study, options: Options, run_results: RunResults) -> StudyOutput:
    campaign = run_results.campaigns[""]
    figures = study.unmeasured() | network_figures(study.name)
    frame = campaign.results().filter(pl.col("loss_rate").is_not_null())
    if frame.is_empty():
        return StudyOutput(figures)
    scale = SCALES[study.name].get(options.size)
    scenario: Any = campaign.plan.scenario
    mixed = Mixed(
        frame=frame,
        algorithms=algorithms_of(options),
        factors=tuple(factor.name for factor in campaign.plan.factors),
        fast=float(scenario.interface_speeds[1]),
        movies=_LARGE_FILES if scale else _MOVIES,
        fewest=_FEWEST if scale else 1,
        least=_LEAST if scale else 0.0,
    )
    figures |= measured(mixed, scale)
    cost = cost_of(study.name, campaign, full=scale is None)
    return StudyOutput(
        figures=figures,
        sections=sections(study.name, mixed, figures, plan=campaign.plan, cost=cost),
        facts={
            "Processor hours": f"{cost.hours:.2f}",
            "Packets": f"{cost.packets:.3g}",
            "Ranked cells": f"{mixed.complete_cells} of 768",
        },
    )


STUDIES: Mapping[str, Study] = {name: _study(name) for name in _ABOUT}
