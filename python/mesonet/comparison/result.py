"""Result of a comparison, and the function that makes one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from mesonet.analysis.columns import OWN, Column, columns
from mesonet.analysis.result import Result
from mesonet.campaign.memory import Simulated, simulate_plan
from mesonet.comparison.estimates import differences, means
from mesonet.comparison.measures import BY_NAME, MEASURES, measured
from mesonet.comparison.question import WARM_UP, Condition, Question, question
from mesonet.controller import Controller
from mesonet.machine import available_cores
from mesonet.plan import Plan
from mesonet.run import Run
from mesonet.scenario.transport import Profile
from mesonet.showing import progress_line
from mesonet.writing import PAGES, write_atomically

if TYPE_CHECKING:
    from mesonet.scenario import Scenario

_PLACE = " ".join(f"condition_{name}" for name in Condition._fields)
_SI = {"%": "1", "ms": "s", "": "1"}
_COMPARISON = columns(
    f"{_PLACE} algorithm versus measure mean low high replicates",
    Column("condition_path", pl.String, "", "name of the path; empty if it has none"),
    Column("condition_rate", pl.String, "", "rate of the bottleneck"),
    Column("condition_rtt", pl.String, "", "round-trip time"),
    Column("condition_buffer", pl.String, "", "buffer of the bottleneck"),
    Column("condition_loss", pl.Float64, "1", "probability of a random loss"),
    Column("condition_queue", pl.String, "", "queue discipline of the bottleneck"),
    Column("versus", pl.String, "", "opponent of the algorithm; empty if it is alone"),
    Column("measure", pl.String, "", "measure of the comparison"),
    Column("low", pl.Float64, OWN, "lower end of the confidence interval"),
    Column("high", pl.Float64, OWN, "upper end of the confidence interval"),
    Column("replicates", pl.Int64, "", "number of replicates"),
)
_RUNS = columns(
    f"{_PLACE} replicate algorithm versus {' '.join(BY_NAME)}",
    *_COMPARISON,
    Column("replicate", pl.Int64, "", "replicate, from 1"),
    *(
        Column(measure.name, pl.Float64, _SI.get(measure.unit, ""), measure.title)
        for measure in MEASURES
    ),
    Column("rate", pl.Float64, "", "goodput [bit/s], or [segments/s] where rates are in packets"),
)
_DIFFERENCES = columns(
    f"{_PLACE} measure algorithm versus baseline value reference difference p replicates low high "
    "level p_adjusted verdict",
    *_COMPARISON,
    Column("reference", pl.Float64, OWN, "mean of the baseline over the replicates of both"),
    Column("level", pl.Float64, "1", "confidence level of the interval, that of the test's step"),
    Column("verdict", pl.String, "", "outcome in words"),
)


class Comparison(Result, frame=_COMPARISON, runs=_RUNS, differences=_DIFFERENCES):
    """Algorithms side by side: alone, and versus each other.

    `frame` has a row for each condition, algorithm, opponent (`versus`, empty if it is
    alone) and measure.

    Attributes:
        question: Question that was asked, and its plan.
        executed: Number of runs that were executed.
        runs: One row for each run and algorithm in it, with the measures as columns.
        differences: Differences with intervals, adjusted p and verdict words; see
            `mesonet.comparison.estimates.differences`.
        first_runs: Runs of the first replicate, by condition and alternative of the plan; none of a
            comparison in a folder.
        interrupted: True if Ctrl-C ended it; perhaps when the last run had ended.
    """

    question: Question
    executed: int
    runs: pl.DataFrame
    differences: pl.DataFrame
    first_runs: Mapping[tuple[int, str], Run] = field(default_factory=dict)
    interrupted: bool = False

    def sentences(self) -> tuple[str, ...]:
        """The answer in sentences: shares, significant differences, and the rest."""
        from mesonet.comparison.words import sentences

        return sentences(self)

    def __repr__(self) -> str:
        return self.to_text()

    def to_text(self, *, every: bool = False) -> str:
        """Tables and sentences; of several conditions, those of each with `every`."""
        from mesonet.comparison.tables import table
        from mesonet.comparison.words import each

        several = every and len(self.question.conditions) > 1
        lines = each(self) if several else self.sentences()
        notes = (f"note: {note}" for note in self.notes)
        return "\n".join([table(self, every=every), "", *lines, *notes])

    def plot(self) -> Any:
        """The answer as an Altair chart: measures alone, and shares versus each other."""
        from mesonet.comparison.chart import comparison_chart

        return comparison_chart(self)

    def save(self, path: str | Path) -> Path:
        """Writes the page (HTML), or the chart (SVG, PDF, PNG); the end of the name says which."""
        target = Path(path)
        if target.suffix.lower() in PAGES:
            from mesonet.comparison.page import render_page

            write_atomically(target, render_page(self).encode())
            return target
        from mesonet.figures import save

        return save(self.plot(), target)

    def said(self) -> tuple[str, ...]:
        """The answer in sentences, and the reservations."""
        return (*self.sentences(), *self.notes)

    def facts(self) -> dict[str, Any]:
        """Plan and reservations."""
        return super().facts() | {"plan": self.question.plan.to_toml()}


_NOTE = (
    "Replicates differ in start times, round-trip times (within 5 %), delays at hosts and random "
    "losses; intervals say nothing of other paths."
)


def compare(
    *algorithms: str | type[Controller],
    path: str | Sequence[str] = (),
    rate: str | Sequence[str] | None = None,
    rtt: str | Sequence[str] | None = None,
    buffer: str | Sequence[str] | None = None,
    loss: float | Sequence[float] | None = None,
    queue: str | Sequence[str] | None = None,
    versus: str | type[Controller] | Sequence[str | type[Controller]] = (),
    flows: int = 1,
    replicates: int = 5,
    duration: str | None = None,
    warm_up: float = WARM_UP,
    seed: int = 1,
    profile: Profile | None = None,
    ecn: bool = False,
    host_jitter: str | None = None,
    scenario: Scenario | str | Path | None = None,
    trace: str | Sequence[str] = (),
    threads: int | None = None,
    progress: bool | Callable[[int, int], None] | None = None,
    out: str | Path | None = None,
) -> Comparison:
    """Compares algorithms over one bottleneck: each alone, and each versus the others.

    Every match is repeated with other start times (within a second), round-trip times (within 5 %)
    and delays of packets at hosts, the same ones for all algorithms. Shares are tested against a
    half, and differences alone are from the first algorithm; p values are adjusted (Holm). Ctrl-C
    ends it early, with what is finished.

    Args:
        algorithms: Names of controllers, or classes of Python's.
        path: Path by name, such as "lte", in place of the four that follow; where these are given,
            they take the place of the path's own.
        rate: Capacity of the bottleneck; one or several, as with the four that follow. If `None`,
            that of the path, or 50 Mbit/s.
        rtt: Base round-trip time; if `None`, that of the path, or 40 ms.
        buffer: Room for waiting packets, such as "100 packets"; if `None`, of the path, or 1 bdp.
        loss: Probability that a packet is lost at random; if `None`, none.
        queue: Queue discipline by name; drop-tail if `None`.
        versus: Algorithms that each one shares the bottleneck with; each other if none are given.
        flows: Flows of each algorithm in a match.
        replicates: Replicates of every match.
        duration: Simulated time of a run; 60 s if `None`.
        warm_up: Part of it that is not measured.
        seed: Seed of start times, round-trip times, delays at hosts and random losses.
        profile: TCP options of all hosts, such as "linux"; "rfc" if `None`, or "mesonet" where the
            rate is in packets. Options and profiles are on the page of the transport.
        ecn: True to switch ECN on at the hosts, for algorithms that do not ask for it themselves.
        host_jitter: Longest random delay of a packet at its sending host; if `None`, the time that
            the bottleneck takes for a packet. With "0 s" phases may decide.
        scenario: Dumbbell, or its file, whose link and hosts are taken where nothing is given here.
        trace: File of a recorded link in place of `rate`, see `rate_trace`; another for the way
            back.
        threads: Runs at a time; the number of cores if `None`.
        progress: `True` to show how many runs are done and the time left on a line. A function is
            called with the number of runs that are done, and of all.
        out: Folder that keeps the runs as a campaign, for reports and more replicates; without it
            they stay in memory.

    Examples:
        >>> comparison = compare("reno", "cubic", rate="5 Mbit/s", replicates=2, duration="5 s")
        >>> comparison.to_frame().columns[-4:]
        ['mean', 'low', 'high', 'replicates']
    """
    options = dict(locals())
    execution = {name: options.pop(name) for name in ("threads", "progress", "out")}
    return answer(question(options.pop("algorithms"), **options), **execution)


def answer(
    question: Question,
    *,
    threads: int | None = None,
    progress: bool | Callable[[int, int], None] | None = None,
    out: str | Path | None = None,
) -> Comparison:
    """Simulates what a question asks, and estimates the answer; see `compare`."""
    execute = simulate_plan if out is None else partial(_in_folder, out=out)
    line = progress_line("comparing", "runs") if progress is True else nullcontext(progress or None)
    with line as report:
        results, first_runs, interrupted = execute(
            question.plan, threads=threads or available_cores(), progress=report
        )
    if results.is_empty():
        raise KeyboardInterrupt
    return replace(estimated(question, results, interrupted=interrupted), first_runs=first_runs)


def estimated(
    question: Question, results: pl.DataFrame, *, interrupted: bool = False
) -> Comparison:
    """The answer from the results of a campaign of the question's plan."""
    runs = measured(question, results)
    tests = differences(question, results, runs)
    notes = list(_notes(tests))
    if interrupted:
        notes.insert(0, f"Interrupted after {results.height} of {question.total} runs.")
    if question.plan.replicates == 1:
        notes.insert(0, "One replicate: there are no intervals, and no tests.")
    return Comparison(
        frame=means(runs, tests),
        notes=tuple(notes),
        question=question,
        executed=results.height,
        runs=runs,
        differences=tests,
        interrupted=interrupted,
    )


def _in_folder(
    plan: Plan, *, out: str | Path, threads: int, progress: Callable[[int, int], None] | None
) -> Simulated:
    """The campaign in a folder, which keeps no whole runs."""
    from mesonet.campaign import Campaign, run_campaign

    def report(now: Any) -> None:
        if progress is not None:
            progress(now.done + now.failed, now.total)

    try:
        campaign = run_campaign(plan, out=out, workers=threads, progress=report)
    except KeyboardInterrupt:
        return Simulated(Campaign.open(out).results(), {}, interrupted=True)
    return Simulated(campaign.results(), {}, interrupted=False)


def _notes(tests: pl.DataFrame) -> Iterator[str]:
    equal = sum(
        row["p"] is None and row["replicates"] > 1 and math.isfinite(row["difference"])
        for row in tests.iter_rows(named=True)
    )
    if equal:
        what = "1 difference is" if equal == 1 else f"{equal} differences are"
        yield f"{what} the same in every replicate. What does not vary has no interval and no p."
    yield _NOTE
