"""Figures of Experiment 1 from the results of its campaign."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis import algorithm_clusters, condition_summary
from mesonet.analysis.conditions import condition_response
from mesonet.studies.nist.exp1_results import FAST_KIND, RESPONSES, Array, ExperimentResults
from mesonet.studies.rules import rank_correlation

GRUBBS = 2.08
"""The source's critical value for seven algorithms."""
FILTER = 0.1
"""Smallest relative effect of an outlier in the source's filtered summary."""
EQUAL = (2, 8, 12, 20)
"""Conditions with the same retransmission rate for all algorithms, as printed."""
NO_DIFFERENCE = 1e-4
"""Largest range of retransmission rates that we call no difference."""
CONGESTED = 0.01
"""Smallest congestion of a condition that we call congested."""
GOODPUTS = ("y9", "y13", "y17", "y21", "y25", "y29")
"""Mean goodput by pair of access classes."""
MACROSCOPIC = ("y1", "y3", "y5", "y7")
"""Active flows, packets out, flows completed, round-trip time."""
FOCUS = ("y2", "y6", "y42", "y44", "y45")
"""Responses on which the source's filtered summary concentrates."""
SWITCHING = ("BIC", "CTCP", "HSTCP", "HTCP", "Scalable")
"""Algorithms that fall back to standard congestion avoidance."""
LONG = ("L1", "L2", "L3")


def measured(frame: pl.DataFrame, *, part: float) -> dict[str, float]:
    """Every figure that the results give; algorithms that were not chosen have none.

    Args:
        frame: Results of the campaign.
        part: Hosts times duration, as a part of the published ones.
    """
    found = ExperimentResults(frame)
    figures: dict[str, float] = {}
    for of in (_clusters, _outliers, _losses, _fast, _throughput, _long_flows, _latencies, _safety):
        figures |= of(found)
    return figures | _volumes(found, part)


def _apart(found: ExperimentResults, label: str, without: str) -> tuple[float, float]:
    """Conditions in which an algorithm stands apart, and most in which any of the others does."""
    if label not in found.labels:
        return math.nan, math.nan
    summary = algorithm_clusters(found.without(without), responses=found.known(RESPONSES)).summary
    counts = dict(zip(summary["alternative"], summary["apart"], strict=True))
    own = counts.pop(label)
    return float(own), float(max(counts.values(), default=0))


def _clusters(found: ExperimentResults) -> dict[str, float]:
    fast, other = _apart(found, "FAST", "FAST-AT")
    tuned, _ = _apart(found, "FAST-AT", "FAST")
    identical = found.clusters.conditions["identical"]
    figures = {
        "clusters.fast_apart": fast,
        "clusters.fast_at_apart": tuned,
        "clusters.other_apart": other,
        "clusters.identical": float(identical.sum()),
        "clusters.fast_at_beside_fast": _beside(found),
    }
    if 12 in found.conditions:
        place = found.conditions.index(12)
        ranges = [_ranges(found, name, found.labels)[place] for name in found.known(RESPONSES)]
        figures["condition-12.different"] = float(sum(value > 0 for value in ranges))
    return figures


def _beside(found: ExperimentResults) -> float:
    """Share of conditions in which FAST is the nearest algorithm to FAST-AT."""
    if not set(FAST_KIND) <= set(found.labels):
        return math.nan
    names = found.known(RESPONSES)
    cube = np.array([[found.values(name, label) for name in names] for label in found.labels])
    place, mate = found.labels.index("FAST-AT"), found.labels.index("FAST")
    hits = []
    for k in range(len(found.conditions)):
        values = cube[:, :, k]
        usable = ~np.isnan(values).any(axis=0)
        spread = values.std(axis=0, ddof=1)
        usable &= spread > 0
        if not usable.any():
            continue
        away = ((values[:, usable] - values[place, usable]) / spread[usable]) ** 2
        distance = away.sum(axis=1)
        distance[place] = math.inf
        hits.append(int(distance.argmin()) == mate)
    return float(np.mean(hits)) if hits else math.nan


def _ranges(found: ExperimentResults, response: str, labels: Sequence[str]) -> Array:
    values = np.array([found.values(response, label) for label in labels])
    ranges: Array = values.max(axis=0) - values.min(axis=0)
    return ranges


