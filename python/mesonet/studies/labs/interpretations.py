"""Interpretations of the report where it is silent, and conditions that a lecturer may vary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mesonet.scenario.dumbbell import Dumbbell
from mesonet.studies.labs.laboratory import (
    DELAY,
    FAR_DELAY,
    FILE,
    FIVE_SIXTHS,
    FIVE_THRESHOLD,
    SEGMENT,
    STAGGER,
    THRESHOLD,
    flow,
    laboratory,
)

Decrease = Literal["half", "step", "five sixths"]
"""Effect of a loss: half of the window kept, 1000 bytes less, or five sixths kept."""

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
        label: Label for readers.
        lowers: Quantity that a changed decrease applies to; the standard one always takes the
            window.
        options: Options of `laboratory`, where they differ.
        size: Size of every transfer [bytes].
    """

    label: str
    lowers: Literal["window", "threshold"] = "window"
    options: Mapping[str, Any] = field(default_factory=dict)
    size: int = FILE

    def laboratory(self, flows: list[dict[str, Any]], **options: Any) -> Dumbbell:
        """The laboratory under this interpretation; `options` win over its own.

        Raises:
            ScenarioError: something does not fit.
        """
        names = {each["algorithm"] for each in flows}
        given: dict[str, Any] = (
            {"parameters": {"aimd": {"decrease": FIVE_SIXTHS}}} if "aimd" in names else {}
        )
        return laboratory(flows, **given, **(dict(self.options) | options))

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
        return self.laboratory([one], **options)

    def two(self, algorithm: str = "reno") -> Dumbbell:
        """Two transfers at once."""
        return self.laboratory([self.standard(algorithm, name=name) for name in "AB"])

    def five(self, algorithm: str = "reno") -> Dumbbell:
        """Five transfers, each a tenth of a second after the one before."""
        flows = [
            self.standard(algorithm, name=name, start=f"{here * STAGGER:g} s")
            for here, name in enumerate("ABCDE")
        ]
        return self.laboratory(flows, threshold=FIVE_THRESHOLD)

    def competing(self) -> Dumbbell:
        """Blue keeps half, red five sixths."""
        flows = [self.flow("half", name="blue"), self.flow("five sixths", name="red")]
        return self.laboratory(flows)

    def rtt(self, algorithm: str = "reno") -> Dumbbell:
        """A far and a near host."""
        far = self.standard(algorithm, name="far", rtt=f"{2000 * FAR_DELAY:g} ms")
        return self.laboratory([far, self.standard(algorithm, name="near")], duration=30.0)


CHOSEN = Interpretation("as chosen")
"""Interpretation that the scorecards judge."""

INTERPRETATIONS: tuple[Interpretation, ...] = (
    CHOSEN,
    Interpretation("the threshold itself is lowered", "threshold"),
    Interpretation("Tahoe as released in 1988", options={"recovery": "tahoe-1988"}),
    Interpretation("both of these", "threshold", {"recovery": "tahoe-1988"}),
)
"""Possible interpretations of the report; the chosen one first."""


def _changed(label: str, **options: Any) -> Interpretation:
    return Interpretation(label, options=options)


def _both(label: str, *, size: int = FILE, **options: Any) -> Interpretation:
    return Interpretation(
        f"both, {label}", "threshold", {"recovery": "tahoe-1988", **options}, size=size
    )


VARIED: tuple[Interpretation, ...] = (
    *INTERPRETATIONS[1:],
    _both("queue of 95 packets", buffer="95 packets"),
    _both("queue of 101 packets", buffer="101 packets"),
    _both("file of 1 MiB", size=2**20),
    *(_changed(f"queue of {room} packets", buffer=f"{room} packets") for room in (50, 95, 99)),
    *(_changed(f"queue of {room} packets", buffer=f"{room} packets") for room in (101, 105, 200)),
    *(
        _changed(f"threshold of {size // SEGMENT} segments", threshold=size)
        for size in (64_000, 125_000, 2 * THRESHOLD)
    ),
    *(_changed(f"initial window of {segments}", initial_window=segments) for segments in (2, 10)),
    _changed("timer of at least 0.2 s", transport={"rto_min": "200 ms"}),
    _changed("every second segment acknowledged", transport={"ack_every": 2}),
    _changed("NewReno instead of Tahoe", transport={"recovery": "newreno"}),
    _changed("SACK instead of Tahoe", transport={"recovery": "sack"}),
    _changed("link of 2 Mbit/s", rate="2 Mbit/s", duration=20.0),
    _changed(f"delay of {1500 * DELAY:g} ms", rtt=f"{3000 * DELAY:g} ms"),
    Interpretation("file of 1 MiB", size=2**20),
)
"""Interpretations and conditions of the sensitivity tables."""
