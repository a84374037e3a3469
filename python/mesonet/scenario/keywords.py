"""Names under which scenarios and flows are made in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mesonet.scenario.dumbbell import Dumbbell as dumbbell  # noqa: N813 - as functions are called
from mesonet.scenario.flows import Conduct, Flow
from mesonet.scenario.reading import KINDS, model

if TYPE_CHECKING:
    from mesonet.controller import Controller
    from mesonet.scenario.custom import Custom as custom  # noqa: N813
    from mesonet.scenario.internet import Internet as internet  # noqa: N813
    from mesonet.scenario.parking_lot import ParkingLot as parking_lot  # noqa: N813

__all__ = ["custom", "dumbbell", "flow", "internet", "parking_lot"]


def flow(
    algorithm: str | type[Controller],
    *,
    name: str | None = None,
    start: str = "0 s",
    stop: str | None = None,
    size: str | None = None,
    burst: str | None = None,
    pause: str | None = None,
    every: str | None = None,
    application: str | dict[str, Any] | None = None,
    rtt: str | None = None,
    count: int = 1,
    reverse: bool = False,
    conduct: Conduct = "honest",
) -> Flow:
    """One flow, or `count` alike; the fields of `Flow` explain the keywords.

    Examples:
        >>> flow("cubic", start="2 s", count=3).start
        2.0
    """
    return Flow(**locals())


def __getattr__(name: str) -> Any:
    # A model of another kind takes as long to import as a small run takes.
    if name in KINDS:
        return model(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
