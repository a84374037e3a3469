"""Scenarios of the experiments, under an interpretation of what the report leaves open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from mesonet.scenario.dumbbell import Dumbbell
from mesonet.studies.labs.laboratory import (
    FAR_DELAY,
    FILE,
    FIVE_SIXTHS,
    FIVE_THRESHOLD,
    STAGGER,
    flow,
    laboratory,
)

Decrease = Literal["half", "step", "five sixths"]
"""Effect of a loss: half of the window kept, 1000 bytes less, or five sixths kept."""

LARGE = 4
"""Size of the large file over that of the others."""
LOW_THRESHOLD = 64_000
"""A threshold below the queue [bytes]."""
_WINDOW: Mapping[Decrease, str] = {"half": "reno", "step": "aiad", "five sixths": "aimd"}
_THRESHOLD: Mapping[Decrease, str] = {
    "half": "aimd:lab-half",
    "step": "aiad:lab",
    "five sixths": "aimd:lab",
}


@dataclass(frozen=True)
class Interpretation:
    """One way to set up all experiments.

    Attributes:
        lowers: Quantity that a changed decrease applies to; the standard one always takes the
            window.
        laboratory: Options of the laboratory, where they differ.
        size: Size of every transfer [bytes].
    """

    lowers: Literal["window", "threshold"] = "window"
    laboratory: Mapping[str, Any] = field(default_factory=dict)
    size: int = FILE

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Interpretation:
        """The interpretation that the values of a study, or of a variant, give."""
        return cls(values["lowers"], values["laboratory"], values["size"])

    def dumbbell(self, flows: list[dict[str, Any]], **options: Any) -> Dumbbell:
        """The laboratory with some flows; `options` win over those of the interpretation.

        Raises:
            ScenarioError: something does not fit.
        """
        names = {each["algorithm"] for each in flows}
        given: dict[str, Any] = (
            {"parameters": {"aimd": {"decrease": FIVE_SIXTHS}}} if "aimd" in names else {}
        )
        return laboratory(flows, **given, **(dict(self.laboratory) | options))

    def flow(self, decrease: Decrease, **options: Any) -> dict[str, Any]:
        """A transfer with a decrease."""
        algorithm = (_WINDOW if self.lowers == "window" else _THRESHOLD)[decrease]
        return flow(algorithm, **{"size": f"{self.size} B", **options})

    def standard(self, algorithm: str = "reno", **options: Any) -> dict[str, Any]:
        """A transfer under standard TCP, or under an algorithm that is asked for."""
        return flow(algorithm, **{"size": f"{self.size} B", **options})

    def one(self, decrease: Decrease | None = None, **options: Any) -> Dumbbell:
        """One transfer; the standard one unless a decrease is given."""
        one = self.standard(name="A") if decrease is None else self.flow(decrease, name="A")
        return self.dumbbell([one], **options)

    def two(self, algorithm: str = "reno") -> Dumbbell:
        """Two transfers at once."""
        return self.dumbbell([self.standard(algorithm, name=name) for name in "AB"])

    def five(self, algorithm: str = "reno") -> Dumbbell:
        """Five transfers, each a tenth of a second after the one before."""
        flows = [
            self.standard(algorithm, name=name, start=f"{here * STAGGER:g} s")
            for here, name in enumerate("ABCDE")
        ]
        return self.dumbbell(flows, threshold=FIVE_THRESHOLD)

    def competing(self) -> Dumbbell:
        """Blue keeps half, red five sixths."""
        flows = [self.flow("half", name="blue"), self.flow("five sixths", name="red")]
        return self.dumbbell(flows)

    def rtt(self, algorithm: str = "reno") -> Dumbbell:
        """A far and a near host."""
        far = self.standard(algorithm, name="far", rtt=f"{2000 * FAR_DELAY:g} ms")
        return self.dumbbell([far, self.standard(algorithm, name="near")], duration=30.0)


def _large(interpretation: Interpretation, decrease: Decrease) -> Dumbbell:
    return replace(interpretation, size=LARGE * interpretation.size).one(decrease, duration=40.0)


def _standard(interpretation: Interpretation, algorithm: str) -> Mapping[str, Dumbbell]:
    large = replace(interpretation, size=10 * interpretation.size)
    return {
        "one": interpretation.dumbbell([interpretation.standard(algorithm, name="A")]),
        "two": interpretation.two(algorithm),
        "five": interpretation.five(algorithm),
        "long": large.dumbbell([large.standard(algorithm, name="A")], duration=40.0),
    }


def _aiad(interpretation: Interpretation, _algorithm: str) -> Mapping[str, Dumbbell]:
    return {
        "standard": interpretation.one(),
        "aiad": interpretation.one("step"),
        "long": _large(interpretation, "step"),
        "low": interpretation.one("step", threshold=LOW_THRESHOLD),
    }


def _aimd56(interpretation: Interpretation, _algorithm: str) -> Mapping[str, Dumbbell]:
    return {
        "standard": interpretation.one(),
        "aiad": interpretation.one("step"),
        "aimd56": interpretation.one("five sixths"),
        "long": _large(interpretation, "five sixths"),
    }


SCENARIOS: Mapping[str, Callable[[Interpretation, str], Mapping[str, Dumbbell]]] = {
    "lab-reno": _standard,
    "lab-aiad": _aiad,
    "lab-aimd56": _aimd56,
    "lab-competing-aimd": lambda made, _: {"competing": made.competing()},
    "lab-rtt": lambda made, algorithm: {"rtt": made.rtt(algorithm)},
}
"""Runs of each study by name, for an interpretation and an algorithm."""
