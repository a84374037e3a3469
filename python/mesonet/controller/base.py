"""The base class of controllers in Python, with what their methods get and may call."""

from __future__ import annotations

from typing import Literal

from mesonet._core import AckSample, CongestionEvent, Flow, Initial, RoundSample

PREFIX = "python:"
"""Prefix of the names of controllers written in Python."""


class Controller:
    """A congestion controller written in Python; derive from it, one object serves one flow.

    The transport finds losses, measures round trips and sends; a controller owns the window. After
    every call the attributes below are read back. They have to make sense: an exception, a `cwnd`
    that is not finite, below one segment (see `cwnd`) or above 2^24 segments, or a `pacing_rate`
    that is not above zero stops the run with a `ControllerError`. The methods are looked up once,
    when the flow begins.

    Keep all state in the object. Anything shared between flows, or drawn from anywhere but a
    generator seeded with `initial.seed`, makes runs depend on the order in which regions of a
    network are simulated.

    Examples:
        >>> class Fixed(Controller):
        ...     def on_ack(self, ack: AckSample, flow: Flow) -> None:
        ...         self.cwnd = 10.0 * flow.smss
        ...
        ...     def on_congestion(self, event: CongestionEvent, flow: Flow) -> None:
        ...         pass
    """

    cadence: Literal["ack", "round"] = "ack"
    """Call `on_ack` for every acknowledgement, or `on_round` once per round trip, which costs next
    to nothing."""
    wants_rate_samples: bool = False
    """Have the transport measure delivery rates, for `ack.rate`."""
    ecn: Literal["none", "classic", "dctcp", "l4s"] = "classic"
    """Explicit congestion notification that the controller works with: none; that of RFC 3168, an
    answer to "ecn_echo" as to a loss, used where the hosts have ECN switched on; DCTCP's, ECT(0)
    and an echo of every mark (RFC 8257); or L4S, ECT(1) and counted marks (RFC 9331, RFC 9768)."""
    ecn_fallback: bool = False
    """The controller also works with less than its `ecn` where the hosts have no more; `flow.ecn`
    tells it. Without this, L4S where the echo is classic is an error of the scenario."""
    cwnd: float
    """Congestion window [bytes], at least one segment and at most 2^24. With `ecn = "l4s"` it may
    be a part of a segment, 1/1024 at least: one segment is sent per `smss / cwnd` round trips."""
    pacing_rate: float | None = None
    """Pacing rate [bytes/s]; None sends as soon as the window allows."""
    ssthresh: float | None = None
    """Slow-start threshold [bytes], infinity for none yet; None for a controller without."""
    phase: Literal["slow_start", "standard", "alternate"] | None = None
    """Phase that measurement counts the flow in: slow start, standard (the rules of RFC 5681) or
    alternate (rules of its own). None is slow start below `ssthresh`, then standard."""

    def __init__(self, initial: Initial) -> None:
        self.cwnd = initial.window * initial.smss

    def on_ack(self, ack: AckSample, flow: Flow) -> None:
        """An ACK that delivered something arrived; called with the cadence "ack"."""
        raise NotImplementedError(f"{type(self).__name__} has no on_ack")

    def on_round(self, round: RoundSample, flow: Flow) -> None:  # noqa: A002
        """A round trip ended; called with the cadence "round". `flow` is as of the last ACK."""
        raise NotImplementedError(f"{type(self).__name__} has no on_round")

    def on_congestion(self, event: CongestionEvent, flow: Flow) -> None:
        """An episode of congestion began or ended; called with both cadences.

        `event.kind` is "enter_recovery" (loss; once per episode, RFC 6675), "exit_recovery",
        "ecn_echo" (a mark, RFC 3168) or "rto" (the retransmission timer, RFC 6298).
        """
        raise NotImplementedError(f"{type(self).__name__} has no on_congestion")

    def on_undo(self, cwnd: float, ssthresh: float | None, flow: Flow) -> None:
        """The latest reduction answered losses that were none (transport option `undo`).

        `cwnd` and `ssthresh` are what they were before it [bytes]. The default leaves the window as
        it is. "exit_recovery" follows if the episode is not over yet.
        """
