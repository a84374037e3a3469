"""Response of algorithms to a rising rate of marks, and of drops."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from mesonet.analysis.columns import Column, columns
from mesonet.analysis.response_functions import Signal, published_response
from mesonet.analysis.result import Result
from mesonet.errors import InputError, Problem, gathered, show
from mesonet.run import Run
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.keywords import dumbbell
from mesonet.scenario.transport import Profile
from mesonet.simulation import check, simulate
from mesonet.units import UnitError, parse_time

PROBABILITIES = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001)
"""Probabilities of a signal, rung by rung."""
_SIGNALS: tuple[Signal, ...] = ("mark", "drop")

# Segments per round trip that the path carries; algorithms that do not respond reach it.
_PATH = 5000
_FULL = 0.5
_BITS = 12_000
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
# A probability, and a round-trip time [s], that are right.
_RIGHT = 0.1

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


class _Rung(NamedTuple):
    rate: float
    error: float
    window: float
    marked: int
    dropped: int


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

    Raises:
        InputError: no algorithm or probability, a probability or time out of range, or an algorithm
            or profile that does not exist; all of them.
    """
    names = tuple(dict.fromkeys(algorithms))
    problems = ladder_problems(names, probabilities=probabilities, rtt=rtt, profile=profile)
    if problems:
        raise InputError(problems)
    seconds = parse_time(rtt)
    rungs = _rungs(probabilities)
    ladders = [
        _Ladder(name, signal, seconds, profile, seed) for name in names for signal in _SIGNALS
    ]
    rows: list[dict[str, object]] = []
    notes: list[str] = []
    for ladder in ladders:
        if progress is not None:
            progress(f"{ladder.algorithm}, {ladder.signal}s")
        rows += ladder.rows(rungs)
        notes += ladder.notes
    return SignalLadder(
        frame=_SIGNAL_LADDER.frame(rows),
        notes=tuple(notes),
        rtt=seconds,
        path=float(_PATH),
        algorithms=names,
    )


def ladder_problems(
    algorithms: Sequence[str],
    *,
    probabilities: Sequence[float],
    rtt: str | float,
    profile: Profile,
) -> list[Problem]:
    """Everything that is wrong with what `signal_ladder` is asked for; nothing is measured."""
    rungs = _rungs(probabilities)
    problems = [
        Problem("probabilities", "range", f"expected a number from 1e-7 to 1, got {p:g}")
        for p in rungs
        if not 1e-7 <= p <= 1
    ]
    if not algorithms:
        problems.append(Problem("algorithms", "empty", "expected at least one algorithm"))
    if not rungs:
        problems.append(Problem("probabilities", "empty", "expected at least one probability"))
    late = list(_time_problems(rtt))
    # Values that are wrong hide no algorithm that does not exist.
    p, seconds = (_RIGHT if problems else rungs[0]), (_RIGHT if late else parse_time(rtt))
    ladders = [_Ladder(name, "drop", seconds, profile, seed=1) for name in algorithms]
    return [*problems, *late, *_refused(ladders, p)]


def _rungs(probabilities: Sequence[float]) -> list[float]:
    return sorted({float(p) for p in probabilities}, reverse=True)


def _time_problems(rtt: str | float) -> Iterator[Problem]:
    try:
        if not parse_time(rtt) > 0:
            yield Problem("rtt", "range", f"expected a time above 0 s, got {show(rtt)}")
    except UnitError as error:
        yield Problem("rtt", "value", str(error))


def _refused(ladders: Iterable[_Ladder], p: float) -> list[Problem]:
    """Problems of the algorithms, before the first is measured."""
    problems: list[Problem] = []
    for ladder in ladders:
        with gathered(problems):
            check(ladder.scenario(p, 1.0))
    # The scenario of a rung is ours: no other place of it would say anything.
    named = [
        problem._replace(loc="algorithms" if problem.loc.startswith("flows[") else "")
        for problem in problems
    ]
    return list(dict.fromkeys(named))


