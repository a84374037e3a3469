"""Result of a comparison, and the function that makes one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from mesonet.analysis.columns import OWN, Column, columns
from mesonet.analysis.result import Result
from mesonet.comparison.estimates import differences, hardly_varying_shares, means
from mesonet.comparison.measures import measured
from mesonet.comparison.question import WARM_UP, Condition, Match, Question, question
from mesonet.comparison.running import execute
from mesonet.controller import Controller, algorithm_name
from mesonet.errors import InputError, Problem, show
from mesonet.run import Run
from mesonet.scenario.transport import Profile
from mesonet.system.place import PAGES
from mesonet.system.writing import write_atomically

_COMPARISON = columns(
    "condition_rate condition_rtt condition_buffer condition_loss condition_queue algorithm "
    "beside measure mean low high repeats",
    Column("condition_rate", pl.String, "", "rate of the bottleneck"),
    Column("condition_rtt", pl.String, "", "round-trip time"),
    Column("condition_buffer", pl.String, "", "buffer of the bottleneck"),
    Column("condition_loss", pl.Float64, "1", "probability of a random loss"),
    Column("condition_queue", pl.String, "", "queue discipline of the bottleneck"),
    Column("beside", pl.String, "", "algorithm beside it; empty if it is alone"),
    Column("measure", pl.String, "", "measure of the comparison"),
    Column("low", pl.Float64, OWN, "lower end of the confidence interval"),
    Column("high", pl.Float64, OWN, "upper end of the confidence interval"),
    Column("repeats", pl.Int64, "", "number of repeats"),
)

_RUNS = columns(
    "condition_rate condition_rtt condition_buffer condition_loss condition_queue repeat "
    "algorithm beside utilization delay_p50 delay_p95 jain rate sent_again share",
    *_COMPARISON,
    Column("repeat", pl.Int64, "", "repeat, from 1"),
    Column("utilization", pl.Float64, "1", "utilization of the bottleneck"),
    Column("delay_p50", pl.Float64, "s", "median sojourn time at the bottleneck"),
    Column("delay_p95", pl.Float64, "s", "sojourn time at the bottleneck that 95 % do not exceed"),
    Column("jain", pl.Float64, "1", "Jain's fairness index"),
    Column("rate", pl.Float64, "", "goodput [bit/s], or [segments/s] where rates are in packets"),
    Column("sent_again", pl.Float64, "1", "share of segments sent again"),
)

_DIFFERENCES = columns(
    "condition_rate condition_rtt condition_buffer condition_loss condition_queue measure "
    "algorithm beside baseline value reference difference p repeats low high p_adjusted "
    "verdict",
    *_RUNS,
    *_COMPARISON,
    Column("reference", pl.Float64, OWN, "mean of the baseline over the repeats of both"),
    Column("verdict", pl.String, "", "outcome in words"),
)


class Comparison(Result, frame=_COMPARISON, runs=_RUNS, differences=_DIFFERENCES):
    """Algorithms side by side: alone, and beside each other.

    `frame` has a row for each condition, algorithm, algorithm beside it (`beside`, empty if it is
    alone) and measure.

    Attributes:
        question: Question that was asked.
        runs: One row for each run and algorithm in it, with the measures as columns.
        differences: Differences with intervals, adjusted p and verdict words; see
            `mesonet.comparison.estimates.differences`.
        first_runs: Runs of the first repeat, by condition and match.
        executed: Number of runs that were executed.
        interrupted: True if Ctrl-C ended it; perhaps when the last run had ended.
    """

    question: Question
    runs: pl.DataFrame
    differences: pl.DataFrame
    first_runs: Mapping[tuple[Condition, Match], Run]
    executed: int
    interrupted: bool = False

    def sentences(self) -> tuple[str, ...]:
        """The answer in sentences: shares, differences that were told apart, and the rest."""
        from mesonet.comparison.words import sentences

        return sentences(self)

    def __repr__(self) -> str:
        from mesonet.comparison.words import table

        return "\n".join([table(self), "", *self.sentences(), *map(_note, self.notes)])

    def plot(self) -> Any:
        """The answer as an Altair chart: measures alone, and shares beside each other."""
        from mesonet.comparison.chart import comparison_chart

        return comparison_chart(self)

    def save(self, path: str | Path) -> Path:
        """Writes the page (HTML), or the chart (SVG, PDF, PNG); the end of the name says which.

        Args:
            path: File to write.
        """
        target = Path(path)
        if target.suffix.lower() in PAGES:
            from mesonet.comparison.page import write_page

            return write_page(self, target)
        from mesonet.figures import printed

        drawn = printed(self.plot(), kind=target.suffix[1:].lower())
        write_atomically(target, drawn)
        return target

    def said(self) -> tuple[str, ...]:
        """The answer in sentences, and the reservations."""
        return (*self.sentences(), *self.notes)

    def facts(self) -> dict[str, Any]:
        """Question and reservations."""
        return super().facts() | {"question": {**asdict(self.question)}}


_NOTE = (
    "Repeats differ in start times, round-trip times (within 5 %), delays at hosts and random "
    "losses; intervals say nothing of other paths."
)


def _note(text: str) -> str:
    return f"note: {text}"


def compare(
    *algorithms: str | type[Controller],
    rate: str | Sequence[str] = "50 Mbit/s",
    rtt: str | Sequence[str] = "40 ms",
    buffer: str | Sequence[str] = "1 bdp",
    loss: float | Sequence[float] = 0.0,
    queue: str | Sequence[str] = "droptail",
    beside: str | type[Controller] | Sequence[str | type[Controller]] = (),
    flows: int = 1,
    repeats: int = 5,
    duration: str = "60 s",
    warm_up: float = WARM_UP,
    seed: int = 1,
    profile: Profile | None = None,
    ecn: bool = False,
    host_jitter: str | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Compares algorithms over one bottleneck: each alone, and each beside the others.

    Every match is repeated with other start times (within a second), round-trip times (within 5 %)
    and delays of packets at hosts, the same ones for all algorithms. Shares are tested against a
    half, and differences alone are from the first algorithm; p values are adjusted (Holm). Ctrl-C
    ends it early, with what is finished.

    Args:
        algorithms: Names of controllers, or classes of Python's.
        rate: Capacity of the bottleneck; one or several, as with the four that follow.
        rtt: Base round-trip time.
        buffer: Room for waiting packets, such as "1 bdp" or "100 packets".
        loss: Probability that a packet is lost at random.
        queue: Queue discipline by name.
        beside: Algorithms that each one shares the bottleneck with; each other if none are given.
        flows: Flows of each algorithm in a match.
        repeats: Repeats of every match.
        duration: Simulated time of a run.
        warm_up: Part of it that is not measured.
        seed: Seed of start times, round-trip times, delays at hosts and random losses.
        profile: TCP options of all hosts, such as "linux"; "rfc" if `None`, or "mesonet" where the
            rate is in packets. Options and profiles are on the page of the transport.
        ecn: True to switch ECN on at the hosts, for algorithms that do not ask for it themselves.
        host_jitter: Longest random delay of a packet at its sending host; if `None`, the time that
            the bottleneck takes for a packet. With "0 s" phases may decide.
        threads: Runs at a time; the number of cores if `None`.
        progress: Called with the number of runs that are done, and of all.

    Raises:
        InputError: Something cannot be simulated: every problem at once.

    Examples:
        >>> found = compare("reno", "cubic", rate="5 Mbit/s", repeats=2, duration="5 s")
        >>> found.to_frame().columns[-4:]
        ['mean', 'low', 'high', 'repeats']
    """
    others: object = (beside,) if isinstance(beside, str | type) else beside
    if not isinstance(others, Iterable):
        message = f'expected a name such as "cubic", or several, got {show(beside)}'
        raise InputError([Problem("beside", "type", message)])
    asked = question(
        [algorithm_name(each) for each in algorithms],
        rate=rate,
        rtt=rtt,
        buffer=buffer,
        loss=loss,
        queue=queue,
        beside=[algorithm_name(each) for each in others],
        flows=flows,
        repeats=repeats,
        duration=duration,
        warm_up=warm_up,
        seed=seed,
        profile=profile,
        ecn=ecn,
        host_jitter=host_jitter,
    )
    done, interrupted = execute(asked, threads=threads, progress=progress)
    if not done:
        raise KeyboardInterrupt
    runs = measured(done)
    found = differences(asked, runs)
    notes = [*_equal_in_every_repeat(found), *_hardly_differ(runs), _NOTE]
    if interrupted:
        notes.insert(0, f"Interrupted after {len(done)} of {asked.total()} runs.")
    if repeats == 1:
        notes.insert(0, "One repeat: there are no intervals, and nothing can be told apart.")
    return Comparison(
        frame=means(runs, found),
        notes=tuple(notes),
        question=asked,
        runs=runs,
        differences=found,
        first_runs={(each.condition, each.match): each.run for each in done if each.repeat == 1},
        executed=len(done),
        interrupted=interrupted,
    )


def _hardly_differ(runs: pl.DataFrame) -> tuple[str, ...]:
    """Note on matches whose shares hardly vary; empty if there are none."""
    count = hardly_varying_shares(runs)
    if not count:
        return ()
    where = "1 match" if count == 1 else f"{count} matches"
    words = (
        f"In {where} the shares hardly differ between repeats. A queue that shares by rule does "
        "that, and so does a phase between packets: look at other round-trip times."
    )
    return (words,)


def _equal_in_every_repeat(found: pl.DataFrame) -> tuple[str, ...]:
    """Note on differences of which no repeat tells anything new; empty if there are none."""
    if found.is_empty():
        return ()
    count = found.filter(
        pl.col("p").is_null() & pl.col("difference").is_finite() & (pl.col("repeats") > 1)
    ).height
    if not count:
        return ()
    what = "1 difference is" if count == 1 else f"{count} differences are"
    return (f"{what} the same in every repeat. What does not vary has no interval and no p.",)
