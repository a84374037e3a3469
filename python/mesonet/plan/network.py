"""The stations between sites of a resolved scenario, for estimates of what a run costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mesonet.scenario.rate_changes import VaryingRate

Numbers = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_PART = 256
"""Sites to which ways are worked out at a time."""


@dataclass(frozen=True)
class Network:
    """Stations and links as columns.

    Attributes:
        speeds: speeds of the stations [packets/s].
        losses: probabilities of random loss at stations.
        regions: regions of the stations.
    """

    speeds: Numbers
    losses: Numbers
    regions: Indices
    _at: Indices
    _next: Indices
    _to: Indices
    _delay: Numbers

    @classmethod
    def of(cls, spec: Mapping[str, Any]) -> Network:
        """The network of a resolved scenario."""
        stations, links = spec["stations"], spec["links"]
        packet = float(spec["packet"]["smss"] + spec["packet"]["header"])
        return cls(
            speeds=np.array(
                [
                    packet_rate(each["rate"], packet) * _share(each, spec["duration"])
                    for each in stations
                ]
            ),
            losses=np.array([float(each.get("loss", 0.0)) for each in stations]),
            regions=np.array([each["region"] for each in stations], dtype=np.int64),
            _at=np.array([site["station"] for site in spec["sites"]], dtype=np.int64),
            _next=np.array(spec["next_link"], dtype=np.int64),
            _to=np.array([link["to"] for link in links] or [0], dtype=np.int64),
            _delay=np.array([link["delay"] for link in links] or [0.0]),
        )

    def walk(self, sources: Indices, sites: Indices) -> Iterator[tuple[Indices, Indices, Numbers]]:
        """Follows packets from sites to sites, both arrays of one shape, hop by hop.

        Yields, for those that are still under way: their flat indices, the stations where they are,
        and the delays of the links that took them there [s].
        """
        under_way = np.arange(sources.size)
        here, goals = self._at[sources].ravel(), sites.ravel()
        delays = np.zeros(sources.size)
        for _ in self.speeds:
            yield under_way, here, delays
            link = self._next[here, goals]
            on = link >= 0
            if not on.any():
                return
            under_way, link, goals = under_way[on], link[on], goals[on]
            here, delays = self._to[link], self._delay[link]

    def between_sites(self) -> tuple[Numbers, Numbers]:
        """Delay [s] and stations of the ways between all sites, by origin and destination.

        A way is known from the one that leads on from its middle, so that time grows with the
        logarithm of the hops. Where there is no route, numbers mean nothing.
        """
        count = self._at.size
        delay, hops = np.empty((count, count)), np.empty((count, count))
        # In parts, for a large network has millions of ways.
        for part in np.array_split(np.arange(count), -(-count // _PART)):
            link = self._next[:, part]
            on = link >= 0
            column = np.arange(part.size)
            here = np.where(on, self._to[link], np.arange(link.shape[0])[:, None])
            far, passed = np.where(on, self._delay[link], 0.0), on.astype(float)
            for _ in range(self.speeds.size.bit_length()):
                more = passed[here, column]
                if not more.any():
                    break
                far, passed = far + far[here, column], passed + more
                here = here[here, column]
            delay[:, part], hops[:, part] = far[self._at], passed[self._at] + 1
        return delay, hops

    def stations_of_sites(self) -> Indices:
        """The station of every site."""
        return self._at


def packet_rate(rate: Mapping[str, float] | None, packet_bytes: float) -> float:
    """A rate of the resolved scenario [packets/s]; infinite for None."""
    if rate is None:
        return np.inf
    if "packets_per_second" in rate:
        return float(rate["packets_per_second"])
    return float(rate["bits_per_second"]) / (8.0 * packet_bytes)


def _share(station: Mapping[str, Any], duration: float) -> float:
    """Mean rate of a station over a run, as a share of its own rate."""
    if (changes := station.get("rate_changes")) is None:
        return 1.0
    (own,) = station["rate"].values()
    varying = VaryingRate.of(own, changes["times"], changes["rates"], changes["period"])
    return float(varying.carried(np.array([duration]))[0]) / duration / float(own)
