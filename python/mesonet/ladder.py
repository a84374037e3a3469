"""Response of algorithms to a rising rate of marks, and of drops."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
import polars as pl

from mesonet.analysis.columns import Column, columns
from mesonet.analysis.response_functions import Signal, published_response
from mesonet.analysis.result import Result
from mesonet.controller import name_of, name_problems, short
from mesonet.errors import InputError, Problem, gathered
from mesonet.scenario.keywords import dumbbell
from mesonet.scenario.transport import Profile
from mesonet.simulation import simulate
from mesonet.units import PACKET_BITS, parse_time

PROBABILITIES = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001)
"""Probabilities of a signal, rung by rung."""
_SIGNALS: tuple[Signal, ...] = ("mark", "drop")

# Segments per round trip that the path carries; algorithms that do not respond reach it.
_PATH = 5000
_FULL = 0.5
# Signals that a rung waits for at a rate that goes with 1 / p, and the most segments that it sends.
_COUNT = 400.0
_MOST = 8e6
_FEWEST_ROUNDS = 1000.0
# Additive increase of a segment per round trip comes within 2 % of its mean window in four of it.
_SETTLING = 4.0
_SETTLED = 100.0
_BATCHES = 20
# Round trips to settle and to measure where signals do not limit the rate.
_UNANSWERED = (_SETTLED, _SETTLED)

_SIGNAL_LADDER = columns(
    "algorithm signal probability rate error window signals limited published source",
    Column("probability", pl.Float64, "1", "probability of a signal"),
    Column("rate", pl.Float64, "segments", "segments delivered per round trip"),
    Column("window", pl.Float64, "segments", "mean congestion window"),
    Column("signals", pl.Int64, "", "number of marks or drops"),
    Column("limited", pl.Boolean, "", "true if the path, not the signals, limits the rate"),
    Column(
        "published",
        pl.Float64,
        "segments",
        "mean window of the response function; null without one",
    ),
    Column("source", pl.String, "", "source of the response function"),
)


class SignalLadder(Result, chart="signal_ladder_chart", frame=_SIGNAL_LADDER):
    """Response of algorithms to marks and drops.

    `frame` has a row for each algorithm, signal ("mark" or "drop") and probability.

    `rtt` is the round-trip time [s], `path` the segments per round trip that the path carries.
    """

    rtt: float
    path: float
    algorithms: tuple[str, ...]


def signal_ladder(
    algorithms: Iterable[str],
    *,
    probabilities: Sequence[float] = PROBABILITIES,
    rtt: str | float = "100 ms",
    profile: Profile = "linux-4.18",
    seed: int = 1,
    progress: Callable[[str], None] | None = None,
) -> SignalLadder:
    """Rate of a lone flow where each packet is marked, or dropped, with one probability.

    The path has no queue and a constant round trip. With "mark", hosts have ECN switched on and
    routers mark; with "drop" they have not, and the same packets are lost instead. Every segment is
    acknowledged. A rung is left out, with a note, where an algorithm takes no marks, or would need
    more than eight million segments to settle.

    Args:
        algorithms: Names, built in or not.
        probabilities: Probabilities of a signal, from 1e-7 to 1; the highest is measured first.
        rtt: Round-trip time.
        profile: Profile of the transport; reductions in proportion hide what is measured.
        seed: Seed of the runs.
        progress: Called with what is measured next, in words.
    """
    names = tuple(dict.fromkeys(map(name_of, algorithms)))
    problems = ladder_problems(names, probabilities=probabilities, rtt=rtt, profile=profile)
    if problems:
        raise InputError(problems)
    ladder = _Ladder(parse_time(rtt), profile, seed)
    rungs = sorted({float(p) for p in probabilities}, reverse=True)
    rows: list[dict[str, object]] = []
    for name, signal in product(names, _SIGNALS):
        if progress is not None:
            progress(f"{name}, {signal}s")
        rows += ladder.rows(name, signal, rungs)
    return SignalLadder(
        frame=_SIGNAL_LADDER.frame(rows),
        notes=tuple(ladder.notes),
        rtt=ladder.rtt,
        path=float(_PATH),
        algorithms=tuple(map(short, names)),
    )


def ladder_problems(
    algorithms: Sequence[str],
    *,
    probabilities: Sequence[float],
    rtt: str | float,
    profile: Profile,
) -> list[Problem]:
    """Everything that is wrong with what `signal_ladder` is asked for; nothing is measured."""
    problems = [
        Problem("probabilities", "range", f"expected a number from 1e-7 to 1, got {p:g}")
        for p in probabilities
        if not 1e-7 <= p <= 1
    ]
    for name, values in {"algorithms": algorithms, "probabilities": probabilities}.items():
        if not values:
            problems.append(Problem(name, "empty", "expected at least one"))
    with gathered(problems):
        dumbbell(rate="1 Mbit/s", rtt=rtt, flows=["reno"], profile=profile)
    problems += name_problems({name: ["algorithms"] for name in algorithms}, {})
    return problems


@dataclass
class _Ladder:
    """The experiment: a path with a round-trip time [s], and what could not be measured on it."""

    rtt: float
    profile: Profile
    seed: int
    notes: list[str] = field(default_factory=list)

    def rows(
        self, algorithm: str, signal: Signal, probabilities: Sequence[float]
    ) -> Iterator[dict[str, object]]:
        """One row per rung that can be measured, from the highest probability down."""
        function, name = published_response(algorithm, signal), short(algorithm)
        last: tuple[float, float] | None = None
        limited = False
        for p in probabilities:
            # No algorithm in use grows faster than 1 / p; what does is limited by the path.
            # Where every packet is lost, nothing says how much is sent on the next rung.
            expected = max(last[1] * last[0] / p, 1.0) if last else 10.0
            rounds = _UNANSWERED if limited else _rounds(p, expected)
            if rounds is None:
                self.notes.append(
                    f"{name}, {signal}s: not measured at {p:g} and below, where its window "
                    "takes too long to settle."
                )
                return
            rung = self.rung(algorithm, signal, p, rounds)
            rate, marked, dropped = rung["rate"], rung.pop("marked"), rung.pop("dropped")
            if signal == "mark" and not marked and not rate:
                self.notes.append(
                    f"{name}, marks: no connection came about at {p:g}, for SYNs are dropped "
                    "and not marked."
                )
                continue
            if signal == "mark" and not marked and dropped:
                self.notes.append(f"{name} does not use ECN: its packets are not marked.")
                return
            last, limited = (p, rate), rate > _FULL * _PATH
            yield {
                "algorithm": name,
                "signal": signal,
                "probability": p,
                **rung,
                "signals": int(marked if signal == "mark" else dropped),
                "limited": limited,
                "published": function.window(p, self.rtt) if function else None,
                "source": function.source if function else "",
            }

    def rung(
        self, algorithm: str, signal: Signal, p: float, rounds: tuple[float, float]
    ) -> dict[str, float]:
        """Numbers of a flow on a path that it does not fill unless it ignores the signals.

        `rounds` are round trips to settle and to measure.
        """
        ecn, begin = signal == "mark", rounds[0] * self.rtt
        scenario = dumbbell(
            # A rate in bits gives acknowledgements a queue of their own, without signals.
            rate=f"{_PATH * PACKET_BITS / self.rtt:.9g} bit/s",
            rtt=f"{self.rtt:.9g} s",
            buffer=f"{_PATH} packets",
            queue={"kind": "random", "probability": p, "ecn": ecn},
            reverse_queue="droptail",
            flows=[algorithm],
            profile=self.profile,
            transport={"ecn": ecn, "ack_every": 1},
            interval=f"{self.rtt:.9g} s",
            duration=f"{math.ceil(sum(rounds)) * self.rtt:.9g} s",
            # Signals are counted by interval.
            record_queues=True,
        )
        run = simulate(scenario, seed=self.seed, partial=False)
        measured = pl.col("time") > begin
        flow, queue = run.flows.filter(measured), run.queue_states.filter(measured)
        acked = flow["acked"].cast(pl.Float64).to_numpy()
        # Means over long stretches, each with many signals, are close to independent.
        batches = [part.mean() for part in np.array_split(acked, _BATCHES) if part.size]
        return {
            "rate": float(acked.mean()),
            "error": float(np.std(batches, ddof=1) / math.sqrt(len(batches))),
            "window": float(flow["cwnd"].to_numpy().mean()),
            "marked": float(queue["marked_random"].sum()),
            "dropped": float(queue["dropped_random"].sum()),
        }


def _rounds(p: float, window: float) -> tuple[float, float] | None:
    """Round trips to settle and to measure; `None` if that is too much for one rung."""
    settle = _SETTLING * window + _SETTLED
    measure = max(_COUNT / (p * window), window, _FEWEST_ROUNDS)
    return None if (settle + measure) * window > _MOST else (settle, measure)