def _outliers(found: ExperimentResults) -> dict[str, float]:
    if "FAST" not in found.labels or len(found.labels) < 3:
        return {}
    frame = found.without("FAST-AT")
    labels = [label for label in found.labels if label != "FAST-AT"]
    critical = GRUBBS if len(labels) == 7 else None
    table = condition_response(frame, response="y6", critical=critical).frame
    hits = table.filter("outlier")
    largest = table.sort(pl.col("residual").abs(), descending=True).row(0, named=True)
    high = hits.filter((pl.col("direction") == "high") & (pl.col("extreme") == "FAST"))
    ranges = _ranges(found, "y6", labels)
    figures = {
        "retransmission.high_outliers": float(high.height),
        "retransmission.low_outliers": float(hits.filter(pl.col("direction") == "low").height),
        "retransmission.largest": abs(largest["residual"]),
        "retransmission.largest_of_fast": float(largest["extreme"] == "FAST"),
        "retransmission.largest_condition": float(largest["condition"]),
        "retransmission.equal": float((ranges <= NO_DIFFERENCE).sum()),
        "retransmission.equal_as_printed": float(
            sum(
                number in found.conditions
                and ranges[found.conditions.index(number)] <= NO_DIFFERENCE
                for number in EQUAL
            )
        ),
    }
    names = found.known(RESPONSES)
    every = condition_summary(frame, responses=names, critical=critical)
    counts = dict(zip(every.counts["alternative"], every.counts["outliers"], strict=True))
    per_condition = [
        float(every.frame.filter(pl.col("condition") == number).height)
        for number in found.conditions
    ]
    figures["outliers.FAST"] = float(counts.pop("FAST"))
    figures["outliers.other"] = float(max(counts.values()))
    figures["outliers.with_congestion"] = _rank(per_condition, found.congestion)
    figures["outliers.condition-12"] = float(every.frame.filter(pl.col("condition") == 12).height)
    large = condition_summary(
        frame, responses=names, critical=critical, minimum_relative=FILTER
    ).frame.filter(pl.col("alternative") == "FAST")
    rest = [name for name in names if name not in FOCUS]
    for name, chosen in (("focus", found.known(FOCUS)), ("rest", rest)):
        hit = large.filter(pl.col("response").is_in(chosen)).height
        figures[f"outliers.{name}"] = hit / len(chosen) if chosen else math.nan
    return figures


def _losses(found: ExperimentResults) -> dict[str, float]:
    losses = found.frame["loss_rate"]
    return {
        "loss.largest": float(losses.max()),  # type: ignore[arg-type]
        "loss.smallest": float(losses.min()),  # type: ignore[arg-type]
        "loss.congested": float((found.congestion >= CONGESTED).sum()),
    }


