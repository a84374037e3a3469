"""Sentences of the manual that rest on kept runs say what these runs give."""

import math
import statistics
from pathlib import Path

import kept_runs

from mesonet.studies import find_study
from mesonet.studies.study import Options
from mesonet_studies.nist.exp2.mixed import printed_order

PAGE = Path(__file__).parents[2] / "docs" / "validation" / "nist.md"
ORDER = printed_order()


def reno_over(pairs, groups):
    """Reno's goodput in one run over that in the other: geometric mean, weighted by transfers."""
    logs, weights = [], []
    for first, other in pairs:
        for group in groups:
            n, m = (run[f"n{group}:reno"] for run in (first, other))
            if n and m:
                weights.append(n * m / (n + m))
                logs.append(math.log(first[f"g{group}:reno"] / other[f"g{group}:reno"]))
    return math.exp(sum(map(math.prod, zip(logs, weights, strict=True))) / sum(weights))


def test_the_initial_threshold_and_hstcp_beside_reno():
    text, runs = PAGE.read_text("utf-8"), []
    for name in ("nist-2a", "nist-2b"):
        kept = kept_runs.read(kept_runs.KEPT / f"{name}.parquet")
        plan = find_study(name).prepare(Options("pocket")).plans[""]
        runs.append({(it.condition, it.alternative): kept["", it.id] for it in plan.runs()})
    high, low = runs

    def change(places):
        pairs = [(low[at], high[at]) for at in high if at[0] in places]
        return reno_over(pairs, range(1, 13))

    for places, of in ((ORDER[-8:], "most"), (ORDER[:8], "least")):
        assert f"is {change(places):.2f} in the eight {of} congested" in text
        error = statistics.stdev(change([at]) for at in places) / math.sqrt(8)
        assert f"the standard errors are {error:.2f}" in text

    def less_beside(label, half):
        pairs = [(high[at, label], high[at, it]) for at in half for it in ("CTCP", "HTCP")]
        return 1 - reno_over(pairs, range(1, 25))

    calm, busy = ORDER[:16], ORDER[16:]
    for half in (calm, busy):
        assert f"Versus HSTCP Reno gets {100 * less_beside('HSTCP', half):.1f} % less" in text
    assert all(
        less_beside(it, busy) > 2 * less_beside(it, calm) for it in ("FAST", "FAST-AT", "BIC")
    )
