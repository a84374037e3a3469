"""Published claims on Experiment 1, and the rules that judge them.

Where the source has words, the range is ours.
"""

from __future__ import annotations

from collections.abc import Mapping

from mesonet.studies.nist.exp1_1a import findings_1a
from mesonet.studies.nist.exp1_1b import findings_1b
from mesonet.studies.nist.exp1_both import both_findings
from mesonet.studies.nist.exp1_sources import DOMAIN, claim
from mesonet.studies.rules import not_computable, within
from mesonet.studies.scorecard import Claim

VOLUMES: Mapping[str, Mapping[str, float]] = {
    "nist-1a": {
        "flows_mean": 74_033_116,
        "flows_min": 40_966_013,
        "flows_max": 154_914_953,
        "packets_mean": 6_912_373_746,
        "packets_min": 3_146_870_571,
        "packets_max": 11_917_420_154,
    },
    "nist-1b": {
        "flows_mean": 8_329_266,
        "flows_min": 4_329_268,
        "flows_max": 16_729_532,
        "packets_mean": 897_379_391,
        "packets_min": 380_349_161,
        "packets_max": 1_749_461_097,
    },
}
"""Flows completed and packets sent per condition, as printed."""
RUNS: Mapping[str, int] = {"nist-1a": 224, "nist-1b": 256}
"""Runs of each experiment."""


def claims(experiment: str) -> tuple[Claim, ...]:
    """All claims of "nist-1a" or "nist-1b"."""
    own = findings_1a() if experiment == "nist-1a" else findings_1b()
    return (*_printed_tables(experiment), *_volumes(experiment), *both_findings(experiment), *own)


def _printed_tables(experiment: str) -> list[Claim]:
    small = experiment == "nist-1b"
    tables = [
        ("speeds", "Router speeds of the two levels", "10 numbers", 10),
        ("delays", "Round-trip propagation delays of the two levels", "6 numbers", 6),
        ("routers", "Routers by kind", "11, 22, 6, 28, 105", 5),
        ("sources", "Sources of the two distributions", "2 numbers", 2),
        ("rtt*c", "Buffers of one round trip, by kind of router", "", 8 if small else 9),
        ("rtt*c/sqrt(n)", "Buffers divided by the root of n", "", 8 if small else 9),
    ]
    made = []
    for table, text, printed, count in tables:
        words = printed or f"{count} numbers"
        note = ", each within 10 %, for n is not defined" if table.endswith("sqrt(n)") else ""
        made.append(
            claim(
                f"world-{table.replace('*', '-').replace('/', '-')}",
                f"{text}: printed numbers that are ours{note}",
                words,
                DOMAIN[experiment],
                within(f"tables.{table}", count),
            )
        )
    if small:
        made.append(
            claim(
                "world-access-maxima",
                "Largest buffers of access routers",
                "6104 and 105",
                DOMAIN[experiment],
                not_computable(
                    "misprints: both numbers stand in the row of PoP routers, as its minima; the "
                    "rule of the other entries gives 3882 and 181"
                ),
            )
        )
    return made


def _volumes(experiment: str) -> list[Claim]:
    words = {"mean": "Mean", "min": "Smallest", "max": "Largest"}
    made = []
    for name, value in VOLUMES[experiment].items():
        what, end = name.split("_")
        called = "flows completed" if what == "flows" else "packets sent"
        made.append(
            claim(
                f"volume-{what}-{end}",
                f"{words[end]} number of {called} in a run, extrapolated to full size by hosts and "
                "duration",
                f"{value:,.0f}",
                DOMAIN[experiment],
                within(f"volume.{name}", value, relative=0.25),
            )
        )
    volumes = VOLUMES[experiment]
    ratio = volumes["packets_mean"] / volumes["flows_mean"]
    made.append(
        claim(
            "packets-per-flow",
            "Packets sent per completed flow",
            f"{ratio:.1f} (the mean of one over the mean of the other)",
            DOMAIN[experiment],
            within("volume.packets_per_flow", ratio, relative=0.25),
        )
    )
    return made