def _fast(found: ExperimentResults) -> dict[str, float]:
    """FAST and FAST-AT beside the rest where congestion meets few buffers."""
    figures: dict[str, float] = {}
    few, half = found.few_buffers, found.most(len(found.conditions) // 2)
    groups = {label: (label,) for label in FAST_KIND} | {"others": found.others}
    for name, labels in groups.items():
        swing = _divide(found.mean("cwnd_deviation@2", labels), found.mean("flow_cwnd@2", labels))
        figures |= {
            f"{name}.retransmission": _over(found.mean("y6", labels), few),
            f"{name}.connecting": _over(found.mean("y42", labels), few),
            f"{name}.completed": _over(found.mean("T.y4", labels), few),
            f"{name}.swing": _over(swing, few),
            f"{name}.swing_with_congestion": _rank(swing, found.congestion),
        }
    excess = found.values("y6", "FAST") - found.congestion
    figures["FAST.disparity_with_congestion"] = _rank(excess, found.congestion)
    if "FAST" in found.labels and found.others:
        rows = [found.values("y6", label) for label in found.others]
        above = found.values("y6", "FAST") > np.max(rows, axis=0)
        figures["FAST.retransmits_most"] = float(above[half].mean())
    return figures


def _throughput(found: ExperimentResults) -> dict[str, float]:
    """Figures on the spread of goodputs without congestion, and of losses with a lot of it."""
    figures: dict[str, float] = {}
    if found.uncongested.any() and len(found.labels) > 1:
        spreads = [
            _divide(_ranges(found, name, found.labels), found.mean(name, found.labels))
            for name in found.known(GOODPUTS)
        ]
        figures["uncongested.goodput_spread"] = _over(np.mean(spreads, axis=0), found.uncongested)
    if len(found.others) > 1:
        rows = np.array([found.values("y6", label) for label in found.others])
        spread = _divide(rows.std(axis=0, ddof=1), rows.mean(axis=0))
        figures["congested.retransmission_spread"] = _over(
            spread, found.most(len(found.conditions) // 4)
        )
    return figures


def _long_flows(found: ExperimentResults) -> dict[str, float]:
    figures: dict[str, float] = {}
    before = [f"y{number}@1" for number in (33, 34, 35)]
    during = [f"y{number}@2" for number in (33, 34, 35)]
    for label in found.labels:
        gains = [_divide(found.values(n, label), found.values(n, "Reno")) for n in before]
        figures[f"{label}.long_gain"] = _geometric(np.array(gains))
        kept = sum(found.values(n, label) for n in during)
        had = sum(found.values(n, label) for n in before)
        figures[f"{label}.long_kept"] = float(np.nansum(kept) / np.nansum(had))
    gained = [figures[f"{label}.long_gain"] for label in found.alternates]
    kept_parts = [figures[f"{label}.long_kept"] for label in found.labels]
    figures["long.smallest_gain"] = min(gained) if gained else math.nan
    figures["long.most_kept"] = max(kept_parts)
    return figures


def _latencies(found: ExperimentResults) -> dict[str, float]:
    figures: dict[str, float] = {}
    for kind in ("goodput", "recovery"):
        means: dict[str, float] = {}
        for label in found.labels:
            rows = [found.values(f"{kind}_latency_{flow}", label) for flow in LONG]
            means[label] = _over(np.array(rows).ravel(), None)
            figures[f"{label}.{kind}_latency"] = means[label]
        alternates = {label: means[label] for label in found.alternates}
        figures[f"slowest.{kind}_latency"] = max(alternates.values(), default=math.nan)
        rest = [value for label, value in alternates.items() if label not in FAST_KIND]
        figures[f"next_to_fast.{kind}_latency"] = min(rest, default=math.nan)
        ranked = sorted(alternates, key=lambda label: alternates[label])
        if "CTCP" in alternates and not math.isnan(alternates["CTCP"]):
            figures[f"CTCP.{kind}_place"] = float(ranked.index("CTCP") + 1)
    if found.uncongested.any():
        quick = [
            _over(
                np.mean([found.values(f"goodput_latency_{f}", label) for f in LONG], axis=0),
                found.uncongested,
            )
            for label in found.labels
        ]
        figures["uncongested.latency_ratio"] = max(quick) / min(quick)
    for label in found.labels:
        lowest = found.values("activation_threshold", label)
        known = lowest[np.isfinite(lowest)]
        figures[f"{label}.activation"] = float(known.min()) if known.size else math.nan
    return figures


def _safety(found: ExperimentResults) -> dict[str, float]:
    figures: dict[str, float] = {}
    changes: dict[str, float] = {}
    for label in found.alternates:
        rows = [
            np.abs(_divide(found.values(name, label), found.values(name, "Reno")) - 1)
            for name in MACROSCOPIC
        ]
        changes[label] = _median(np.array(rows))
        figures[f"{label}.change"] = changes[label]
    figures["others.change"] = max(
        (value for label, value in changes.items() if label not in FAST_KIND), default=math.nan
    )
    worst = found.most(max(len(found.conditions) // 8, 1))
    for label in found.alternates:
        standard, own = found.values("y44@2", label), found.values("y45@2", label)
        figures[f"{label}.standard_share"] = _over(_divide(standard, standard + own), worst)
    shares = [
        figures[f"{label}.standard_share"] for label in SWITCHING if label in found.alternates
    ]
    figures["switching.standard_share"] = float(np.mean(shares)) if shares else math.nan
    return figures


def _volumes(found: ExperimentResults, part: float) -> dict[str, float]:
    """Volumes of runs, divided by the part of the published size that was simulated."""
    figures: dict[str, float] = {}
    for name, column in (("flows", "T.y4"), ("packets", "packets")):
        values = found.frame[column].cast(pl.Float64).to_numpy() / part
        figures |= {
            f"volume.{name}_mean": float(values.mean()),
            f"volume.{name}_min": float(values.min()),
            f"volume.{name}_max": float(values.max()),
        }
    figures["volume.packets_per_flow"] = (
        figures["volume.packets_mean"] / figures["volume.flows_mean"]
    )
    return figures


def _over(values: Array, chosen: NDArray[np.bool_] | None) -> float:
    """Mean of the values that are defined, in the chosen places."""
    kept = values if chosen is None else values[chosen]
    kept = kept[np.isfinite(kept)]
    return float(kept.mean()) if kept.size else math.nan


def _median(values: Array) -> float:
    kept = values[np.isfinite(values)]
    return float(np.median(kept)) if kept.size else math.nan


def _geometric(values: Array) -> float:
    kept = values[np.isfinite(values) & (values > 0)]
    return float(np.exp(np.log(kept).mean())) if kept.size else math.nan


def _rank(values: Sequence[float] | Array, others: Array) -> float:
    """Rank correlation over the places where both are defined."""
    pairs = [
        (float(a), float(b))
        for a, b in zip(values, others, strict=True)
        if math.isfinite(a) and math.isfinite(b)
    ]
    if len(pairs) < 3:
        return math.nan
    known = {str(place): b for place, (_, b) in enumerate(pairs)}
    return rank_correlation(known, {str(place): a for place, (a, _) in enumerate(pairs)})


def _divide(numerator: Array, denominator: Array) -> Array:
    quotient: Array = np.divide(
        numerator, denominator, out=np.full(numerator.shape, math.nan), where=denominator != 0
    )
    return quotient
