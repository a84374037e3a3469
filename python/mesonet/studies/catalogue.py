"""The studies that come with mesonet, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

from mesonet.errors import PlanError, Problem, did_you_mean
from mesonet.studies.study import Study


@dataclass(frozen=True)
class Listed:
    """A study that can be asked for; its module holds it in `STUDIES`, by name.

    Modules are imported when their study is asked for, for they bring drawing libraries.
    """

    summary: str
    source: str
    module: str


_NIST = "NIST SP 500-282"
_LABS = "B. Elison, J. Eklund, Congestion Control Part 2, student report, 2016"

CATALOGUE: Mapping[str, Listed] = {
    "pocket": Listed(
        "Reno, Scalable TCP and Compound TCP on a national network: 2^(6-1) conditions, 96 runs, "
        "minutes",
        f"{_NIST}, Experiment 1b at a tenth of its size",
        "pocket",
    ),
    "lab-reno": Listed(
        "A student's laboratory: one, two and five flows of TCP", _LABS, "labs.studies"
    ),
    "lab-aiad": Listed("A student's laboratory: additive decrease", _LABS, "labs.studies"),
    "lab-aimd56": Listed("A student's laboratory: keeping five sixths", _LABS, "labs.studies"),
    "lab-competing-aimd": Listed(
        "A student's laboratory: two decreases on one link", _LABS, "labs.studies"
    ),
    "lab-rtt": Listed("A student's laboratory: two distances on one link", _LABS, "labs.studies"),
    "deployment-mix": Listed(
        "Who gains and who loses while a new algorithm replaces an incumbent, from 0 to 100 % of "
        "all sources: harm, starvation, who gains by switching",
        "ours, for RFC 9743",
        "deployment",
    ),
    "nist-sensitivity": Listed(
        "Which of twenty parameters drive a national network: 2^(20-12) conditions, 256 runs",
        f"{_NIST}, sensitivity analysis of MesoNet",
        "nist.sensitivity",
    ),
    "two-flow": Listed(
        "windows, queue and shares of one flow, then two, beside the published figures",
        f"{_NIST}, section 5.4",
        "two_flow.study",
    ),
    "response-function": Listed(
        "mean window under random loss beside the published response functions",
        "RFC 3649, RFC 9438, and the papers of the algorithms",
        "response_function.study",
    ),
    "hcc": Listed(
        "seven high-speed protocols: buffers, losses, RTT fairness, Reno, reverse traffic",
        "slides on HCC TCP, after W. Xu et al., JNCA 2011",
        "hcc.study",
    ),
    "rtt-fairness": Listed(
        "efficiency and Jain's index of two flows of any algorithm whose round-trip times differ",
        "slides on HCC TCP, after W. Xu et al., JNCA 2011, figure 12",
        "hcc.rtt_fairness",
    ),
}
"""All of them; the order is that of lists."""


def find_study(name: str) -> Study:
    """A study by name.

    Raises:
        PlanError: there is none of this name; suggests a close one.
    """
    if name not in CATALOGUE:
        hint = did_you_mean(name, CATALOGUE) or f"; there are {', '.join(CATALOGUE)}"
        raise PlanError([Problem("study", "unknown_study", f'no study "{name}"{hint}')])
    module = import_module(f"mesonet.studies.{CATALOGUE[name].module}")
    studies: Mapping[str, Study] = module.STUDIES
    return studies[name]
