"""Figures of Experiment 1 from the results of its campaign."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis.conditions.estimate import condition_response
from mesonet.studies.rules import spearman
from mesonet_studies.nist.exp1.results import FAST_KIND, Array, ExperimentResults

FILTER = 0.1
"""Smallest relative effect of an outlier in the source's filtered summary."""
_EQUAL = (2, 8, 12, 20)
"""Conditions with the same retransmission rate for all algorithms, as printed."""
_NOT_APART = (2, 12, 27, 32)
"""Conditions in which FAST is said not to stand apart by itself."""
_SLOW_TO_REDUCE = ("BIC", "HSTCP", "Scalable")
"""Algorithms that reduce less than standard TCP after a loss."""
_NO_DIFFERENCE = 1e-4
"""Largest range of retransmission rates that we call no difference."""
_CONGESTED, _UNCONGESTED = 0.01, 1e-3
"""Smallest congestion of a condition that we call congested, and largest that we call none."""
_GOODPUTS = ("y9", "y13", "y17", "y21", "y25", "y29")
"""Mean goodput by pair of access classes."""
_MACROSCOPIC = ("y1", "y3", "y5", "y7")
"""Active flows, packets out, flows completed, round-trip time."""
_FOCUS = ("y2", "y6", "y42", "y44", "y45")
"""Responses on which the source's filtered summary concentrates."""
_SWITCHING = ("BIC", "CTCP", "HSTCP", "HTCP", "Scalable")
"""Algorithms that fall back to standard congestion avoidance."""
_LONG, _GOODPUT = ("L1", "L2", "L3"), ("y33", "y34", "y35")
"""Long-lived flows, and responses with their goodput."""
_OF_CONDITION_12 = ("condition-12.different", "outliers.condition-12")
_OF_EQUAL = (
    "retransmission.equal_as_printed", "uncongested.goodput_spread", "uncongested.latency_ratio",
)  # fmt: skip
"""Figures of the conditions that lose nothing, as printed."""

Figures = dict[str, float]


def fraction_of_full(values: Mapping[str, Any]) -> float:
    """Hosts times duration of a size, as a fraction of the published ones."""
    return float(values["scale"] * values["duration"] / 1500)


def measured(
    results: ExperimentResults, *, fraction: float = 1.0, packets: str = "data_sent"
) -> Figures:
    """Every figure that the results give; algorithms that were not chosen have none.

    `fraction` is hosts times duration over the published ones, `packets` the column of those
    sent.
    """
    figures: Figures = {}
    for of in (
        _clusters,
        _outliers,
        _losses,
        _fast,
        _queues,
        _throughput,
        long_flow_figures,
        latency_figures,
        _safety,
    ):
        figures |= of(results)
    return figures | _volumes(results, fraction, packets)


def decided(values: Mapping[str, Any], figures: Figures) -> Figures:
    """Figures at a size with those undefined that its runs cannot decide.

    For latencies the period before the congestion must be as long as the longest that is printed,
    for recovery the congestion must have taken half of the long-lived flows' goodput. Where nothing
    is lost, N-class routers with buffers of one round trip must hold a burst of a Web object.
    """
    long_enough = values["duration"] / 5 >= max(values["latencies"]["goodput"].values())
    slowed = figures.get("long.most_kept", math.inf) <= 0.5
    open_ends = [] if long_enough else [".goodput_latency", ".goodput_place"]
    open_ends += [] if long_enough and slowed else [".recovery_latency", ".recovery_place"]
    few = values["smallest_buffer"] * values["scale"] < values["burst"]
    open_ends += values["loss_free"] if few else []
    return {
        name: math.nan if name.endswith(tuple(open_ends)) else value
        for name, value in figures.items()
    }


def of_some_conditions(results: ExperimentResults, figures: Figures) -> Figures:
    """Figures of results on some of the conditions, with those undefined that need all.

    A smallest loss rate of zero is that of all, and a few are printed of some conditions alone.
    """
    here = set(results.conditions)
    covered = [*_OF_CONDITION_12] if 12 in here else []
    covered += _OF_EQUAL if here.issuperset(_EQUAL) else ()
    covered += ["loss.smallest"] if figures["loss.smallest"] == 0 else []
    return {name: value if name in covered else math.nan for name, value in figures.items()}