@dataclass
class _Ladder:
    """Rungs of one algorithm under one signal, from the highest probability down."""

    algorithm: str
    signal: Signal
    rtt: float
    profile: Profile
    seed: int

    def __post_init__(self) -> None:
        self.notes: list[str] = []

    def rows(self, probabilities: Sequence[float]) -> Iterator[dict[str, object]]:
        """One row per rung that can be measured."""
        function = published_response(self.algorithm, self.signal)
        last: tuple[float, float] | None = None
        limited = False
        for p in probabilities:
            # No algorithm in use grows faster than 1 / p; what does is limited by the path.
            # Where every packet is lost, nothing says how much is sent on the next rung.
            expected = max(last[1] * last[0] / p, 1.0) if last else 10.0
            rounds = _UNANSWERED if limited else _rounds(p, expected)
            if rounds is None:
                self.notes.append(
                    f"{self.algorithm}, {self.signal}s: not measured at {p:g} and below, where its "
                    "window takes too long to settle."
                )
                return
            rung = self._measured(p, rounds)
            if self.signal == "mark" and not rung.rate and not rung.marked:
                self.notes.append(
                    f"{self.algorithm}, marks: no connection came about at {p:g}, for SYNs are "
                    "dropped and not marked."
                )
                continue
            if self.signal == "mark" and rung.dropped and not rung.marked:
                self.notes.append(f"{self.algorithm} does not use ECN: its packets are not marked.")
                return
            last = (p, rung.rate)
            limited = rung.rate > _FULL * _PATH
            yield {
                "algorithm": self.algorithm,
                "signal": self.signal,
                "probability": p,
                "rate": rung.rate,
                "error": rung.error,
                "window": rung.window,
                "signals": rung.marked if self.signal == "mark" else rung.dropped,
                "limited": limited,
                "published": function.window(p, self.rtt) if function else None,
                "source": function.source if function else "",
            }

    def _measured(self, p: float, rounds: tuple[float, float]) -> _Rung:
        settle, measure = rounds
        run = simulate(self.scenario(p, settle + measure), seed=self.seed, partial=False)
        flow = run.flows.filter(pl.col("time") > settle * self.rtt)
        acked = flow["acked"].cast(pl.Float64).to_numpy()
        # Means over long stretches, each with many signals, are close to independent.
        batches = [part.mean() for part in np.array_split(acked, _BATCHES) if part.size]
        return _Rung(
            rate=float(acked.mean()),
            error=float(np.std(batches, ddof=1) / math.sqrt(len(batches))),
            window=float(flow["cwnd"].to_numpy().mean()),
            marked=_count(run, "marked", settle * self.rtt),
            dropped=_count(run, "dropped", settle * self.rtt),
        )

    def scenario(self, p: float, rounds: float) -> Dumbbell:
        """One flow on a path that it does not fill unless it ignores the signals."""
        ecn = self.signal == "mark"
        return dumbbell(
            # A rate in bits gives acknowledgements a queue of their own, without signals.
            rate=f"{_PATH * _BITS / self.rtt:.9g} bit/s",
            rtt=f"{self.rtt:.9g} s",
            buffer=f"{_PATH} packets",
            queue={"kind": "random", "probability": p, "ecn": ecn},
            reverse_queue="droptail",
            flows=[self.algorithm],
            profile=self.profile,
            transport={"ecn": ecn, "ack_every": 1},
            interval=f"{self.rtt:.9g} s",
            duration=f"{math.ceil(rounds) * self.rtt:.9g} s",
            # Signals are counted by interval.
            record_queues=True,
        )


def _rounds(p: float, window: float) -> tuple[float, float] | None:
    """Round trips to settle and to measure; `None` if that is too much for one rung."""
    settle = _SETTLING * window + _SETTLED
    measure = max(_COUNT / (p * window), window, _FEWEST_ROUNDS)
    return None if (settle + measure) * window > _MOST else (settle, measure)


def _count(run: Run, kind: str, since: float) -> int:
    """Random signals of a kind after a time [s]."""
    measured = run.queue_states.filter(pl.col("time") > since)
    return int(measured[f"{kind}_random"].sum())
