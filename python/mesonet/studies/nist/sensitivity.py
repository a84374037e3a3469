"""The sensitivity analysis of MesoNet: which of twenty parameters drive a national network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mesonet.errors import PlanError, Problem
from mesonet.plan import Plan, plan_from_dict
from mesonet.studies.plans import plan_table
from mesonet.studies.study import Options, Prepared, Size, Study

PLAN = "nist-sensitivity"
ALTERNATE = "ctcp:nist"
"""The algorithm that is mixed with standard TCP."""


@dataclass(frozen=True)
class Reduction:
    """What a size leaves of the published experiment.

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
    return Prepared(plans={"": sensitivity_plan(options)})


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
    )
}
