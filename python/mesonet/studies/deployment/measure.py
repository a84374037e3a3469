"""Numbers of a run of a mix: transfers by flow group, and by source and file."""

from __future__ import annotations

from typing import Any

import polars as pl

from mesonet.responses import compute
from mesonet.simulate import Run

GROUP = ("algorithm", "path_class", "interface", "file")
SOURCE = ("source", "algorithm", "file")
BINS_PER_OCTAVE = 8
"""Resolution of the histograms of goodput."""
NETWORK = {
    "loss": "loss_rate",
    "queueing": "y8",
    "queueing_p95": "network_queueing_delay_p95",
    "retransmission": "y6",
    "active": "y1",
}
"""Responses of the whole network that are kept, by our short names."""


def measure_mix(run: Run) -> dict[str, Any]:
    """Numbers of a run with recorded transfers.

    Returns:
        `network`: responses by the names of `NETWORK`, and `goodput`, segments of completed files
        per second. `groups`: columns of one row per algorithm and flow group with sums over
        transfers, and `bins`, a histogram of the goodput [segments/s] as pairs of a bin and its
        count; bin b holds 2^(b/8) to 2^((b+1)/8). `sources`: columns of one row per source and
        file with transfers and the sums of goodput [segments/s] and of duration [s]. `users`: the
        sources that completed anything at any time, by algorithm. Transfers count that were
        completed after the warm-up.
    """
    transfers = run.transfers.with_columns(goodput=pl.col("size") / pl.col("duration"))
    counted_from = run.measurements.groups_from
    ended = pl.col("start") + pl.col("duration")
    counted = transfers.filter(ended >= counted_from)
    responses = compute(run.measurements, list(NETWORK.values()))
    seconds = run.measurements.duration - counted_from
    network = {name: responses[response] for name, response in NETWORK.items()}
    network["goodput"] = float(counted["size"].sum()) / seconds
    users = transfers.group_by("algorithm").agg(pl.col("source").unique().sort())
    return {
        "network": network,
        "groups": _columns(_groups(counted)),
        "sources": _columns(_sources(counted)),
        "users": dict(sorted(zip(users["algorithm"], users["source"].to_list(), strict=True))),
    }


def _sums() -> list[pl.Expr]:
    return [
        pl.len().alias("transfers"),
        pl.col("goodput").sum().round_sig_figs(5),
        pl.col("duration").sum().round_sig_figs(5),
    ]


def _groups(counted: pl.DataFrame) -> pl.DataFrame:
    octaves = (pl.col("goodput").log(2) * BINS_PER_OCTAVE).floor().cast(pl.Int64)
    bins = (
        counted.with_columns(bin=octaves)
        .group_by(*GROUP, "bin")
        .agg(pl.len().alias("count"))
        .sort(*GROUP, "bin")
        .group_by(*GROUP, maintain_order=True)
        .agg(pl.concat_list("bin", "count").alias("bins"))
    )
    volumes = [pl.col("size").sum(), pl.col("sent").sum()]
    sums = counted.group_by(*GROUP).agg(*_sums(), *volumes)
    return sums.join(bins, on=list(GROUP)).sort(*GROUP)


def _sources(counted: pl.DataFrame) -> pl.DataFrame:
    return counted.group_by(*SOURCE).agg(*_sums()).sort(*SOURCE)


def _columns(frame: pl.DataFrame) -> dict[str, list[Any]]:
    return frame.to_dict(as_series=False)
