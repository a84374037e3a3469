"""Names under which scenarios and flows are made in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mesonet.scenario.dumbbell import Dumbbell as dumbbell  # noqa: N813 - as functions are called
from mesonet.scenario.flows import Flow

if TYPE_CHECKING:
    from mesonet.controller import Controller
    from mesonet.scenario.internet import Internet as internet  # noqa: N813

__all__ = ["dumbbell", "flow", "internet"]


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
) -> Flow:
    """One flow, or `count` alike; the fields of `Flow` explain the keywords.

    Examples:
        >>> flow("cubic", start="2 s", count=3).start
        2.0
    """
    return Flow(**locals())


def __getattr__(name: str) -> Any:
    # The model of national networks takes as long to import as a small run takes.
    if name == "internet":
        from mesonet.scenario.internet import Internet

        return Internet
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