def latency_factors(latencies: Mapping[str, Mapping[str, float]], figures: Figures) -> Figures:
    """Typical factor between printed and measured latencies, either way; NaN if any is missing."""
    factors = {}
    for kind, printed in latencies.items():
        ratios = [
            abs(math.log(figures.get(f"{label}.{kind}_latency", math.nan) / value))
            for label, value in printed.items()
        ]
        factors[f"latency.{kind}_factor"] = math.exp(sum(ratios) / len(ratios))
    return factors


def _clusters(results: ExperimentResults) -> Figures:
    fast, rest = _apart(results, "FAST", "FAST-AT")
    figures = {
        "clusters.fast_apart": fast,
        "clusters.fast_at_apart": _apart(results, "FAST-AT", "FAST")[0],
        "clusters.other_apart": rest,
        "clusters.fast_at_beside_fast": _beside(results),
    }
    if 12 in results.conditions:
        place = results.conditions.index(12)
        ranges = np.ptp(results.cube(results.known), axis=1)[:, place]
        figures["condition-12.different"] = float((ranges > 0).sum())
    if "FAST" in results.labels:
        joins = results.clusters("FAST-AT").frame
        named = joins.filter(pl.col("condition").is_in(_NOT_APART), alternative="FAST")
        figures["clusters.as_printed"] = float((~named["apart"]).sum())
        at = dict(joins.filter(condition=4).select("alternative", "joins_at").iter_rows())
        pairs = (("BIC", "CTCP"), ("HSTCP", "Scalable"))
        joined = sum(at.get(first, 0.0) == at.get(second, 1.0) for first, second in pairs)
        figures["condition-4.pairs"] = float(joined) if at else math.nan
        last = at.get("FAST", 0.0) >= max(at.values(), default=math.inf)
        figures["condition-4.fast_last"] = float(last) if at else math.nan
    return figures


def _apart(results: ExperimentResults, label: str, without: str) -> tuple[float, float]:
    """Conditions in which an algorithm stands apart, and most in which any of the others does."""
    if label not in results.labels:
        return math.nan, math.nan
    counts = dict(results.clusters(without).summary.select("alternative", "apart").iter_rows())
    own = counts.pop(label)
    return float(own), float(max(counts.values(), default=0))


def _beside(results: ExperimentResults) -> float:
    """Share of conditions in which FAST is the nearest algorithm to FAST-AT."""
    if not set(FAST_KIND) <= set(results.labels):
        return math.nan
    cube = results.cube(results.known)
    mate, place = (results.labels.index(label) for label in FAST_KIND)
    spread = cube.std(axis=1, ddof=1, keepdims=True)
    away = divide(cube - cube[:, [place]], spread) ** 2
    usable = np.logical_and.reduce(np.isfinite(away), axis=1)
    distance = np.where(usable[:, None], away, 0.0).sum(axis=0)
    distance[place] = math.inf
    nearest = np.equal(distance.argmin(axis=0), mate)[usable.any(axis=0)]
    return float(nearest.mean()) if nearest.size else math.nan


def _outliers(results: ExperimentResults) -> Figures:
    """Outliers of FAST; the source's critical value is for seven algorithms."""
    labels = [label for label in results.labels if label != "FAST-AT"]
    if "FAST" not in results.labels or len(results.labels) < 3:
        return {}
    # A residual of 0.55 is too large for parts of a whole that are at most a half.
    again = results.without("FAST-AT").with_columns(y6=pl.col("y6") / (1 - pl.col("y6")))
    over = condition_response(again, response="y6", critical=results.critical).frame
    largest = over.sort(pl.col("residual").abs(), descending=True).row(0, named=True)
    hits = results.residuals.frame.filter("outlier")
    equal = np.ptp(results.rows("y6", labels), axis=0) <= _NO_DIFFERENCE
    every = results.outliers()
    counts = dict(every.counts.select("alternative", "outliers").iter_rows())
    own = counts.pop("FAST")
    here = [every.frame.filter(condition=number).height for number in results.conditions]
    large = results.outliers(FILTER).frame.filter(alternative="FAST")["response"]
    focus = {name: name in _FOCUS for name in results.known}
    figures = {
        "retransmission.high_outliers": hits.filter(direction="high", extreme="FAST").height,
        "retransmission.low_outliers": hits.filter(direction="low").height,
        "retransmission.largest": abs(largest["residual"]),
        "retransmission.largest_of_fast": largest["extreme"] == "FAST",
        "retransmission.largest_condition": largest["condition"],
        "retransmission.equal": equal.sum(),
        "retransmission.equal_as_printed": equal[np.isin(results.conditions, _EQUAL)].sum(),
        "outliers.FAST": own,
        "outliers.other": max(counts.values()),
        "outliers.with_congestion": _rank(here, results.congestion),
        "outliers.condition-12": every.frame.filter(condition=12).height,
    }
    for name, is_focus in (("focus", True), ("rest", False)):
        chosen = [response for response, focused in focus.items() if focused == is_focus]
        hit = large.is_in(chosen).sum()
        figures[f"outliers.{name}"] = hit / len(chosen) if chosen else math.nan
    return {name: float(value) for name, value in figures.items()}


