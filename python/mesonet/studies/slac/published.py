"""The tables of the slides: values with their printed errors, by path, algorithm and flows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class PrintedValue(NamedTuple):
    """A printed value and its error."""

    value: float
    error: float


def _table(text: str) -> dict[str, PrintedValue]:
    """Rows of `key value error [value error ...]`; several values belong to the three paths."""
    found: dict[str, PrintedValue] = {}
    for line in text.strip().splitlines():
        key, *numbers = line.split()
        pairs = [
            PrintedValue(float(v), float(e)) for v, e in zip(*[iter(numbers)] * 2, strict=True)
        ]
        names = [key] if len(pairs) == 1 else [f"{path}.{key}" for path in _PATHS]
        found |= dict(zip(names, pairs, strict=True))
    return found


_PATHS = ("caltech", "florida", "ireland")

THROUGHPUT: Mapping[str, PrintedValue] = _table("""
reno.1 521 15 114 5 62 19
ctcp.1 619 21 252 13 146 37
hstcp.1 605 21 125 7 135 20
reno.2 574 14 203 19 167 35
ctcp.2 640 11 347 3 190 22
hstcp.2 504 136 161 7 216 42
reno.4 645 26 280 3 223 42
ctcp.4 653 33 379 1 258 42
hstcp.4 668 32 263 51 253 160
reno.8 732 74 331 1 431 75
ctcp.8 672 23 389 2 435 53
hstcp.8 636 37 392 3 497 29
reno.reverse 96 9 33 1 128 14
ctcp.reverse 108 7 45 2 121 11
hstcp.reverse 87 12 114 4 133 10
""")
"""“Aggregate Throughput” [Mbit/s]."""

SIGMA: Mapping[str, PrintedValue] = _table("""
reno.2 0.023 0.012 0.292 0.148 0.118 0.030
ctcp.2 0.006 0.004 0.062 0.020 0.305 0.063
hstcp.2 0.076 0.035 0.496 0.149 0.292 0.075
reno.4 0.109 0.082 0.024 0.001 0.107 0.031
ctcp.4 0.017 0.008 0.032 0.010 0.362 0.061
hstcp.4 0.091 0.022 0.622 0.311 0.410 0.015
reno.8 0.114 0.048 0.048 0.000 0.169 0.048
ctcp.8 0.013 0.006 0.028 0.005 0.345 0.016
hstcp.8 0.090 0.013 0.245 0.180 0.386 0.029
""")
"""“sigma_f - overall fairness”."""

XI: Mapping[str, PrintedValue] = _table("""
reno.2 0.214 0.007 0.554 0.202 0.289 0.040
ctcp.2 0.145 0.005 0.210 0.020 0.441 0.035
hstcp.2 0.540 0.222 1.000 0.065 0.458 0.045
reno.4 0.294 0.067 0.236 0.003 0.256 0.031
ctcp.4 0.174 0.010 0.208 0.009 0.549 0.035
hstcp.4 0.432 0.005 0.961 0.350 0.519 0.035
reno.8 0.326 0.037 0.285 0.022 0.317 0.032
ctcp.8 0.236 0.018 0.223 0.002 0.570 0.029
hstcp.8 0.677 0.005 0.434 0.148 0.597 0.058
""")
"""“xi_f - instant. fairness”, windows of 1 s."""

BURST_THROUGHPUT: Mapping[str, PrintedValue] = _table("""
ireland.ctcp.1 116 7
ireland.ctcp:slac-muted.1 222 8
ireland.ctcp:slac-partial.1 177 11
ireland.ctcp.2 143 11
ireland.ctcp:slac-muted.2 197 24
ireland.ctcp:slac-partial.2 217 26
ireland.ctcp.8 384 15
ireland.ctcp:slac-muted.8 474 35
ireland.ctcp:slac-partial.8 470 23
""")
"""“CTCP Burst Control” [Mbit/s]."""

BURST_SIGMA: Mapping[str, PrintedValue] = _table("""
ireland.ctcp.2 0.22 0.08
ireland.ctcp:slac-muted.2 0.13 0.02
ireland.ctcp:slac-partial.2 0.10 0.02
ireland.ctcp.8 0.35 0.05
ireland.ctcp:slac-muted.8 0.19 0.02
ireland.ctcp:slac-partial.8 0.27 0.03
""")

BURST_XI: Mapping[str, PrintedValue] = _table("""
ireland.ctcp.2 0.52 0.06
ireland.ctcp:slac-muted.2 0.34 0.02
ireland.ctcp:slac-partial.2 0.35 0.01
ireland.ctcp.8 0.87 0.04
ireland.ctcp:slac-muted.8 0.52 0.03
ireland.ctcp:slac-partial.8 0.61 0.02
""")

BURST_SAMPLES: Mapping[str, int] = {
    "ctcp.1": 29,
    "ctcp:slac-muted.1": 35,
    "ctcp:slac-partial.1": 36,
    "ctcp.2": 19,
    "ctcp:slac-muted.2": 15,
    "ctcp:slac-partial.2": 18,
    "ctcp.8": 10,
    "ctcp:slac-muted.8": 9,
    "ctcp:slac-partial.8": 8,
}
"""Repeated measurements of “CTCP Burst Control”."""

TUNING_THROUGHPUT: Mapping[str, PrintedValue] = _table("""
ireland.ctcp:slac-muted.1 119 19
ireland.ctcp:slac-diffwnd.1 131 9
ireland.ctcp:slac-losswnd.1 103 33
ireland.ctcp:slac-muted.2 157 12
ireland.ctcp:slac-diffwnd.2 200 21
ireland.ctcp:slac-losswnd.2 182 17
ireland.ctcp:slac-muted.8 377 17
ireland.ctcp:slac-diffwnd.8 406 10
ireland.ctcp:slac-losswnd.8 318 87
""")
"""“gamma Auto-Tuning” [Mbit/s], another day than burst control."""

TUNING_SIGMA: Mapping[str, PrintedValue] = _table("""
ireland.ctcp:slac-muted.2 0.08 0.02
ireland.ctcp:slac-diffwnd.2 0.12 0.03
ireland.ctcp:slac-losswnd.2 0.15 0.02
ireland.ctcp:slac-muted.8 0.17 0.02
ireland.ctcp:slac-diffwnd.8 0.17 0.02
ireland.ctcp:slac-losswnd.8 0.13 0.03
""")

TUNING_XI: Mapping[str, PrintedValue] = _table("""
ireland.ctcp:slac-muted.2 0.33 0.01
ireland.ctcp:slac-diffwnd.2 0.28 0.03
ireland.ctcp:slac-losswnd.2 0.30 0.02
ireland.ctcp:slac-muted.8 0.51 0.01
ireland.ctcp:slac-diffwnd.8 0.49 0.01
ireland.ctcp:slac-losswnd.8 0.47 0.04
""")

IMPACT_STANDARD: Mapping[str, PrintedValue] = _table("""
ireland.reno 310.68 21.44
florida.reno 340.80 4.23
ireland.ctcp 182.91 16.41
florida.ctcp 290.65 2.48
ireland.hstcp 206.10 7.67
florida.hstcp 222.24 2.07
ireland.later.reno 186.903 11.013
ireland.ctcp:slac-muted 152.688 16.422
ireland.ctcp:slac-diffwnd 167.908 15.638
ireland.ctcp:slac-losswnd 144.714 6.812
""")
"""“Friendliness & Impact”: sum of the seven standard flows, of eight for Reno [Mbit/s]."""

IMPACT_NEW: Mapping[str, PrintedValue] = _table("""
ireland.ctcp 125.47 17.72
florida.ctcp 79.32 1.81
ireland.hstcp 122.89 8.16
florida.hstcp 88.21 1.29
ireland.ctcp:slac-muted 82.758 8.574
ireland.ctcp:slac-diffwnd 84.326 5.628
ireland.ctcp:slac-losswnd 75.610 4.637
""")
"""The new flow [Mbit/s]."""

IMPACT_TOTAL: Mapping[str, PrintedValue] = _table("""
ireland.reno 310.68 21.44
florida.reno 340.80 4.23
ireland.ctcp 312.31 33.36
florida.ctcp 371.83 0.65
ireland.hstcp 332.29 17.33
florida.hstcp 310.97 0.88
ireland.later.reno 186.903 11.013
ireland.ctcp:slac-muted 240.311 24.473
ireland.ctcp:slac-diffwnd 252.361 20.471
ireland.ctcp:slac-losswnd 227.440 11.130
""")

IMPACT_CHANGE: Mapping[str, PrintedValue] = _table("""
ireland.ctcp -0.32 0.07
ireland.hstcp -0.24 0.06
florida.ctcp -0.02 0.01
florida.hstcp -0.25 0.01
ireland.ctcp:slac-muted -0.07 0.11
ireland.ctcp:slac-diffwnd 0.02 0.02
ireland.ctcp:slac-losswnd -0.12 0.01
""")
"""Throughput per standard flow with the new flow over that without it, less one."""


class Summary(NamedTuple):
    """A row of the summary of 2005."""

    throughput: float
    """Mean over the test [Mbit/s]."""
    error: float
    """Its deviation over the test."""
    stability: float
    """Deviation over mean."""
    fairness: float
    """Lowest fairness with two flows."""
    rtt: float
    """Deviation of the round-trip time [ms]."""
    load: float
    """Processor cycles [MHz/Mbps]."""


SUMMARY_2005: Mapping[str, Summary] = {
    "hstcp": Summary(255, 187, 0.73, 0.79, 25, 0.9),
    "fast": Summary(335, 110, 0.33, 0.58, 9, 0.66),
    "scalable": Summary(423, 115, 0.27, 0.83, 22, 0.64),
    "htcp": Summary(402, 113, 0.28, 0.99, 57, 0.65),
    "bic": Summary(412, 117, 0.28, 0.98, 55, 0.71),
    "reno": Summary(248, 163, 0.66, 0.60, 22, 0.63),
}
"""“Summary” of PFLDnet 2005, SLAC to CERN, four flows."""
