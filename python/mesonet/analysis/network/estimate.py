"""Congestion over the network, window by window."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import polars as pl

from mesonet.analysis.columns import Column, columns
from mesonet.analysis.result import Result
from mesonet.analysis.traces.estimate import Recorded, Windows, trace

_NETWORK_CONGESTION = columns(
    "step time station packets capacity occupancy",
    Column("step", pl.Int64, "", "number of the window, from 0"),
    Column("occupancy", pl.Float64, "1", "packets over capacity; null without a limit"),
)

_NODES = columns(
    "step time node station occupancy",
    *_NETWORK_CONGESTION,
    Column("node", pl.String, "", "node of the map"),
)

_LINKS = columns(
    "step time a b occupancy",
    *_NODES,
    Column("a", pl.String, "", "node at one end of the link"),
    Column("b", pl.String, "", "node at the other end of the link"),
)

_NETWORK = columns(
    "step time loss_rate sending",
    *_LINKS,
    Column("sending", pl.Float64, "", "mean number of active flows"),
)


class NetworkCongestion(
    Result, frame=_NETWORK_CONGESTION, nodes=_NODES, links=_LINKS, network=_NETWORK
):
    """Occupancy of the routers over time.

    `frame` has a row for each window and watched station; `nodes` for each window and node of the
    map at which a station is watched; `links` for each window and link between watched stations of
    the map; `network` for each window.

    Links have no queue of their own where a router is one station: their occupancy is that of the
    fuller of its two routers, and that of a node of the fullest station there. The packet in
    service comes on top of the capacity.
    """

    nodes: pl.DataFrame
    links: pl.DataFrame
    network: pl.DataFrame
    stations: tuple[str, ...]
    window: float

    def means(self) -> pl.DataFrame:
        """Mean occupancy of each node over the windows, the fullest first."""
        measured = self.nodes.drop_nulls("occupancy")
        means = measured.group_by("node", maintain_order=True).agg(pl.col("occupancy").mean())
        return means.sort("occupancy", descending=True, maintain_order=True)


def network_congestion(run: Recorded, *, steps: int = 60) -> NetworkCongestion:
    """The state of every watched router, and of every link between two, window by window.

    Args:
        run: Run from `simulate`, of a scenario that watches queues (`watch` of an internet).
        steps: About how many windows to divide the run into.
    """
    traced = trace(run, flows=(), points=steps)
    table = traced.queues.select(
        (pl.col("time").rank("dense") - 1).cast(pl.Int64).alias("step"),
        "time",
        "station",
        "packets",
        "capacity",
        (pl.col("packets") / pl.col("capacity")).alias("occupancy"),
    )
    geometry = run.scenario.geometry()
    names = [str(node["name"]) for node in geometry["nodes"]]
    nodes = _nodes(table, run.scenario.station_places())
    notes = list(_map_notes(names, traced.stations, set(nodes["node"])))
    return NetworkCongestion(
        frame=table,
        notes=tuple(notes),
        nodes=nodes,
        links=_links(table, geometry["links"]),
        network=_network(run, traced.window),
        stations=traced.stations,
        window=traced.window,
    )


def _nodes(table: pl.DataFrame, places: dict[str, str]) -> pl.DataFrame:
    rows = table.filter(pl.col("station").is_in(list(places)))
    node = pl.col("station").replace_strict(places, default=None, return_dtype=pl.String)
    return (
        rows.with_columns(node.alias("node"))
        .sort("step", pl.col("occupancy").fill_null(-1.0), descending=[False, True])
        .group_by("step", "time", "node", maintain_order=True)
        .agg(pl.col("station").first(), pl.col("occupancy").first())
    )


def _map_notes(nodes: Sequence[str], stations: Sequence[str], seen: set[str]) -> Iterable[str]:
    if not stations:
        yield "No station is watched in the run: there is no queue to show."
    if not nodes:
        yield "The network has no map: its stations have no places."
    dark = [name for name in nodes if name not in seen]
    if stations and nodes and dark:
        yield f"Nothing is watched at {', '.join(dark)}."


def _links(table: pl.DataFrame, links: Sequence[dict[str, object]]) -> pl.DataFrame:
    names = {"a": [str(link["a"]) for link in links], "b": [str(link["b"]) for link in links]}
    ends = pl.DataFrame(names, schema={"a": pl.String, "b": pl.String})
    state = table.select("step", "time", "station", "occupancy")
    return (
        ends.join(state.rename({"station": "a"}), on="a", maintain_order="left")
        .join(
            state.select("step", pl.col("station").alias("b"), pl.col("occupancy").alias("other")),
            on=["step", "b"],
            maintain_order="left",
        )
        .select(
            "step", "time", "a", "b", pl.max_horizontal("occupancy", "other").alias("occupancy")
        )
        .sort("step", maintain_order=True)
    )


def _network(run: Recorded, window: float) -> pl.DataFrame:
    size = max(round(window / run.scenario.interval), 1)
    windows = Windows(run.scenario.interval, size, 0.0, math.inf).of(run.series)
    injected = pl.col("injected").sum()
    return (
        windows.group_by("window", maintain_order=True)
        .agg(
            pl.col("time").last(),
            pl.when(injected > 0).then(pl.col("dropped").sum() / injected).alias("loss_rate"),
            pl.col("sending").cast(pl.Float64).mean(),
        )
        .rename({"window": "step"})
    )