def _losses(results: ExperimentResults) -> Figures:
    losses: Any = results.frame["loss_rate"]
    worst = max(float(np.nanmax(results.rows(f"loss_rate@{k}"), initial=0.0)) for k in (1, 2, 3))
    return {
        "loss.largest_of_delivered": worst / (1 - worst),
        "loss.largest": float(losses.max()),
        "loss.smallest": float(losses.min()),
        "loss.congested": float((results.congestion >= _CONGESTED).sum()),
    }


def _fast(results: ExperimentResults) -> Figures:
    """FAST and FAST-AT beside the rest where congestion meets few buffers."""
    figures: Figures = {}
    for name in (*FAST_KIND, "others"):
        labels = results.others if name == "others" else (name,)
        swing = divide(
            results.mean("cwnd_deviation@2", labels), results.mean("flow_cwnd@2", labels)
        )
        figures |= {
            f"{name}.retransmission": _over(results.mean("y6", labels), results.few_buffers),
            f"{name}.connecting": _over(results.mean("y42", labels), results.few_buffers),
            f"{name}.completed": _over(results.mean("T.y4", labels), results.few_buffers),
            f"{name}.swing": _over(swing, results.few_buffers),
            f"{name}.swing_with_congestion": _rank(swing, results.congestion),
        }
    fast = results.values("y6", "FAST")
    figures["FAST.disparity_with_congestion"] = _rank(fast - results.congestion, results.congestion)
    if "FAST" in results.labels and results.others:
        above = fast > np.max(results.rows("y6", results.others), axis=0)
        figures["FAST.retransmits_most"] = float(above[results.most(2)].mean())
    return figures


def _queues(results: ExperimentResults) -> Figures:
    """Queueing delay with algorithms that reduce less than standard TCP, over that with it."""
    standard = results.values("y8", "Reno")
    return {
        f"queues.{label}": _finite(np.mean, divide(results.values("y8", label), standard) - 1)
        for label in _SLOW_TO_REDUCE
    }


def _throughput(results: ExperimentResults) -> Figures:
    """Figures on the spread of goodputs without congestion, and of losses with a lot of it."""
    names = ("uncongested.goodput_spread", "uncongested.latency_ratio")
    figures = dict.fromkeys(names, math.nan)
    uncongested = results.congestion <= _UNCONGESTED
    if uncongested.any() and len(results.labels) > 1:
        goodputs = results.cube(name for name in _GOODPUTS if name in results.known)
        spreads = divide(np.ptp(goodputs, axis=1), goodputs.mean(axis=1))
        figures["uncongested.goodput_spread"] = _over(np.mean(spreads, axis=0), uncongested)
    if uncongested.any():
        latencies = results.cube(f"goodput_latency_{flow}" for flow in _LONG).mean(axis=0)
        quick = [_over(latency, uncongested) for latency in latencies]
        figures["uncongested.latency_ratio"] = max(quick) / min(quick)
    if len(results.others) > 1:
        rows = results.rows("y6", results.others)
        spread = divide(rows.std(axis=0, ddof=1), rows.mean(axis=0))
        figures["congested.retransmission_spread"] = _over(spread, results.most(4))
    return figures


