"""Plans of Experiment 2 at every size and in both interpretations of its sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from mesonet.errors import PlanError, Problem
from mesonet.plan import Plan
from mesonet.responses import FLOW_GROUPS
from mesonet.studies.plans import plan_table, study_plan
from mesonet.studies.study import Options, Size

SourceInterpretation = Literal["slides", "paper"]
"""Interpretation where slides and paper differ: buffers of half of rtt*c or of rtt*c/sqrt(n),
documents of 10 or 100 Web objects."""

STANDARD = "reno"
ALTERNATES: Mapping[str, str] = {
    "BIC": "bic:nist",
    "CTCP": "ctcp:nist",
    "FAST": "fast",
    "FAST-AT": "fast-at:nist",
    "HSTCP": "hstcp:nist",
    "HTCP": "htcp:nist",
    "Scalable": "scalable:nist",
}
"""The source's labels and what they are here."""

MACROSCOPIC = (
    "y1", "y43", "y44", "y45", "y42", "y3", "y5", "y4", "y2", "y6", "y7", "T.y4",
    "share_web_object", "share_document", "share_service_pack", "share_movie",
)  # fmt: skip
"""Experiment 2's y1 to y16, in its order."""
_MORE = ("loss_rate", "y8", "timeouts", "connection_failures", "T.y1", "T.y2")
_PAIRS = ("y11", "y15", "y19", "y23", "y27", "y31")
"""Transfers per second on DD, DF, DN, FF, FN and NN paths."""


@dataclass(frozen=True)
class Scale:
    """Scale of the published experiment at one size.

    Attributes:
        network: Factor on speed and hosts.
        interfaces: Factor on the line rates of hosts.
        files: Factor by which service packs and movies are smaller, and more frequent.
        duration: Simulated seconds.
        warm_up: Fraction of them that is not measured.
        receivers: Distribution of receivers over N, F and D access routers.
    """

    network: float
    interfaces: float
    files: int
    duration: float
    warm_up: float = 0.2
    receivers: tuple[float, float, float] = (0.3, 0.1, 0.6)


# Networks and interfaces shrink together, so that every router serves as many interfaces at line
# rate as it does as published. In minutes, files of the published size would not end: those beyond
# documents are smaller and in proportion more frequent, which keeps the segments sent as files of
# each kind. Published, one flow in a thousand is on a very fast path; more receivers at D-class
# routers make it six, at 7 % less load on N-class routers.
SCALES: Mapping[str, Mapping[Size, Scale]] = {
    "nist-2a": {
        "pocket": Scale(1 / 20, 1 / 20, 50, 12),
        "desk": Scale(3 / 10, 3 / 10, 10, 40),
    },
    "nist-2b": {
        "pocket": Scale(1 / 20, 1 / 20, 50, 12),
        "desk": Scale(1 / 10, 1 / 10, 20, 75),
    },
    "nist-2c": {
        "pocket": Scale(1 / 100, 1 / 40, 50, 6),
        "desk": Scale(3 / 100, 1 / 10, 20, 25),
    },
}
"""Scales by study and size; at full size everything is as published."""


def plan_of(
    name: str, options: Options, *, interpretation: SourceInterpretation = "slides"
) -> Plan:
    """The plan of `nist-2a`, `nist-2b` or `nist-2c`.

    Args:
        name: name of the study.
        options: size, and algorithms in place of the seven, each to be mixed with Reno.
        interpretation: source that is followed where slides and paper differ.

    Raises:
        PlanError: an algorithm is Reno, or there is none.
    """
    table = plan_table(name)
    factors: dict[str, Any] = table["factors"]
    scenario: dict[str, Any] = {}
    scale = SCALES[name].get(options.size)
    if interpretation == "paper":
        factors["buffers"] |= {"low": "rtt*c/sqrt(n)", "high": "rtt*c"}
        for level in ("low", "high"):
            factors["files"][level]["factor"][0] = 100
    if scale is not None:
        scenario = _scaled(table["scenario"], factors, scale)
    alternates = algorithms_of(options)
    return study_plan(
        name,
        replace(options, algorithms=None),
        scenario=scenario,
        factors=factors,
        alternatives=[
            {"label": label, "names": {"alternate": algorithm}}
            for label, algorithm in alternates.items()
        ],
        responses=responses_of(tuple(alternates.values())),
    )


def responses_of(algorithms: tuple[str, ...]) -> list[str]:
    """Macroscopic responses, and goodput and number of transfers by flow group and algorithm."""
    groups = [f"{kind}{number}" for kind in "gn" for number in FLOW_GROUPS]
    return [
        *dict.fromkeys((*_MORE, *MACROSCOPIC, *_PAIRS)),
        *(f"{group}:{name}" for name in (STANDARD, *algorithms) for group in groups),
    ]


def algorithms_of(options: Options) -> dict[str, str]:
    """Alternate algorithms by label; `PlanError` if Reno is among them, or there is none."""
    algorithms = options.algorithms
    if algorithms is None:
        return dict(ALTERNATES)
    problem = None
    if not algorithms:
        problem = Problem("algorithms", "empty", "expected at least one algorithm, got none")
    elif STANDARD in algorithms:
        message = f'expected algorithms other than "{STANDARD}", which each of them is mixed with'
        problem = Problem("algorithms", "conflict", message)
    if problem:
        raise PlanError([problem])
    labels = {algorithm: label for label, algorithm in ALTERNATES.items()}
    return {labels.get(name, name): name for name in algorithms}


def _scaled(published: Mapping[str, Any], factors: dict[str, Any], scale: Scale) -> dict[str, Any]:
    """Scales the factors in place; returns what becomes of the scenario."""
    for level in ("low", "high"):
        speed = float(factors["speed"][level].split()[0])
        factors["speed"][level] = f"{speed * scale.network:g} p/ms"
        files = factors["files"][level]
        (document, *larger), (once, *times) = files["probability"], files["factor"]
        factors["files"][level] = {
            "probability": [document, *(round(share * scale.files, 9) for share in larger)],
            "factor": [once, *(factor / scale.files for factor in times)],
        }
    return {
        "base_sources": round(published["base_sources"] * scale.network),
        "interface_speeds": [f"{rate * scale.interfaces:g} p/ms" for rate in (8, 80)],
        "receiver_distribution": list(scale.receivers),
        "duration": f"{scale.duration:g} s",
        "warm_up": scale.warm_up,
    }
