"""Figures of `slac-wan`: throughput and fairness of flows of one kind over three paths."""

from __future__ import annotations

import numpy as np

from mesonet.studies.rules import spearman
from mesonet.studies.study import RunResults
from mesonet_studies.slac.paths import settings
from mesonet_studies.slac.samples import FloatArray, Samples, ratio, runs

__all__ = ["runs", "settings"]

ALGORITHMS = ("reno", "ctcp", "hstcp")
PATHS = ("caltech", "florida", "ireland")
COUNTS = (1, 2, 4, 8)
_RENO, _CTCP, _HSTCP = range(3)
_IRELAND = 2


def figures(run: RunResults) -> dict[str, float]:
    """Figures of the claims; `values.xi` names the measure of instantaneous fairness."""
    samples = Samples.of(run)
    total = samples.means("total", PATHS, ALGORITHMS, COUNTS)
    variation = samples.means("variation", PATHS, ALGORITHMS, (1, 2, 8))
    reverse = ratio(samples.means("total", PATHS, ALGORITHMS, ["reverse"])[..., 0], total[..., 0])
    # A single flow shares with nobody.
    sigma, xi = (
        samples.means(measure, PATHS, ALGORITHMS, COUNTS[1:])
        for measure in ("sigma_f", run.options.values["xi"])
    )
    numbers: dict[str, float] = {}
    for measure, values in (("throughput", total), ("sigma", sigma), ("xi", xi)):
        for path, of_path in zip(PATHS, values, strict=True):
            for name, row in zip(ALGORITHMS, of_path, strict=True):
                values_by_count = zip(COUNTS[-len(row) :], row, strict=True)
                numbers |= {
                    f"{measure}.{path}.{name}.{count}": value for count, value in values_by_count
                }
                numbers |= {f"{measure}.{path}.{name}": row.mean()} if values is not total else {}
    numbers |= {f"reverse.{path}": mean for path, mean in zip(PATHS, reverse.mean(1), strict=True)}
    numbers |= _of_throughput(total, variation) | _of_fairness(sigma, xi)
    return {name: float(value) for name, value in numbers.items()}


def _of_throughput(total: FloatArray, variation: FloatArray) -> dict[str, float]:
    """Figures of throughputs by path, algorithm and number of flows."""
    spread = ratio(np.ptp(total, axis=1), total.mean(axis=1))
    # One or two flows over the two long paths.
    gains = ratio(total[1:, _CTCP, :2], total[1:, _RENO, :2])
    single, two, eight = variation.reshape(-1, 3).mean(axis=0)
    return {
        "spread.1": spread[:, 0].mean(),
        "spread.8": spread[:, -1].mean(),
        "spread.caltech.8": spread[0, -1],
        "ctcp over standard": gains.mean(),
        "throughput.ireland ctcp over hstcp": ratio(
            total[_IRELAND, _CTCP], total[_IRELAND, _HSTCP]
        ).mean(),
        "variation.few": (single + two) / 2,
        "variation.8": eight,
    }


def _of_fairness(sigma: FloatArray, xi: FloatArray) -> dict[str, float]:
    """Figures of both measures by path, algorithm and number of flows."""
    eight, mean_sigma, mean_xi = sigma[..., -1], sigma.mean(axis=2), xi.mean(axis=2)
    of_name, of_xi, ireland = mean_sigma.mean(axis=0), mean_xi[_IRELAND], eight[_IRELAND]
    measures = [measure.ravel().tolist() for measure in (sigma, xi)]
    return {
        "sigma.caltech.range": np.ptp(eight[0]),
        "sigma.hstcp": of_name[_HSTCP],
        "sigma.others": of_name[:_HSTCP].max(),
        "sigma.ireland.8 ctcp over hstcp": ratio(ireland[_CTCP], ireland[_HSTCP]),
        "sigma.ireland.8 standard over both": ratio(ireland[_RENO], ireland[_CTCP:].mean()),
        "sigma.short.ctcp": mean_sigma[:_IRELAND, _CTCP].max(),
        "xi.short.ctcp": mean_xi[:_IRELAND, _CTCP].max(),
        "xi.ireland ctcp over hstcp": ratio(of_xi[_CTCP], of_xi[_HSTCP]),
        "xi.ireland.others": of_xi[_CTCP:].min(),
        "xi.caltech.others.8": xi[0, :_HSTCP, -1].max(),
        "xi with sigma": spearman(*measures),
    }