def long_flow_figures(results: ExperimentResults) -> Figures:
    """Long-lived flows: gains over standard TCP's, and what they keep in the congestion."""
    figures: Figures = {}
    before, kept = (results.cube(f"{name}@{period}" for name in _GOODPUT) for period in (1, 2))
    gains = divide(before, results.cube((f"{name}@1" for name in _GOODPUT), ["Reno"]))
    for k, label in enumerate(results.labels):
        had, preserved = (volume[:, k].sum(axis=0) for volume in (before, kept))
        figures |= {
            f"{label}.long_gain": geometric_mean(gains[:, k]),
            f"{label}.long_kept": float(np.nansum(preserved) / np.nansum(had)),
            f"{label}.activation": _finite(np.min, results.values("activation_threshold", label)),
        }
    gained = [figures[f"{label}.long_gain"] for label in results.alternates]
    figures["long.smallest_gain"] = min(gained, default=math.nan)
    figures["long.most_kept"] = max(figures[f"{label}.long_kept"] for label in results.labels)
    return figures


def latency_figures(results: ExperimentResults) -> Figures:
    """Latencies in seconds, and once more as those that claims rest on."""
    figures: Figures = {}
    for kind in ("goodput", "recovery"):
        flows = results.cube(f"{kind}_latency_{flow}" for flow in _LONG)
        means = {label: _over(flows[:, k]) for k, label in enumerate(results.labels)}
        alternates = {label: means[label] for label in results.alternates}
        rest = [value for label, value in alternates.items() if label not in FAST_KIND]
        figures |= {f"{label}.{kind}_seconds": value for label, value in means.items()}
        figures |= {f"{label}.{kind}_latency": value for label, value in means.items()}
        figures[f"slowest.{kind}_latency"] = max(alternates.values(), default=math.nan)
        figures[f"next_to_fast.{kind}_latency"] = min(rest, default=math.nan)
        ranked = sorted(alternates, key=alternates.__getitem__)
        complete = not math.isnan(alternates.get("CTCP", math.nan))
        figures[f"CTCP.{kind}_place"] = ranked.index("CTCP") + 1.0 if complete else math.nan
    return figures


def _safety(results: ExperimentResults) -> Figures:
    figures: Figures = {}
    changes = np.abs(divide(results.cube(_MACROSCOPIC), results.cube(_MACROSCOPIC, ["Reno"])) - 1)
    standard, own = results.cube(("y44@2", "y45@2"))
    for label, of, share in zip(
        results.labels, changes.swapaxes(0, 1), divide(standard, standard + own), strict=True
    ):
        if label in results.alternates:
            figures[f"{label}.change"] = _finite(np.median, of)
            figures[f"{label}.standard_share"] = _over(share, results.most(8))
    changed = [figures[f"{label}.change"] for label in results.others if label != "Reno"]
    shares = [figures[f"{label}.standard_share"] for label in _SWITCHING if label in results.labels]
    figures["others.change"] = max(changed, default=math.nan)
    figures["switching.standard_share"] = float(np.mean(shares)) if shares else math.nan
    return figures


def _volumes(results: ExperimentResults, fraction: float, packets: str) -> Figures:
    """Volumes of runs, divided by the part of the published size that was simulated."""
    figures: Figures = {}
    for name, column in (("flows", "T.y4"), ("packets", packets)):
        values = results.frame[column].cast(pl.Float64).to_numpy() / fraction
        for end, of in (("mean", np.mean), ("min", np.min), ("max", np.max)):
            figures[f"volume.{name}_{end}"] = float(of(values))
    ratio = figures["volume.packets_mean"] / figures["volume.flows_mean"]
    return figures | {"volume.packets_per_flow": ratio}


def _finite(of: Callable[[Array], Any], values: Array) -> float:
    kept = values[np.isfinite(values)]
    return float(of(kept)) if kept.size else math.nan


def _over(values: Array, chosen: NDArray[np.bool_] | None = None) -> float:
    """Mean of the values that are defined, in the chosen places."""
    return _finite(np.mean, values.ravel() if chosen is None else values[chosen])


def geometric_mean(values: Array) -> float:
    """Geometric mean of the values that are defined and above zero; NaN without any."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.exp(_finite(np.mean, np.log(values))))


def _rank(values: Sequence[float] | Array, rest: Array) -> float:
    """Rank correlation over the places where both are defined."""
    first = np.asarray(values)
    both = np.isfinite(first) & np.isfinite(rest)
    return spearman(rest[both].tolist(), first[both].tolist(), least=3)


def divide(numerator: Array, denominator: Array) -> Array:
    """Quotients; NaN where the denominator is zero."""
    quotient: Array = numerator / np.where(denominator == 0, math.nan, denominator)
    return quotient
