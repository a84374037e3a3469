"""Measures that the users of applications judge by: slowdown, pages, films, calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import polars as pl

from mesonet.controller import short
from mesonet.responses.flows import group_names
from mesonet.responses.measurements import (
    FloatArray,
    Measurements,
    Window,
    divide,
    mean_of,
    percentile_of,
)
from mesonet.scenario.applications import Call, Rpc, Trace, Video, Web
from mesonet.scenario.flows import NamedApplication

_NAN = float("nan")


def _of_kind(
    run: Measurements, algorithm: str | None, *kinds: type
) -> Iterator[tuple[NamedApplication, pl.DataFrame]]:
    """Applications of some kinds with their requests in the order of time."""
    for name, application in run.applications.items():
        called = (None, short(application.flow.algorithm), *(f"@{it}" for it in group_names(name)))
        if algorithm in called and isinstance(application.settings, kinds):
            yield application, run.requests.filter(pl.col("application") == name)


def request_durations(run: Measurements, algorithm: str | None, until: float = _NAN) -> FloatArray:
    """Times from requests to the arrival of their data after warm-up, else `until` a time [s]."""
    every = (rows for _, rows in _of_kind(run, algorithm, Rpc, Trace))
    ends = pl.col("received").fill_nan(until)
    requests = (_received(run, rows.with_columns(received=ends)) for rows in every)
    return _joined([(rows["received"] - rows["asked"]).to_numpy() for rows in requests])


def _received(run: Measurements, requests: pl.DataFrame) -> pl.DataFrame:
    received = pl.col("received")
    return requests.filter(received.is_not_nan() & (received >= run.groups_from))


def _joined(parts: list[FloatArray]) -> FloatArray:
    return np.concatenate(parts) if parts else np.empty(0)


def _slowdowns(run: Measurements, algorithm: str | None) -> tuple[FloatArray, FloatArray]:
    """Slowdowns of the requests received after warm-up, and their sizes [segments]."""
    slowdowns, sizes = [], []
    for application, every in _of_kind(run, algorithm, Rpc, Trace):
        rows = _received(run, every)
        size = rows["size"].to_numpy().astype(np.float64)
        round_trips = 1.5 if application.settings.separate else 0.5
        empty = round_trips * application.base_rtt + size / (run.bottleneck or _NAN)
        slowdowns.append((rows["received"] - rows["asked"]).to_numpy() / empty)
        sizes.append(size)
    return _joined(slowdowns), _joined(sizes)


def slowdown(
    window: Window, algorithm: str | None, percent: str | None = None, quartile: str = ""
) -> float:
    """Percentile, or mean, of the slowdown of requests, or of a quartile of them by size."""
    slowdowns, sizes = _slowdowns(window.run, algorithm)
    if quartile:
        order = np.argsort(sizes, kind="stable")
        alike = not sizes.size or sizes.min() == sizes.max()
        slowdowns = slowdowns[[] if alike else np.array_split(order, 4)[int(quartile) - 1]]
    return mean_of(slowdowns) if percent is None else percentile_of(slowdowns, float(percent))


def page_load_time(window: Window, algorithm: str | None, percent: str | None = None) -> float:
    """Percentile, or mean, of the times in which all objects of a page come [s]."""
    run, times = window.run, []
    for _, rows in _of_kind(run, algorithm, Web):
        # Of a page that is not whole the time is not known.
        last = (
            pl.when(pl.col("received").is_nan().any())
            .then(_NAN)
            .otherwise(pl.col("received").max())
        )
        pages = rows.group_by("unit", maintain_order=True).agg(pl.col("asked").min(), received=last)
        whole = _received(run, pages)
        times.append((whole["received"] - whole["asked"]).to_numpy())
    every = _joined(times)
    return mean_of(every) if percent is None else percentile_of(every, float(percent))


class _Film:
    """What a client saw of a film: it plays once a segment is there, and stalls without."""

    def __init__(
        self, run: Measurements, application: NamedApplication, rows: pl.DataFrame
    ) -> None:
        settings = application.settings
        assert isinstance(settings, Video)
        received = rows.filter(pl.col("received").is_not_nan())
        arrivals = received["received"].to_numpy()
        sizes = settings.sizes(application.segment)
        rates = [rate.value for rate in settings.rates]
        self.rates = np.array([rates[sizes.index(size)] for size in received["size"]])
        self.startup = arrivals[0] - rows["asked"][0] if arrivals.size else _NAN
        self.stalled, self.seconds, end = 0.0, 0.0, _NAN
        for at, arrival in enumerate(arrivals):
            self.stalled += max(arrival - end, 0.0) if at else 0.0
            end = (max(arrival, end) if at else arrival) + settings.segment
        if arrivals.size:
            # What was asked for before `stop` still comes, and is waited for.
            ends = application.flow.stop is not None and received.height == rows.height
            over = min(end, run.duration) if ends else run.duration
            self.stalled += max(over - end, 0.0)
            self.seconds = over - arrivals[0]
        elif rows.height:
            # A film that never begins is no reason to leave it out.
            self.rates = np.zeros(1)
            self.stalled = self.seconds = run.duration - rows["asked"][0]


def _films(window: Window, algorithm: str | None) -> list[_Film]:
    run = window.run
    return [_Film(run, *film) for film in _of_kind(run, algorithm, Video)]


def video_bitrate(window: Window, algorithm: str | None) -> float:
    """Mean bit rate of the segments of films [bit/s]."""
    films = _films(window, algorithm)
    return mean_of(np.array([film.rates.mean() for film in films if film.rates.size]))


def video_startup(window: Window, algorithm: str | None) -> float:
    """Mean time from the first request of a film to its first picture [s]."""
    startups = np.array([film.startup for film in _films(window, algorithm)])
    return mean_of(startups[~np.isnan(startups)])


def video_stall_share(window: Window, algorithm: str | None) -> float:
    """Share of the time from the first picture on, or the request of none, without a picture."""
    films = _films(window, algorithm)
    return divide(sum(film.stalled for film in films), sum(film.seconds for film in films))


def video_switches(window: Window, algorithm: str | None) -> float:
    """Changes of the bit rate of a film per minute."""
    films = _films(window, algorithm)
    switches = sum(np.count_nonzero(np.diff(film.rates)) for film in films)
    return divide(60.0 * switches, sum(film.seconds for film in films))


class _Frames(NamedTuple):
    """Frames of a call: those after the warm-up, and long enough before the end to be late."""

    settings: Call
    delays: FloatArray
    """Delay of each [s]; NaN if it was lost, at least so much if it may still come."""
    seconds: float
    """Time in which they were sent [s]."""
    bits: int
    """Data of those that came."""


def _frames(run: Measurements, algorithm: str | None) -> Iterator[_Frames]:
    for application, rows in _of_kind(run, algorithm, Call):
        settings, flow = application.settings, application.flow
        assert isinstance(settings, Call)
        begin, end = run.groups_from, run.duration - settings.deadline
        judged = rows.filter(pl.col("asked").is_between(begin, end))
        # What TCP has not brought it brings later, what UDP has not brought was lost.
        absent = _NAN if settings.over == "udp" else run.duration
        delays = judged["received"].fill_nan(absent) - judged["asked"]
        seconds = min(end, flow.stop or end) - max(begin, flow.start)
        segments = int(judged.filter(pl.col("received").is_not_nan())["size"].sum())
        yield _Frames(settings, delays.to_numpy(), seconds, segments * application.segment)


def call_rate(window: Window, algorithm: str | None) -> float:
    """Mean bit rate of the frames of a call that come [bit/s]."""
    calls = [call for call in _frames(window.run, algorithm) if call.seconds > 0]
    return mean_of(np.array([call.bits / call.seconds for call in calls]))


def call_late_share(window: Window, algorithm: str | None) -> float:
    """Share of the frames of calls that come after their deadline, or not at all."""
    calls = list(_frames(window.run, algorithm))
    timely = sum(int((call.delays <= call.settings.deadline).sum()) for call in calls)
    every = sum(call.delays.size for call in calls)
    return divide(every - timely, every)


def call_delay(window: Window, algorithm: str | None, percent: str) -> float:
    """Percentile of the delays of frames that are not lost [s]."""
    delays = _joined([call.delays for call in _frames(window.run, algorithm)])
    return percentile_of(delays[~np.isnan(delays)], float(percent))


def first_bytes_time(window: Window, segments: str) -> float:
    """Mean time from the first segment of a flow to the ACK of its first ones [s].

    Flows of applications may be several connections, so they have none.
    """
    run = window.run
    if run.segments.is_empty():
        return _NAN
    places = [place for own in run.applications.values() for place in own.places]
    names = run.names("flows")
    trace = run.segments.filter(~pl.col("flow").is_in([names[place] for place in places]))
    begun = (
        trace.filter(fate="sent").group_by("flow", maintain_order=True).agg(pl.col("time").min())
    )
    acked = trace.filter((pl.col("fate") == "acknowledged") & (pl.col("segment") >= int(segments)))
    ends = acked.group_by("flow", maintain_order=True).agg(end=pl.col("time").min())
    times = begun.join(ends, on="flow").select(pl.col("end") - pl.col("time")).to_series()
    return float(times.mean()) if len(times) else _NAN  # type: ignore[arg-type]


_OF_FILMS = (video_bitrate, video_startup, video_stall_share, video_switches)
_OF_OTHERS = (call_rate, call_late_share, call_delay, slowdown, page_load_time, first_bytes_time)
MEASURES: dict[str, Callable[..., float]] = {it.__name__: it for it in (*_OF_FILMS, *_OF_OTHERS)}
