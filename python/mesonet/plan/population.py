"""Offered load of a population of sources.

A source thinks, chooses a receiver and a file, connects, sends, and thinks again. So it sends a
file per cycle, and a cycle takes as long as thinking and sending do. Transfers are taken to have
their path to themselves, and routers to pass no more than they can; sites alike are treated as one
kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from mesonet.plan.network import Network, Numbers, packet_rate
from mesonet.plan.transfers import SIZES, Growth, sent_within

_STARTS = 16
"""Moments at which transfers of a period are taken to begin."""


class Period(NamedTuple):
    """Part of a run in which files have one distribution of sizes.

    `larger` is the factor on files between two D-class routers.
    """

    begin: float
    end: float
    larger: float


@dataclass(frozen=True)
class Offered:
    """Expected work of a population.

    Attributes:
        packets: packets sent.
        transfers: transfers begun.
        hops: hops of its packets.
    """

    packets: float
    transfers: float
    hops: float


class Population:
    """The sources of a resolved scenario; arrays are by kind of site of sources and receivers."""

    def __init__(self, spec: Mapping[str, Any], network: Network) -> None:
        about, sites = spec["population"], spec["sites"]
        self._about, self._duration = about, float(spec["duration"])
        self._growth = Growth.of(spec)
        at = network.stations_of_sites()
        speeds = network.speeds[at]
        hosts = np.array([(site["class"], site["sources"], site["receivers"]) for site in sites])
        alike = np.column_stack([speeds, hosts])
        kinds, self.kind = np.unique(alike, axis=0, return_inverse=True)
        self.speed = kinds[:, 0]
        self._routers = np.bincount(self.kind)
        direct = kinds[:, 1] == 0
        self._direct = direct[:, None] & direct
        self._between_sites(network, at, hosts[:, 1].astype(float), hosts[:, 2].astype(float))
        packet = float(spec["packet"]["smss"] + spec["packet"]["header"])
        lines = np.array([packet_rate(each["rate"], packet) for each in spec["interfaces"][:2]])
        # The slower end of a transfer is fast only if both are.
        both = about["fast_probability"] ** 2
        self._chance = self._share[:, :, None] * np.array([1 - both, both])
        slower = np.minimum(self.speed[:, None], self.speed)
        self._rate = np.minimum(lines, slower[:, :, None])

    def _between_sites(
        self, network: Network, at: Any, sources: Numbers, receivers: Numbers
    ) -> None:
        count = len(at)
        delay, hops = network.between_sites()
        wanted = np.tile(receivers, (count, 1))
        if self._about["receivers_in_other_regions"]:
            regions = network.regions[at]
            wanted *= regions[:, None] != regions
        wanted /= np.maximum(wanted.sum(1, keepdims=True), 1.0)
        transfers = wanted * sources[:, None]
        of_kind = np.eye(len(self.speed))[self.kind]

        def by_kind(weights: Numbers) -> Numbers:
            return np.asarray(of_kind.T @ weights @ of_kind)

        total = by_kind(transfers)
        least = np.maximum(total, 1e-300)
        self._rtt = by_kind(transfers * (delay + delay.T)) / least
        self._hops = by_kind(transfers * hops) / least
        self._sources = total.sum(1)
        self._share = total / np.maximum(self._sources[:, None], 1e-300)

    @cached_property
    def offered(self) -> Offered:
        """Work of the population in the whole run."""
        parts = [self._period(each) for each in self._periods()]
        return Offered(
            packets=sum(part.packets for part in parts),
            transfers=sum(part.transfers for part in parts),
            hops=sum(part.hops for part in parts),
        )

    def _periods(self) -> list[Period]:
        jumbo, end = self._about["jumbo"], self._duration
        if jumbo is None:
            return [Period(0.0, end, 1.0)]
        edges = [0.0, jumbo["start"], jumbo["end"], end]
        factors = [1.0, jumbo["factor"], 1.0]
        periods = [Period(a, b, f) for a, b, f in zip(edges, edges[1:], factors, strict=False)]
        return [period for period in periods if period.end > period.begin]

    def _period(self, period: Period) -> Offered:
        """Work of the transfers that begin in a period, until the run ends."""
        chances = np.where(
            self._direct[:, :, None, None], self._chances(period.larger), self._chances(1.0)
        )
        length = period.end - period.begin
        left = self._duration - period.begin - length * (np.arange(_STARTS) + 0.5) / _STARTS
        seconds = self._growth.seconds(
            SIZES, self._rate[..., None], self._rtt[:, :, None, None], np.zeros(1)
        )
        most = sent_within(left, seconds)[..., None]
        sent = (np.minimum(SIZES, most).mean(-2) * chances).sum(-1)
        busy = (np.minimum(seconds[..., None, :], left[:, None]).mean(-2) * chances).sum(-1)
        cycle = self._about["think_mean"] + (self._chance * busy).sum((1, 2))
        begun = self._sources * (length + self._head_start(period, cycle)) / cycle
        packets = (begun[:, None, None] * self._chance * sent).sum(2)
        load = (packets.sum(0) + packets.sum(1)) / self._routers / length / self.speed
        busiest = np.maximum(np.maximum(load[:, None], load), 1.0)
        packets = packets / busiest
        return Offered(
            packets=float(packets.sum()),
            transfers=float(begun.sum()),
            hops=float((packets * self._hops).sum()),
        )

    def _head_start(self, period: Period, cycle: Numbers) -> Numbers:
        """Time by which sources begin earlier than in the middle of a long run [s]."""
        if period.begin > 0:
            return np.zeros_like(cycle)
        think, startup = self._about["think_mean"], self._about["startup"]
        early = startup["connecting"] + sum(
            share * (1 - factor) for share, factor in startup["early"]
        )
        return np.asarray(think * early + (cycle - think) ** 2 / (2 * cycle))

    def _chances(self, larger: float) -> Numbers:
        """Probabilities of the sizes."""
        files = self._about["files"]
        probabilities = np.array([1 - sum(files["probability"]), *files["probability"]])
        factors = np.array([1.0, *files["factor"]])
        shape = files["shape"]
        smallest = files["mean"] * larger * factors * (shape - 1) / shape
        # Each size of the grid stands for those up to half way to its neighbours.
        edges = np.sqrt(SIZES[1:] * SIZES[:-1])
        above = probabilities @ np.minimum(1.0, (smallest[:, None] / edges) ** shape)
        return np.asarray(-np.diff(above, prepend=1.0, append=0.0))
