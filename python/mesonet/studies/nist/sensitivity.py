"""The sensitivity analysis of MesoNet: which of twenty parameters drive a national network."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mesonet.campaign import Campaign
from mesonet.errors import PlanError, Problem
from mesonet.plan import Plan, plan_from_dict
from mesonet.studies.nist.sensitivity_claims import CLAIMS
from mesonet.studies.nist.sensitivity_cost import RunCost
from mesonet.studies.nist.sensitivity_effects import clusters_of, effects_of, figures_of
from mesonet.studies.plans import plan_table
from mesonet.studies.study import Options, Prepared, RunResults, Size, Study, StudyOutput

PLAN = "nist-sensitivity"
ALTERNATE = "ctcp:nist"
"""The algorithm that is mixed with standard TCP."""


@dataclass(frozen=True)
class Reduction:
    """Reduction of the published experiment at one size.

    Attributes:
        scale: Factor on network speed and base sources together.
        duration: The shorter simulated time [s]; the longer one is twice as long.
    """

    scale: Fraction
    duration: int


REDUCTIONS: Mapping[Size, Reduction] = {
    "pocket": Reduction(Fraction(1, 100), 30),
    "desk": Reduction(Fraction(1, 10), 75),
    "full": Reduction(Fraction(1), 1500),
}


def sensitivity_plan(options: Options) -> Plan:
    """The plan at one size; one algorithm of the options takes the place of Compound TCP.

    Raises:
        PlanError: several algorithms are asked for, or an option does not fit.
    """
    table = plan_table(PLAN) | options.plan_changes()
    reduction = REDUCTIONS[options.size]
    factors = table["factors"]
    table["scenario"]["base_sources"] = int(100 * reduction.scale)
    factors["speed"] |= {
        level: f"{float(speed * reduction.scale):g} p/ms"
        for level, speed in (("low", 800), ("high", 1600))
    }
    factors["duration"] |= {
        level: f"{times * reduction.duration} s" for level, times in (("low", 1), ("high", 2))
    }
    alternate = alternate_of(options)
    if alternate != ALTERNATE:
        _replace_alternate(table, alternate)
    return plan_from_dict(table)


def alternate_of(options: Options) -> str:
    """The algorithm that is mixed with standard TCP.

    Raises:
        PlanError: not exactly one algorithm is asked for, or it is standard TCP.
    """
    if options.algorithms is None:
        return ALTERNATE
    if len(options.algorithms) != 1 or options.algorithms[0] == "reno":
        found = ", ".join(options.algorithms) or "none"
        message = (
            "expected one algorithm other than reno, to take the place of Compound TCP in the mix "
            f"with standard TCP, got {found}"
        )
        raise PlanError([Problem("algorithms", "count", message)])
    return options.algorithms[0]


def _replace_alternate(table: dict[str, Any], alternate: str) -> None:
    mix = table["factors"]["mix"]
    mix["label"] = f"Share of {alternate} (X15)"
    for level in ("low", "high"):
        mix[level] = {"reno": mix[level]["reno"], alternate: mix[level][ALTERNATE]}
    table["responses"] = [
        response.replace(f":{ALTERNATE}", f":{alternate}") for response in table["responses"]
    ]


def _prepare(options: Options) -> Prepared:
    alternate = alternate_of(options)
    plan = sensitivity_plan(options)

    def evaluate(run_results: RunResults) -> StudyOutput:
        from mesonet.studies.nist.sensitivity_page import facts, sections

        scale = float(REDUCTIONS[options.size].scale)
        campaign = run_results.campaigns[""]
        frame = campaign.results()
        effects = effects_of(frame, alternate=alternate)
        clusters = clusters_of(frame)
        figures = _unmeasured()
        # What was published holds for Compound TCP.
        if alternate == ALTERNATE:
            figures |= figures_of(effects, clusters, scale=scale)
        cost = cost_of(campaign, options.size)
        return StudyOutput(
            figures,
            sections(frame, effects, clusters, plan=plan, alternate=alternate, cost=cost),
            facts(cost),
        )

    return Prepared(evaluate, plans={"": plan}, settings=_settings(options, alternate))


def _unmeasured() -> dict[str, float]:
    return {name: math.nan for claim in CLAIMS for name in claim.rule.needs}


def cost_of(campaign: Campaign, size: Size) -> RunCost:
    """Cost of the runs of a campaign, and of those of the full size."""
    seconds = float(campaign.timings()["cpu_seconds"].sum())
    reduction, full = REDUCTIONS[size], REDUCTIONS["full"]
    packets = full.scale / reduction.scale * full.duration / reduction.duration
    return RunCost(campaign.status()["done"], seconds, seconds * float(packets))


def _settings(options: Options, alternate: str) -> dict[str, str]:
    reduction = REDUCTIONS[options.size]
    return {
        "Design": "nist-2^(20-12): resolution IV; its generators are ours, none are printed",
        "Factors": "Table 5 of the paper, in its numbering and with its signs",
        "Scale": (
            f"speed and base sources times {reduction.scale}; {reduction.duration} and "
            f"{2 * reduction.duration} simulated seconds, warm-up two fifths, three periods"
        ),
        "Mix": f"standard TCP and {alternate}, .8/.2 and .2/.8; long-lived flows use standard TCP",
        "Seed": f"{sensitivity_plan(options).seed}, the same for all conditions",
        "Provider's network": (
            "the built-in topology isp, our own map with the printed counts, routed by metrics "
            "that differ from delay; on Abilene routes follow delay"
        ),
        "Web- and peer-to-peer-centric": (
            "sources .1/.6/.3 and uniform, receivers .6/.2/.2 and .8/.1/.1 (N/F/D): the study's "
            "other experiments and its slide on the provider's network; the paper has no numbers"
        ),
        "Larger files": (
            "factors 10, 1000, 10000, as the slides have them; for Experiment 2 the paper prints "
            "100 for documents, here it prints none"
        ),
        "Spatiotemporal congestion": (
            "the paper's: files 10 times larger in the second period; the slides' is 100 times and "
            "lasts into the third (end = 0.9, factor = 100 in the plan)"
        ),
        "Patience": "all sources give up after 10 s and 20 times the ideal time; our assumption",
        "Tests": (
            "t-test between the conditions at the low and at the high level of each factor, the "
            "other factors' effects counted as noise"
        ),
    }


STUDIES: Mapping[str, Study] = {
    "nist-sensitivity": Study(
        name="nist-sensitivity",
        title="Sensitivity of a national network to twenty parameters",
        question=(
            "Which of the twenty parameters of a national network with standard and Compound TCP "
            "drive its behaviour, and in which direction?"
        ),
        source=(
            "NIST SP 500-282, chapter 4, as the methodology paper has it (sections 3.1, 3.2, 5.4, "
            "5.5)"
        ),
        sizes={
            "pocket": (
                "256 conditions at a hundredth of the published speed and number of sources, 30 "
                "and 60 simulated seconds"
            ),
            "desk": (
                "256 conditions at a tenth of the published speed and number of sources, 75 and "
                "150 simulated seconds"
            ),
            "full": "256 conditions as published, 25 and 50 simulated minutes",
        },
        prepare=_prepare,
        claims=CLAIMS,
    )
}
