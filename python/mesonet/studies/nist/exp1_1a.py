"""Findings of Experiment 1a: figures 12 to 16 of the paper, and throughput."""

from __future__ import annotations

from mesonet.studies.nist.exp1_sources import CLUSTERS, RATE, RESIDUALS, RESULTS, SUMMARY, claim
from mesonet.studies.rules import between, ordered, within
from mesonet.studies.scorecard import Claim


def findings_1a() -> list[Claim]:
    """Findings on clusters, residuals, outliers and uncongested conditions."""
    return [*_clusters(), *_residuals(), *_outliers(), *_throughput()]


def _clusters() -> list[Claim]:
    return [
        claim(
            "fast-apart",
            "Conditions in which FAST joins the hierarchy of algorithms last, alone, over the 45 "
            "responses",
            "about 23 of 32",
            CLUSTERS,
            within("clusters.fast_apart", 23, absolute=5),
        ),
        claim(
            "nobody-else-apart",
            "FAST stands apart more often than any other algorithm",
            "algorithm 3 stands out",
            'S, slide "Cluster Analyses Over All Macroscopic Responses"',
            ordered("clusters.fast_apart", "clusters.other_apart"),
        ),
        claim(
            "condition-12-identical",
            "Responses of the 45 that differ between algorithms under condition 12",
            "none: identical",
            CLUSTERS,
            within("condition-12.different", 0),
            fitted=True,
        ),
    ]


def _residuals() -> list[Claim]:
    return [
        claim(
            "equal-retransmission",
            "Conditions without a difference between the algorithms' retransmission rates "
            "(at most 1e-4)",
            "4",
            RESIDUALS,
            within("retransmission.equal", 4, absolute=2),
        ),
        claim(
            "equal-retransmission-where",
            "Conditions 2, 8, 12 and 20 that have none; by these the order of the factors was "
            "recovered",
            "all four",
            RESIDUALS,
            within("retransmission.equal_as_printed", 4),
            fitted=True,
        ),
        claim(
            "high-outliers",
            "Conditions in which FAST's retransmission rate is an outlier above the others "
            "(Grubbs' G > 2.08)",
            "23",
            RESIDUALS,
            within("retransmission.high_outliers", 23, absolute=5),
        ),
        claim(
            "low-outliers",
            "Conditions in which any retransmission rate is an outlier below the others",
            "none",
            RESIDUALS,
            within("retransmission.low_outliers", 0),
        ),
        claim(
            "largest-residual",
            "Largest residual of a retransmission rate around the mean of its condition",
            "about 0.55",
            RESIDUALS,
            within("retransmission.largest", 0.55, relative=0.3),
        ),
        claim(
            "largest-residual-of",
            "The largest residual is FAST's",
            "algorithm 3",
            RESIDUALS,
            within("retransmission.largest_of_fast", 1),
        ),
        claim(
            "largest-residual-where",
            "Condition of the largest residual",
            "29",
            RESIDUALS,
            within("retransmission.largest_condition", 29),
        ),
    ]


def _outliers() -> list[Claim]:
    return [
        claim(
            "outliers-of-fast",
            "FAST has more outliers, over all responses and conditions, than any other algorithm",
            "algorithm 3 arises in many cells",
            SUMMARY,
            ordered("outliers.FAST", "outliers.other"),
        ),
        claim(
            "outliers-with-congestion",
            "More outliers in congested conditions: rank correlation of their number with "
            "congestion",
            "the highest concentration appears for congested conditions",
            SUMMARY,
            between("outliers.with_congestion", low=0.3),
        ),
        claim(
            "outliers-in-condition-12",
            "Outliers in condition 12",
            "none",
            SUMMARY,
            within("outliers.condition-12", 0),
            fitted=True,
        ),
        claim(
            "outliers-focus",
            "Outliers of FAST of more than 10 % gather in y2, y6, y42, y44 and y45: more of them "
            "per response than in the others",
            "we can focus on these five",
            SUMMARY,
            ordered("outliers.focus", "outliers.rest"),
        ),
    ]


def _throughput() -> list[Claim]:
    return [
        claim(
            "uncongested-throughput",
            "Without congestion all algorithms have the same goodputs: range over mean, by class "
            "of flow",
            "identical throughputs",
            RESULTS,
            between("uncongested.goodput_spread", high=0.05),
        ),
        claim(
            "congested-losses",
            "In the most congested quarter the algorithms but FAST retransmit alike: standard "
            "deviation over mean",
            "similar rates of segment loss",
            RESULTS,
            between("congested.retransmission_spread", high=0.2),
        ),
        claim(
            "increase-rate",
            "With a high initial threshold and no congestion all algorithms reach the maximum rate "
            "alike: slowest over quickest mean goodput latency",
            "the same (exponential) quickness",
            RATE,
            between("uncongested.latency_ratio", high=1.5),
        ),
    ]
