"""Figures of `slac-ctcp`: burst control and tuned gamma on the path to Ireland."""

from __future__ import annotations

import numpy as np

from mesonet.studies.study import RunResults
from mesonet_studies.slac.paths import settings
from mesonet_studies.slac.samples import FloatArray, Samples, ratio, runs

__all__ = ["runs", "settings"]

ALGORITHMS = ("ctcp", *(f"ctcp:slac-{name}" for name in ("muted", "partial", "diffwnd", "losswnd")))
COUNTS = (1, 2, 8)


def figures(run: RunResults) -> dict[str, float]:
    """Figures of the claims."""
    samples = Samples.of(run)

    def means(measure: str) -> FloatArray:
        means: FloatArray = samples.means(measure, ["ireland"], ALGORITHMS, COUNTS)[0]
        return means

    original, muted, partial, diffwnd, losswnd = means("total")
    gains = np.minimum(ratio(muted, original), ratio(partial, original)) - 1
    numbers = {f"burst.gain.{count}": gain for count, gain in zip(COUNTS, gains, strict=True)}
    for measure, column in (("sigma", "sigma_f"), ("xi", run.options.values["xi"])):
        # A single flow shares with nobody.
        first, *both, third, fourth = means(column)[:, 1:]
        for k, count in enumerate(COUNTS[1:]):
            numbers[f"original.{measure}.{count}"] = first[k]
            numbers[f"modified.{measure}.{count}"] = np.max(both, axis=0)[k]
        numbers |= {f"muted.{measure}": both[0].mean(), f"partial.{measure}": both[1].mean()}
        tuned = [ratio(setting, both[0]).mean() for setting in (third, fourth)]
        numbers[f"tuning.{measure}"] = np.max(tuned)
    for name, measure, count in (
        ("climb", "climb", 1),
        ("variation", "variation", 1),
        ("lost", "retransmitted", 1),
        ("fluctuation", "flow_variation", 2),
        ("spell", "spell", 2),
    ):
        _, *both, _, _ = means(measure)[:, COUNTS.index(count)]
        numbers |= {f"muted.{name}": both[0], f"partial.{name}": both[1]}
    numbers |= {
        "muted over partial": ratio(muted, partial).mean(),
        "diffwnd.gain": (ratio(diffwnd, muted) - 1).mean(),
        "losswnd.gain.2": ratio(losswnd, muted)[1] - 1,
        "queued.ireland": means("queued")[0, 0],
    }
    return {name: float(value) for name, value in numbers.items()}
