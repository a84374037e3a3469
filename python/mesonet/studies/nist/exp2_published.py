"""Printed results of Experiment 2: rank matrices, networks, volumes.

Slides: NIST, Measurement Science for Complex Information Systems. Paper: K. L. Mills and others on
the methods of the study.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from io import BytesIO
from typing import Literal

import polars as pl

SLIDES = "slides"
PAPER = "paper"

Kind = Literal["alternate", "standard"]

MATRIX_SLIDES: Mapping[Kind, str] = {
    "alternate": f"{SLIDES}, “Goodput rank matrix – CTCP flows under high initial sst”",
    "standard": f"{SLIDES}, “Goodput rank matrix – TCP flows competing with CTCP flows under high "
    "initial sst”",
}


def printed_ranks(kind: Kind) -> pl.DataFrame:
    """A printed rank matrix: `condition`, least congested first, and `g1` to `g24` (7 is best)."""
    file = resources.files("mesonet.studies.nist").joinpath(f"rank-matrix-ctcp-{kind}.csv")
    return pl.read_csv(BytesIO(file.read_bytes()))


def printed_order() -> list[int]:
    """The conditions in the order of the printed rank matrices, least congested first."""
    return printed_ranks("alternate")["condition"].to_list()


FILES: Mapping[str, tuple[int, ...]] = {
    "movies": tuple(range(1, 7)),
    "service packs": tuple(range(7, 13)),
    "documents": tuple(range(13, 19)),
    "Web objects": tuple(range(19, 25)),
}
"""The flow groups of each kind of file, largest first."""


@dataclass(frozen=True)
class PublishedNetwork:
    """Numbers that the slides print of a network.

    Attributes:
        sources: Number of sources at the plus and the minus level of X5.
        speeds: Gbit/s at the plus and the minus level of X3, by tier.
        buffers: Packets at factors of 1 and 0.5 by tier: smallest, mean and largest over the four
            combinations of delay and speed; of access routers the mean over routers.
        slide: Title of the slide.
    """

    sources: tuple[int, int]
    speeds: Mapping[str, tuple[float, float]]
    buffers: Mapping[str, tuple[tuple[float, float, float], tuple[float, float, float]]]
    slide: str


_SMALL = PublishedNetwork(
    sources=(26_085, 17_355),
    speeds={
        "backbone": (38.4, 19.2),
        "PoP": (4.8, 2.4),
        "N": (0.48, 0.24),
        "F": (0.96, 0.72),
        "D": (4.8, 2.4),
    },
    buffers={
        "backbone": ((65_105, 146_487.30, 260_422), (32_553, 73_243.50, 130_211)),
        "PoP": ((8_138, 18_310.75, 32_553), (4_096, 9_155.25, 16_276)),
        "access": ((1_294, 2_911.60, 5_176), (647, 1_455.82, 2_588)),
    },
    slide="Domain View of Experiment #2a/2b",
)
_LARGE = PublishedNetwork(
    sources=(261_792, 174_600),
    speeds={
        "backbone": (384.0, 192.0),
        "PoP": (48.0, 24.0),
        "N": (4.8, 2.4),
        "F": (9.6, 7.2),
        "D": (48.0, 24.0),
    },
    buffers={
        "backbone": ((651_055, 1_464_874, 2_604_219), (325_527, 732_437, 1_302_109)),
        "PoP": ((81_382, 183_110, 325_528), (40_691, 91_555, 162_764)),
        "access": ((12_939, 29_113, 51_757), (6_469, 14_556, 25_878)),
    },
    slide="Domain View of Experiment #2c – Repeat #2a with larger, faster network",
)
NETWORKS: Mapping[str, PublishedNetwork] = {"nist-2a": _SMALL, "nist-2b": _SMALL, "nist-2c": _LARGE}


@dataclass(frozen=True)
class Volume:
    """Flows and packets of 224 runs, printed as more than so many, and their processor hours."""

    flows: float
    packets: float
    hours: float


VOLUMES: Mapping[str, Volume] = {
    "nist-2a": Volume(2.5e9, 1.5e12, 5_857.2),
    "nist-2b": Volume(2.5e9, 1.4e12, 5_638.5),
    "nist-2c": Volume(26e9, 14e12, 94_355.3),
}
VOLUME_SLIDE = "Quantitative Summary of Our Experiments Comparing Congestion Control Algorithms"
