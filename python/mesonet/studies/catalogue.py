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

CATALOGUE: Mapping[str, Listed] = {
    "pocket": Listed(
        "Reno, Scalable TCP and Compound TCP on a national network: 2^(6-1) conditions, 96 runs, "
        "minutes",
        f"{_NIST}, Experiment 1b at a tenth of its size",
        "pocket",
    ),
    "nist-2a": Listed(
        "Seven alternate algorithms, each among Reno, with a high initial threshold: 2^(9-4) "
        "conditions, 24 flow groups",
        f"{_NIST}, Experiment 2a",
        "nist.exp2",
    ),
    "nist-2b": Listed(
        "The same with a low initial threshold",
        f"{_NIST}, Experiment 2b",
        "nist.exp2",
    ),
    "nist-2c": Listed(
        "The same as 2a on a larger and faster network",
        f"{_NIST}, Experiment 2c",
        "nist.exp2",
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
