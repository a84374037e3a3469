"""The figures that the claims on Experiment 2 rest on, beyond ranks and networks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import polars as pl

from mesonet.responses import FLOW_GROUPS
from mesonet.studies.nist.exp2_measures import (
    CONGESTED,
    LARGE,
    QUIET,
    SEVERE,
    SMALL,
    UNCONGESTED,
    Mixed,
    matrix_figures,
    rank_figures,
)
from mesonet.studies.nist.exp2_plan import Scale
from mesonet.studies.nist.exp2_published import FILES, printed_order

KEPT_RATE = ("BIC", "HSTCP", "Scalable")
"""Algorithms that give up less than half of their window for a loss."""
HALVING = ("CTCP", "FAST", "FAST-AT", "HTCP")
FAIR = ("CTCP", "HTCP", "FAST-AT")
UNFAIR = ("Scalable", "BIC", "FAST")
OSCILLATING = ("FAST", "FAST-AT")
FASTER_PATHS = tuple(number for number, (path, _, _) in FLOW_GROUPS.items() if path != "T")
BENEFIT = 0.1
"""Least relative gain in goodput that users notice; ours."""
QUIET_RANGE = 0.1
"""Largest relative difference of algorithms in a response without a significant change; ours."""
FULL_SECONDS = 3600.0


def measured(mixed: Mixed, scale: Scale | None) -> dict[str, float]:
    """Every figure that the runs give, by name."""
    figures = rank_figures(mixed) | matrix_figures(mixed)
    figures |= _orders(figures)
    figures |= _movies(mixed)
    figures |= _rates(mixed)
    figures |= _utility(mixed)
    figures |= _safety(mixed)
    figures |= _components(mixed)
    return figures | _volumes(mixed, scale)


def _orders(figures: dict[str, float]) -> dict[str, float]:
    """Differences of ranks and of their deviations."""
    deviations = {
        name.removeprefix("sd."): value for name, value in figures.items() if name[:3] == "sd."
    }
    two = [deviations.pop(label, math.nan) for label in ("CTCP", "HTCP")]
    sizes = [
        figures.get(f"alternate.{label}.small", math.nan)
        - figures.get(f"alternate.{label}.large", math.nan)
        for label in ("CTCP", "HTCP")
    ]
    ranks = [figures.get(f"rank.{label}", math.nan) for label in ("CTCP", "FAST-AT")]
    return {
        "rank.distance": ranks[0] - ranks[1],
        "sd.top-two": _extreme(two, min)
        - (_average(list(deviations.values())) if deviations else math.nan),
        "sizes": _extreme(sizes, min),
    }


def _movies(mixed: Mixed) -> dict[str, float]:
    """Movies on very fast paths with fast interfaces."""
    congested = {x: mixed.gain(x, mixed.movies, CONGESTED) for x in mixed.algorithms}
    overall = {x: mixed.gain(x, mixed.movies) for x in mixed.algorithms}
    trends = {x: mixed.trend(x, mixed.movies) for x in mixed.algorithms}
    figures = {f"vf.congested.{label}": value for label, value in congested.items()}
    figures |= {f"vf.{label}": value for label, value in overall.items()}
    figures |= {f"vf.trend.{label}": value for label, value in trends.items()}
    shares = {x: mixed.fraction(x, mixed.movies) for x in mixed.algorithms}
    figures |= {f"fraction.{label}": value for label, value in shares.items()}
    return figures | {"fraction.reno": mixed.fraction(None, (1,))}


def _rates(mixed: Mixed) -> dict[str, float]:
    """Increase rate: gains on uncongested paths, by algorithm and by kind of file."""
    large = [number for number in FASTER_PATHS if number in LARGE]
    gains = {label: mixed.gain(label, large, UNCONGESTED) for label in mixed.algorithms}
    figures = {f"low.{label}": value for label, value in gains.items()}
    for file, groups in FILES.items():
        known = [mixed.gain(label, groups, UNCONGESTED) for label in mixed.algorithms]
        figures[f"size.{file}"] = _average(known)
    severe = {label: mixed.gain(label, LARGE, SEVERE) for label in mixed.algorithms}
    figures |= {f"severe.{label}": value for label, value in severe.items()}
    return figures


def _utility(mixed: Mixed) -> dict[str, float]:
    """Figures on the utility of alternates: by file and path, and by transfers that gain."""
    fair = [label for label in FAIR if label in mixed.algorithms]
    sets = {
        "large.uncongested": (LARGE, UNCONGESTED),
        "large.congested": (LARGE, CONGESTED),
        "small": (SMALL, (1, 32)),
    }
    figures = {
        f"utility.{name}": _average([mixed.gain(label, *where) for label in fair])
        for name, where in sets.items()
    }
    everything = mixed.cells(FLOW_GROUPS)
    total = float(everything["n"].sum())
    gaining = float(everything.filter(pl.col("relative") > BENEFIT)["n"].sum())
    return figures | {"utility.share": gaining / total if total else math.nan}


def _safety(mixed: Mixed) -> dict[str, float]:
    """Macroscopic responses: how far algorithms differ, and FAST where buffers are small."""
    calm = [label for label in mixed.algorithms if label not in OSCILLATING]
    cells = (
        mixed.frame.filter(pl.col("alternative").cast(pl.String).is_in(calm))
        .group_by("condition", "alternative")
        .agg(*(pl.col(name).mean() for name in QUIET))
    )
    ranges = cells.group_by("condition").agg(
        *((pl.col(name).max() - pl.col(name).min()).truediv(pl.col(name).mean()) for name in QUIET)
    )
    values = [
        value
        for name in QUIET
        for value in ranges[name].to_list()
        if value is not None and not math.isnan(value)
    ]
    figures = {
        "safety.quiet": sum(value <= QUIET_RANGE for value in values) / len(values)
        if values and len(calm) > 1
        else math.nan
    }
    small = set(mixed.frame.filter(pl.col("buffers") == -1)["condition"].to_list())
    conditions = [
        condition for condition in printed_order()[CONGESTED[0] - 1 :] if condition in small
    ]
    fast = [label for label in OSCILLATING if label in mixed.algorithms]
    for name, response in (("retransmission", "y6"), ("connecting", "y42"), ("completed", "y5")):
        theirs = mixed.mean(response, calm, conditions) if calm and conditions else math.nan
        ours = mixed.mean(response, fast, conditions) if fast and conditions else math.nan
        figures[f"safety.{name}"] = ours / theirs - 1 if theirs else math.nan
    return figures


def _components(mixed: Mixed) -> dict[str, float]:
    """Part of the variance in the plane of PC1 and PC2 that lies between levels of each factor."""
    found = mixed.components
    plane = found.separation.filter(pl.col("component") <= 2).join(
        found.scree.select("component", "variance"), on="component"
    )
    if plane.is_empty():
        return {}
    parts = plane.group_by("factor").agg(
        (pl.col("fraction") * pl.col("variance")).sum() / pl.col("variance").sum()
    )
    figures = {f"plane.{factor}": float(part) for factor, part in parts.iter_rows()}
    others = [
        value
        for name, value in figures.items()
        if name not in ("plane.speed", "plane.delay", "plane.web", "plane.group")
    ]
    three = [figures.get(f"plane.{name}", math.nan) for name in ("speed", "delay", "web")]
    figures["plane.three"] = _extreme(three, min) - _extreme(others, max)
    for level, code in (("high", 1), ("low", -1)):
        figures[f"plane.delay.{level}"] = _between(
            found.scores.filter(pl.col("speed") == code), "delay"
        )
    return figures


def _between(scores: pl.DataFrame, factor: str) -> float:
    """Distance in the plane between the two levels of a factor."""
    centres = scores.group_by(factor).agg(pl.col("pc1", "pc2").mean())
    if centres.height != 2:
        return math.nan
    return math.dist(*(tuple(row[1:]) for row in centres.iter_rows()))


def _volumes(mixed: Mixed, scale: Scale | None) -> dict[str, float]:
    """Flows and packets of all runs as they would be at the published size."""
    size = 1.0
    if scale is not None:
        size = FULL_SECONDS / (scale.network * scale.duration)
    flows, packets = (float(mixed.frame[name].sum()) for name in ("T.y4", "T.y2"))
    return {
        "volume.flows": flows * size,
        "volume.packets": packets * size,
        "volume.per-flow": packets / flows if flows else math.nan,
    }


def _extreme(values: Iterable[float], of: Callable[[list[float]], float]) -> float:
    known = list(values)
    if not known or any(math.isnan(value) for value in known):
        return math.nan
    return float(of(known))


def _average(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan
