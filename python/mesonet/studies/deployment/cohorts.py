"""Cohorts of sources compared between mixes: stayers, adopters and switchers.

Sources, their think times, files and receivers are the same in every mix of a condition and a
replicate, and a larger share of the newcomer only converts sources. So what a set of sources gets
in one mix is compared with what the very same sources get in another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.responses.measurements import divide

FILES = ("web_object", "document", "service_pack")
"""Kinds of files, shortest first."""

Bools = NDArray[np.bool_]


class NotMonotoneError(Exception):
    """A source went back to the incumbent; a defect of the engine or of the mixes."""


@dataclass(frozen=True)
class Steps:
    """Runs of one newcomer in one condition and replicate, by share, 0 and 100 included.

    Attributes:
        incumbent: Name of its algorithm.
        newcomer: Name of its algorithm.
        runs: Stored numbers of the run at each share [%], smallest share first.
    """

    incumbent: str
    newcomer: str
    runs: Mapping[int, Mapping[str, Any]]

    def adoption(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Share of the newcomer at which each source switches, as far as it was seen.

        Returns:
            By source, the largest share at which it was seen with the incumbent and the smallest
            at which it was seen with the newcomer [%]; -1 and 101 where it never was.

        A source that completes nothing in a run is not seen there; the runs of neighbouring shares
        decide.

        Raises:
            NotMonotoneError: a larger share of the newcomer converted a source back.
        """
        users = [
            (percent, name, np.asarray(sources, dtype=np.int64))
            for percent, run in self.runs.items()
            for name, sources in run["users"].items()
        ]
        count = 1 + max((int(sources.max()) for *_, sources in users if sources.size), default=-1)
        last, first = np.full(count, -1), np.full(count, 101)
        for percent, name, sources in users:
            if name == self.incumbent:
                last[sources] = np.maximum(last[sources], percent)
            else:
                first[sources] = np.minimum(first[sources], percent)
        if bool((last >= first).any()):
            raise NotMonotoneError(f"{int((last >= first).sum())} sources went back")
        return last, first


@dataclass(frozen=True)
class Sums:
    """Sums of a mix by source, over the transfers of one kind of file."""

    transfers: NDArray[np.float64]
    goodput: NDArray[np.float64]
    duration: NDArray[np.float64]

    def mean_goodput(self, of: Bools) -> float:
        """Mean over the transfers of some sources [segments/s]; NaN without any."""
        return divide(float(self.goodput[of].sum()), float(self.transfers[of].sum()))

    def mean_duration(self, of: Bools) -> float:
        """Mean over the transfers of some sources [s]; NaN without any."""
        return divide(float(self.duration[of].sum()), float(self.transfers[of].sum()))


def sums(run: Mapping[str, Any], file: str, count: int) -> Sums:
    """Sums of each of `count` sources in a mix, over the transfers of a kind of file."""
    rows = pl.DataFrame(run["sources"]).filter(pl.col("file") == file)
    source = rows["source"].to_numpy()

    def column(name: str) -> NDArray[np.float64]:
        values = np.zeros(count)
        np.add.at(values, source, rows[name].cast(pl.Float64).to_numpy())
        return values

    return Sums(column("transfers"), column("goodput"), column("duration"))


COHORT_SCHEMA = {
    "percent": pl.Int64,
    "before": pl.Int64,
    "who": pl.String,
    "file": pl.String,
    "goodput": pl.Float64,
    "duration": pl.Float64,
    "sources": pl.Int64,
}


def cohorts(steps: Steps) -> pl.DataFrame:
    """Performance of cohorts of sources at a share, relative to their own at another share.

    Returns:
        One row per share, set of sources and kind of file: `percent`, `before` (the share compared
        with [%]), `who`, `file`, `goodput` and `duration` (ratios of means over transfers; NaN
        where either set completed none), `sources` (their number). `who` is `stayers` (they still
        use the incumbent) and `adopters` (they use the newcomer), both compared with the run
        without newcomers, or `switchers`, which converted between the share before and this one.

    Raises:
        NotMonotoneError: a larger share of the newcomer converted a source back.
    """
    last, first = steps.adoption()
    percents = list(steps.runs)
    rows: list[tuple[int, int, str, str, float, float, int]] = []
    for file in FILES:
        got = {p: sums(run, file, len(last)) for p, run in steps.runs.items()}
        for percent, before, who, of in _sets(percents, last, first):
            then, now = got[before], got[percent]
            goodput = divide(now.mean_goodput(of), then.mean_goodput(of))
            duration = divide(now.mean_duration(of), then.mean_duration(of))
            rows.append((percent, before, who, file, goodput, duration, int(of.sum())))
    return pl.DataFrame(rows, schema=COHORT_SCHEMA, orient="row")


def _sets(
    percents: Sequence[int], last: NDArray[np.int64], first: NDArray[np.int64]
) -> Iterator[tuple[int, int, str, Bools]]:
    for place, percent in enumerate(percents):
        stay, switched = last >= percent, first <= percent
        if percent < 100:
            yield percent, 0, "stayers", stay
        if percent > 0:
            yield percent, 0, "adopters", switched
            before = percents[place - 1]
            yield percent, before, "switchers", (last >= before) & switched


def together(alone: Mapping[str, Any], mixed: Mapping[str, Any]) -> pl.DataFrame:
    """Performance of the sources of every algorithm in a mix, over theirs without newcomers.

    Args:
        alone: Stored numbers of the run in which all use the incumbent.
        mixed: Stored numbers of the run of the mix.

    Returns:
        One row per algorithm of the mix and kind of file: `algorithm`, `file`, `goodput` and
        `duration` (ratios of means over transfers).
    """
    users = {name: np.asarray(sources, dtype=np.int64) for name, sources in mixed["users"].items()}
    seen = [sources for run in (alone, mixed) for sources in run["users"].values()]
    count = 1 + max((max(sources) for sources in seen if sources), default=-1)
    rows = []
    for file in FILES:
        then, now = sums(alone, file, count), sums(mixed, file, count)
        for name, sources in users.items():
            of = np.zeros(count, dtype=bool)
            of[sources] = True
            goodput = divide(now.mean_goodput(of), then.mean_goodput(of))
            duration = divide(now.mean_duration(of), then.mean_duration(of))
            rows.append((name, file, goodput, duration))
    schema = {
        "algorithm": pl.String,
        "file": pl.String,
        "goodput": pl.Float64,
        "duration": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")
