"""Figures that the claims on Experiment 2 rest on, beyond ranks and networks."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import polars as pl

from mesonet.responses import FLOW_GROUPS
from mesonet_studies.nist.exp2.mixed import Mixed, average, printed_order, rank_figures

QUIET = ("y1", "y42", "y3", "y5", "y6", "y7")
"""Macroscopic responses that say what users and operators see."""


def measured(mixed: Mixed) -> dict[str, float]:
    """Every figure that the runs give, by name."""
    figures = {f"order.{label}": mixed.agreement(label) for label in mixed.values["orders"]}
    figures |= {"order": figures["order.loss_rate"]} | rank_figures(mixed)
    figures |= _orders(figures) | _gains(mixed) | _utility(mixed) | _safety(mixed)
    return figures | _components(mixed) | _volumes(mixed)


def _orders(figures: Mapping[str, float]) -> dict[str, float]:
    """Differences of ranks and of their deviations."""
    deviations = {name[3:]: value for name, value in figures.items() if name.startswith("sd.")}
    two = [deviations.pop(label, math.nan) for label in ("CTCP", "HTCP")]
    sizes = [
        figures.get(f"alternate.{label}.small", math.nan)
        - figures.get(f"alternate.{label}.large", math.nan)
        for label in ("CTCP", "HTCP")
    ]
    hstcp, scalable = (
        figures.get(f"reno.{label}.congested", math.nan) for label in ("HSTCP", "Scalable")
    )
    ctcp, fast_at = (figures.get(f"rank.{label}", math.nan) for label in ("CTCP", "FAST-AT"))
    return {
        "rank.distance": ctcp - fast_at,
        "reno.hstcp-scalable": hstcp - scalable,
        "sd.top-two": float(np.min(two)) - average(deviations.values()),
        "sizes": float(np.min(sizes)),
    }


def _gains(mixed: Mixed) -> dict[str, float]:
    """Gains over Reno: movies on very fast paths with fast interfaces, and increase rates."""
    movies, large = mixed.values["movies"], mixed.groups("movies", "service packs")
    faster = [number for number in FLOW_GROUPS if FLOW_GROUPS[number][0] != "T" and number in large]
    sets = {
        "vf": (movies, "all"),
        "vf.congested": (movies, "congested"),
        "low": (faster, "uncongested"),
        "severe": (large, "severe"),
        "worst": (large, "worst"),
        "large": (large, "all"),
    }
    figures = {"fraction.reno": mixed.fraction(None, (1,))}
    for label in mixed.algorithms:
        figures |= {f"{name}.{label}": mixed.gain(label, *where) for name, where in sets.items()}
        figures[f"vf.trend.{label}"] = mixed.trend(label, movies)
        figures[f"fraction.{label}"] = mixed.fraction(label, movies)
    rest = [figures[f"large.{label}"] for label in mixed.algorithms if label != "HTCP"]
    figures["large.others"] = average(rest)
    for file, groups in mixed.values["files"].items():
        gains = [mixed.gain(label, groups, "uncongested") for label in mixed.algorithms]
        figures[f"size.{file}"] = average(gains)
    return figures


def _utility(mixed: Mixed) -> dict[str, float]:
    """Figures on the utility of alternates: by file and path, and by transfers that gain."""
    fair = [label for label in mixed.values["fair"] if label in mixed.algorithms]
    large = mixed.groups("movies", "service packs")
    sets = {
        "large.uncongested": (large, "uncongested"),
        "large.congested": (large, "congested"),
        "small": (mixed.groups("documents", "Web objects"), "all"),
    }
    figures = {
        f"utility.{name}": average([mixed.gain(label, *where) for label in fair])
        for name, where in sets.items()
    }
    everything = mixed.cells(FLOW_GROUPS)
    total = float(everything["n"].sum())
    gaining = everything.filter(pl.col("relative") > mixed.values["benefit"])
    share = float(gaining["n"].sum()) / total if total else math.nan
    return figures | {"utility.share": share}


def _safety(mixed: Mixed) -> dict[str, float]:
    """Macroscopic responses: how far algorithms differ, and FAST where buffers are small."""
    fast = [label for label in mixed.values["oscillating"] if label in mixed.algorithms]
    calm = [label for label in mixed.algorithms if label not in fast]
    by, rate = (
        mixed.runs_of(calm).group_by("condition", "alternative", maintain_order=True),
        pl.col(QUIET),
    )
    cells = by.agg(rate.mean()).group_by("condition", maintain_order=True)
    ranges = cells.agg((rate.max() - rate.min()) / rate.mean()).select(QUIET)
    values = ranges.unpivot()["value"].drop_nulls().drop_nans().to_numpy()
    begin, end = mixed.values["places"]["congested"]
    some = (pl.col("buffers") == -1) & pl.col("condition").is_in(printed_order()[begin - 1 : end])

    def retransmission(labels: list[str]) -> float:
        mean = mixed.runs_of(labels).filter(some)["y6"].mean()
        return math.nan if mean is None else float(mean)  # type: ignore[arg-type]

    base, some_differ = retransmission(calm), len(values) > 0 and len(calm) > 1
    return {
        "safety.quiet": float(np.mean(values <= mixed.values["calm"])) if some_differ else math.nan,
        "safety.retransmission": retransmission(fast) / base - 1 if base else math.nan,
    }


def _components(mixed: Mixed) -> dict[str, float]:
    """Part of the variance in the plane of PC1 and PC2 that lies between levels of each factor."""
    components = mixed.components
    plane = components.separation.filter(pl.col("component") <= 2).join(
        components.scree.select("component", "variance"), on="component"
    )
    if plane.is_empty():
        return {}
    parts = plane.group_by("factor", maintain_order=True).agg(
        (pl.col("fraction") * pl.col("variance")).sum() / pl.col("variance").sum()
    )
    figures = {f"plane.{factor}": float(part) for factor, part in parts.iter_rows()}
    three = [figures.get(f"plane.{name}", math.nan) for name in ("speed", "delay", "web")]
    planar = ("plane.speed", "plane.delay", "plane.web", "plane.group")
    rest = [value for name, value in figures.items() if name not in planar]
    figures["plane.three"] = float(np.min(three) - np.max(rest))
    for level, code in (("high", 1), ("low", -1)):
        figures[f"plane.delay.{level}"] = _between(components.scores.filter(speed=code), "delay")
    return figures


def _between(scores: pl.DataFrame, factor: str) -> float:
    """Distance in the plane between the two levels of a factor."""
    centres = scores.group_by(factor, maintain_order=True).agg(pl.col("pc1", "pc2").mean())
    if centres.height != 2:
        return math.nan
    return math.dist(*(tuple(row[1:]) for row in centres.iter_rows()))


def _volumes(mixed: Mixed) -> dict[str, float]:
    """Flows and packets of all runs as they would be at the published size."""
    flows, packets = (float(mixed.frame[name].sum()) for name in ("T.y4", "T.y2"))
    return {
        "volume.flows": flows * mixed.values["times"],
        "volume.packets": packets * mixed.values["times"],
        "volume.per-flow": packets / flows if flows else math.nan,
    }
