"""A map projection that needs no library: Albers' equal-area conic, fitted to the points shown.

J. P. Snyder, "Map Projections: A Working Manual", USGS Professional Paper 1395, 1987, p. 100.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Point = tuple[float, float]


def fitted(points: Sequence[Point]) -> Callable[[float, float], Point]:
    """A projection from (latitude, longitude) in degrees to the plane, north up.

    Points at the equator or on both sides of it, or spread over more than half of the globe, get
    a plain cylindrical projection, since no cone fits them.
    """
    latitudes = [latitude for latitude, _ in points] or [0.0]
    longitudes = [longitude for _, longitude in points] or [0.0]
    south, north = min(latitudes), max(latitudes)
    centre = (min(longitudes) + max(longitudes)) / 2.0
    middle = math.radians((south + north) / 2.0)
    wide = max(longitudes) - min(longitudes) > 180.0
    if wide or (south < 1.0 and north > -1.0):
        shrink = max(math.cos(middle), 0.2)
        return lambda latitude, longitude: (shrink * (longitude - centre), latitude)
    margin = max((north - south) / 6.0, 0.5)
    first, second = math.radians(south + margin), math.radians(north - margin)
    n = (math.sin(first) + math.sin(second)) / 2.0
    c = math.cos(first) ** 2 + 2.0 * n * math.sin(first)
    origin = _radius(middle, n, c)

    def project(latitude: float, longitude: float) -> Point:
        radius = _radius(math.radians(latitude), n, c)
        theta = n * math.radians(longitude - centre)
        scale = math.degrees(1.0)
        x, y = radius * math.sin(theta), origin - radius * math.cos(theta)
        return scale * x, scale * y

    return project


def _radius(latitude: float, n: float, c: float) -> float:
    return math.sqrt(max(c - 2.0 * n * math.sin(latitude), 0.0)) / n


def graticule(points: Sequence[Point]) -> list[tuple[str, list[Point]]]:
    """Meridians and parallels around the points, as (label, points in degrees)."""
    if not points:
        return []
    latitudes, longitudes = [p[0] for p in points], [p[1] for p in points]
    tall, wide = max(latitudes) - min(latitudes), max(longitudes) - min(longitudes)
    step = next(step for step in (1, 2, 5, 10, 20, 30) if max(tall, wide) / step <= 8 or step == 30)
    south = max(min(latitudes) - 0.18 * tall - 0.25 * step, -85.0)
    north = min(max(latitudes) + 0.12 * tall + 0.25 * step, 85.0)
    west = min(longitudes) - 0.06 * wide - 0.25 * step
    east = max(longitudes) + 0.06 * wide + 0.25 * step
    lines = []
    for latitude in range(math.ceil(south / step) * step, math.floor(north) + 1, step):
        name = f"{abs(latitude)}°{'N' if latitude > 0 else 'S' if latitude < 0 else ''}"
        lines.append((name, [(float(latitude), _between(west, east, k / 48)) for k in range(49)]))
    for longitude in range(math.ceil(west / step) * step, math.floor(east) + 1, step):
        name = f"{abs(longitude)}°{'E' if longitude > 0 else 'W' if longitude < 0 else ''}"
        lines.append(
            (name, [(_between(south, north, k / 24), float(longitude)) for k in range(25)])
        )
    return lines


def _between(start: float, end: float, share: float) -> float:
    return start + share * (end - start)
