"""Sentences of the manual that rest on kept runs say what these runs give."""

import math
import statistics
from dataclasses import replace
from pathlib import Path

import kept_runs

from mesonet.studies import find_study
from mesonet.studies.execution import execute_runs
from mesonet.studies.study import Options
from mesonet_studies.nist.exp2.mixed import printed_order
from mesonet_studies.queues import measure as queues

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "validation" / "nist.md"
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


def page_and_results(name, folder):
    """The page of a study in one line, and its results of pocket size from kept runs."""
    prepared = find_study(name).prepare(Options("pocket"))
    kept_runs.put(kept_runs.read(kept_runs.KEPT / f"{name}.parquet"), prepared, folder)
    results = replace(execute_runs(prepared, out=folder, workers=1), options=prepared.options)
    return " ".join((DOCS / "studies" / name / "index.md").read_text("utf-8").split()), results


def test_disciplines_at_the_edge(tmp_path):
    text, results = page_and_results("edge", tmp_path)

    def means(kind, value, traffic="cubic", buffers="deep", share=100, group="both"):
        """Per cent by which a number of transfers changes with a discipline."""
        pairs = [(f"{kind}-{share}", f"{traffic}-{buffers}-{at}") for at in range(3)]
        cells = [
            [
                results.results[f"{first}-{rest}"]["shares"][str(share)]
                for first in (of, "droptail-0")
            ]
            for of, rest in pairs
        ]
        ratios = [
            now["transfers"][f"{group}.{value}"][measured]
            / before["transfers"][f"{group}.{value}"][measured]
            for now, before in cells
            for measured in ["duration" if value.endswith("web") else "goodput"]
        ]
        return f"{abs(100 * statistics.mean(ratios) - 100):.0f}"

    kinds = ("fq_codel", "dualpi2", "pie")
    web, long = ([means(kind, value) for kind in kinds] for value in ("web", "long"))
    assert "complete {} % sooner, with DualPI2 {} %, with PIE {} %".format(*web) in text
    falls = "falls by {} % with FQ-CoDel, {} % with DualPI2 and {} % with PIE"
    assert falls.format(*long) in text
    assert f"half {means('fq_codel', 'web', share=50, group='neither')} % with FQ-CoDel" in text
    assert f"objects {means('fq_codel', 'web', buffers='short')} % faster" in text
    loss, slower = (means("dualpi2", f"prague.{of}", "prague") for of in ("long", "web"))
    assert f"lose {loss} % of their goodput and its Web objects take {slower} % longer" in text
    loss, sooner = (means("dualpi2_5ms", f"prague.{of}", "prague") for of in ("long", "web"))
    assert f"are {sooner} % faster, and its long transfers lose {loss} %" in text

    def over_seeds(kind, share, value):
        names = (f"{kind}-{share}-cubic-deep-{at}" for at in range(3))
        return statistics.mean(value(results.results[name]) for name in names)

    places = [("droptail", 0), *((kind, 100) for kind in kinds)]
    before, *after = (
        1000 * over_seeds(*it, lambda run: run["shares"]["100"]["queues"]["with"]["p95"])
        for it in places
    )
    assert f"from {before:.0f} ms to between {min(after):.0f} and {max(after):.0f}." in text
    before, *after = (
        100 * over_seeds(*it, lambda run: run["network"]["loss_rate"]) for it in places
    )
    assert f"from {before:.1f} to between {min(after):.1f} and {max(after):.1f} %" in text


def test_algorithms_under_queue_disciplines(tmp_path):
    text, results = page_and_results("queues", tmp_path)
    rows = queues.cells(results).select("response", "algorithm", "queue", "value").rows()
    cells = {tuple(names): f"{value:.0f}" for *names, value in rows}
    reno = [cells["utilization", "Reno", it] for it in ("CoDel", "FQ-CoDel", "CAKE")]
    assert reno[0] == reno[1]
    assert f"{reno[0]} % under CoDel and FQ-CoDel, {reno[2]} % under CAKE" in text
    marked, dropped = (cells["utilization", "CUBIC", it] for it in ("CoDel, ECN", "CoDel"))
    assert f"{marked} % of the link under CoDel with ECN, {dropped} % without" in text
    codel, dual = (
        [cells["excess", it, queue] for it in ("DCTCP", "Prague")]
        for queue in ("CoDel, ECN", "DualPI2")
    )
    assert f"loses {codel[0]} points" in text
    assert f"and {codel[1]} to Prague" in text
    assert f"from Prague ({dual[1]} points), but not from DCTCP ({dual[0]})" in text
    bbr = [cells["excess", "BBR 3", it] for it in ("RED", "CoDel", "PIE", "DualPI2")]
    assert f"takes {min(bbr)} to {max(bbr)} points" in text
    assert f"and {cells['excess', 'BBR 3', 'FQ-CoDel']} under FQ-CoDel" in text
