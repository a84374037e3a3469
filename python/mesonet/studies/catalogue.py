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
    reading_of: str = ""
    """The study of which this is another reading, where sources contradict each other or say
    nothing; empty if it is none."""


_NIST = "NIST SP 500-282"

CATALOGUE: Mapping[str, Listed] = {
    "pocket": Listed(
        "Reno, Scalable TCP and Compound TCP on a national network: 2^(6-1) conditions, 96 runs, "
        "minutes",
        f"{_NIST}, Experiment 1b at a tenth of its size",
        "pocket",
    ),
    "nist-1a": Listed(
        "Seven algorithms under spatiotemporal congestion, high initial threshold: 2^(6-1) "
        "conditions, 224 runs",
        f"{_NIST}, Experiment 1a",
        "nist.exp1",
    ),
    "nist-1a-slides": Listed(
        "nist-1a with large files to 0.9 of the run, as the slides have it",
        f"{_NIST}, Experiment 1a",
        "nist.exp1",
        reading_of="nist-1a",
    ),
    "nist-1a-timers": Listed(
        "nist-1a with retransmission timers of at least 200 ms instead of 1 s",
        f"{_NIST}, Experiment 1a",
        "nist.exp1",
        reading_of="nist-1a",
    ),
    "nist-1a-paper": Listed(
        "nist-1a with files that are ten times as large, as the methodology paper has it",
        f"{_NIST}, Experiment 1a",
        "nist.exp1",
        reading_of="nist-1a",
    ),
    "nist-1b": Listed(
        "Eight algorithms under spatiotemporal congestion, low initial threshold: 2^(6-1) "
        "conditions, 256 runs",
        f"{_NIST}, Experiment 1b",
        "nist.exp1",
    ),
    "nist-1b-slides": Listed(
        "nist-1b with large files to 0.9 of the run, as the slides have it",
        f"{_NIST}, Experiment 1b",
        "nist.exp1",
        reading_of="nist-1b",
    ),
    "nist-1b-timers": Listed(
        "nist-1b with retransmission timers of at least 200 ms instead of 1 s",
        f"{_NIST}, Experiment 1b",
        "nist.exp1",
        reading_of="nist-1b",
    ),
    "nist-1b-paper": Listed(
        "nist-1b with files that are ten times as large, as the methodology paper has it",
        f"{_NIST}, Experiment 1b",
        "nist.exp1",
        reading_of="nist-1b",
    ),
    "nist-cubic": Listed(
        "CUBIC, BBR version 1 and BBR version 3 in Experiments 1b and 2b",
        f"{_NIST}, future work; Experiments 1b and 2b",
        "nist.cubic",
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
