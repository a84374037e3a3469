"""Placement of names on a map: beside their points, where they cover least of the drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Point = tuple[float, float]
Segment = tuple[Point, Point]

# Width of a character and half the height of a line, in units of a fortieth of the map's width.
_CHARACTER = 0.6
_HALF_LINE = 0.5

# Around the point: direction, distance in units, alignment; the preferred ones first.
_SPOTS = (
    (0.0, -1.0, 0.95, "center"),
    (0.0, 1.0, 0.95, "center"),
    (1.0, 0.0, 0.65, "left"),
    (-1.0, 0.0, 0.65, "right"),
    (0.75, -0.75, 0.8, "left"),
    (-0.75, -0.75, 0.8, "right"),
    (0.75, 0.75, 0.8, "left"),
    (-0.75, 0.75, 0.8, "right"),
)


class Spot(NamedTuple):
    """The anchor of a name and its alignment: "left", "right" or "center"."""

    x: float
    y: float
    align: str


class _Box(NamedTuple):
    west: float
    south: float
    east: float
    north: float

    def share(self, points: Sequence[Point]) -> float:
        """Number of some points that lie inside."""
        return sum(self.west <= x <= self.east and self.south <= y <= self.north for x, y in points)

    def overlap(self, other: _Box) -> float:
        """The area in common."""
        width = min(self.east, other.east) - max(self.west, other.west)
        height = min(self.north, other.north) - max(self.south, other.south)
        return max(width, 0.0) * max(height, 0.0)


def spots(
    names: Sequence[tuple[Point, str]],
    *,
    lines: Sequence[Segment],
    texts: Sequence[tuple[Point, str]],
    unit: float,
) -> list[Spot]:
    """A place for each name.

    Args:
        names: Points and what to write beside them.
        lines: Segments that names should not cover.
        texts: Texts that stand already, centred on their points.
        unit: A fortieth of the width of the map.
    """
    drawn = [
        (a[0] + k / 40 * (b[0] - a[0]), a[1] + k / 40 * (b[1] - a[1]))
        for a, b in lines
        for k in range(41)
    ]
    taken = [_box(Spot(*point, "center"), text, unit) for point, text in texts]
    taken += [_dot(point, unit) for point, _ in names]
    found: list[Spot] = []
    for at, text in names:
        candidates = [
            Spot(at[0] + dx * distance * unit, at[1] + dy * distance * unit, align)
            for dx, dy, distance, align in _SPOTS
        ]
        boxes = [_box(spot, text, unit) for spot in candidates]
        costs = [
            box.share(drawn)
            + 4.0 * sum(box.overlap(other) for other in taken) / unit**2
            + 0.2 * preference
            for preference, box in enumerate(boxes)
        ]
        best = costs.index(min(costs))
        found.append(candidates[best])
        taken.append(boxes[best])
    return found


def _box(spot: Spot, text: str, unit: float) -> _Box:
    width = _CHARACTER * max(len(text), 1) * unit
    west = spot.x - {"left": 0.0, "center": 0.5, "right": 1.0}[spot.align] * width
    half = _HALF_LINE * unit
    return _Box(west, spot.y - half, west + width, spot.y + half)


def _dot(point: Point, unit: float) -> _Box:
    size = 0.35 * unit
    return _Box(point[0] - size, point[1] - size, point[0] + size, point[1] + size)
