"""Scenarios from keywords. What these are is in the stub beside this file, for editors and mypy."""

from __future__ import annotations

from typing import Any

from mesonet.controller import Controller
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.fields import takes_fields_of
from mesonet.scenario.flows import Flow


@takes_fields_of(Flow, but=("algorithm",))
def flow(algorithm: str | type[Controller], **options: Any) -> Flow:
    """One flow, or `count` alike.

    Raises `ScenarioError` with every problem at once, and `ControllerError` for a class that other
    processes could not import.

    Examples:
        >>> flow("cubic", start="2 s", count=3).start
        2.0
    """
    return Flow.from_dict({"algorithm": algorithm, **options})


@takes_fields_of(Dumbbell)
def dumbbell(**options: Any) -> Dumbbell:
    """Flows over one bottleneck.

    Raises `ScenarioError` with every problem at once.

    Examples:
        >>> dumbbell(rate="100 Mbit/s", rtt="40 ms", flows=["cubic"]).buffer_packets()
        334
    """
    return Dumbbell.from_dict(options)


def __getattr__(name: str) -> Any:
    # The model of national networks takes as long to import as a small run takes.
    if name == "internet":
        from mesonet.scenario.internet_keywords import internet

        return internet
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
