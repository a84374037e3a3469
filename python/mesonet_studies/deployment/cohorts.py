"""Cohorts of sources compared between mixes: stayers, adopters and switchers.

Sources, their think times, files and receivers are the same in every mix of a condition and a
replicate. So what a set of sources gets in one mix is compared with what the very same sources get
in another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.responses.measurements import divide

FILES = {"web_object": "Web objects", "document": "documents", "service_pack": "service packs"}
"""Kinds of files and their names for people, shortest first."""

Bools = NDArray[np.bool_]
Run = Mapping[str, Any]
"""Stored numbers of a run."""


class NotMonotoneError(Exception):
    """A source went back to the incumbent; a defect of the engine or of the mixes."""


@dataclass(frozen=True)
class Steps:
    """Runs of one newcomer in one condition and replicate by share [%], 0 and 100 included."""

    incumbent: str
    newcomer: str
    runs: Mapping[int, Run]

    def adoption(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Largest share at which each source keeps the incumbent, and smallest with the newcomer.

        Shares are in %; -1 and 101 where it never was seen. A source that completes nothing in a
        run is not seen there; the runs of neighbouring shares decide. NotMonotoneError: one went
        back.
        """
        count = _count(self.runs.values())
        last, first = np.full(count, -1), np.full(count, 101)
        for percent, run in self.runs.items():
            for name, users in run["users"].items():
                sources = np.asarray(users, dtype=np.int64)
                if name == self.incumbent:
                    last[sources] = np.maximum(last[sources], percent)
                else:
                    first[sources] = np.minimum(first[sources], percent)
        if bool((last >= first).any()):
            raise NotMonotoneError(f"{int((last >= first).sum())} sources went back")
        return last, first


def _count(runs: Any) -> int:
    """Number of sources of runs, as far as they were seen."""
    return 1 + max((max(of) for run in runs for of in run["users"].values() if of), default=-1)


def _sums(run: Run, file: str, count: int) -> NDArray[np.float64]:
    """Transfers of a kind of file, and sums of goodput [segments/s] and duration [s], by source."""
    rows = pl.DataFrame(run["sources"]).filter(pl.col("file") == file)
    source = rows["source"].cast(pl.Int64).to_numpy()
    columns = (rows[name].cast(pl.Float64) for name in ("transfers", "goodput", "duration"))
    return np.array([np.bincount(source, column.to_numpy(), count) for column in columns])


def _ratios(then: NDArray[np.float64], now: NDArray[np.float64], of: Bools) -> tuple[float, float]:
    """Mean goodput and duration of some sources over their own before; NaN without transfers."""
    (number, *before), (number_now, *after) = (
        ratio[:, of].sum(axis=1).tolist() for ratio in (then, now)
    )
    goodput, duration = (
        divide(divide(new, number_now), divide(old, number))
        for old, new in zip(before, after, strict=True)
    )
    return goodput, duration


COHORT_SCHEMA = {
    **dict.fromkeys(("percent", "before"), pl.Int64),
    **dict.fromkeys(("who", "file"), pl.String),
    **dict.fromkeys(("goodput", "duration"), pl.Float64),
    "sources": pl.Int64,
}


def cohorts(steps: Steps) -> pl.DataFrame:
    """Performance of cohorts of sources at a share, relative to their own at another share.

    A row has `percent`, `before` (the share compared with [%]), `who`, `file`, `goodput` and
    `duration` (ratios of means over transfers; NaN where either set completed none), and the number
    of `sources`. `who` is `stayers` (they still use the incumbent) and `adopters` (they use the
    newcomer), both compared with the run without newcomers, or `switchers`, which converted between
    the share before and this one.
    """
    last, first = steps.adoption()
    rows = []
    for file in FILES:
        sums = {p: _sums(run, file, len(last)) for p, run in steps.runs.items()}
        for percent, before, who, of in _sets(list(steps.runs), last, first):
            ratios = _ratios(sums[before], sums[percent], of)
            rows.append((percent, before, who, file, *ratios, int(of.sum())))
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


def together(alone: Run, mixed: Run) -> pl.DataFrame:
    """Performance of the sources of every algorithm in a mix, over theirs without newcomers.

    A row has `algorithm`, `file`, `goodput` and `duration`, ratios of means over transfers.
    """
    count, rows = _count((alone, mixed)), []
    for file in FILES:
        then, now = _sums(alone, file, count), _sums(mixed, file, count)
        for name, sources in mixed["users"].items():
            of = np.zeros(count, dtype=bool)
            of[np.asarray(sources, dtype=np.int64)] = True
            rows.append((name, file, *_ratios(then, now, of)))
    names = ("algorithm", "file", "goodput", "duration")
    schema = {name: COHORT_SCHEMA.get(name, pl.String) for name in names}
    return pl.DataFrame(rows, schema=schema, orient="row")
