"""Sections on the factors, networks and cost of the sensitivity analysis."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import polars as pl

from mesonet.figures import network_chart
from mesonet.plan import Plan
from mesonet.report.charts import picture
from mesonet.report.tables import Column, counts, table, words
from mesonet.scenario.internet import Internet
from mesonet.scenario.tiers import class_counts
from mesonet.scenario.topology import load_topology
from mesonet.studies.nist.sensitivity_cost import RunCost
from mesonet.studies.nist.sensitivity_published import FACTORS, PROCESSOR_HOURS
from mesonet.studies.page import CaptionedChart, Section


def levels_of(plan: Plan) -> Mapping[int, tuple[str, str]]:
    """Both levels of each factor as text, by number."""
    texts = {factor.name: (factor.text(-1), factor.text(1)) for factor in plan.factors}
    return {k: texts[FACTORS[k][0]] for k in FACTORS}


def factors_section(plan: Plan) -> Section:
    """Levels, printed and of this size, under both numbers."""
    here, full = levels_of(plan), _PRINTED
    rows = [
        {
            "paper": f"X{k}",
            "slides": f"X{slides}",
            "factor": text,
            "printed": f"{full[k][0]} / {full[k][1]}",
            "low": here[k][0],
            "high": here[k][1],
        }
        for k, (_, text, slides) in FACTORS.items()
    ]
    return Section(
        "factors",
        "The twenty factors",
        (
            (
                "Table 5 of the paper. The slides of the study number the factors differently; "
                "both numbers are given."
            ),
        ),
        tables=(
            (
                "Levels",
                table(
                    "factors",
                    pl.DataFrame(rows),
                    (
                        words("paper", "Paper"),
                        words("slides", "Slides"),
                        words("factor", "Factor"),
                        words("printed", "Printed − / +"),
                        words("low", "Here −"),
                        words("high", "Here +"),
                    ),
                ),
            ),
        ),
    )


_PRINTED = {
    1: ("800", "1600 segments/ms"),
    2: ("1×", "2×"),
    3: ("rtt × C/√n", "rtt × C"),
    4: ("Abilene, delay", "ISP, costs"),
    5: ("75", "150 segments"),
    6: ("Fp .02, Sp .002, Mp .0002", ".04, .004, .0004"),
    7: ("2", "5 s"),
    8: ("infinite", "finite"),
    9: ("4th time period", "none"),
    10: ("3 begin 3rd period", "none"),
    11: (".2", ".8"),
    12: ("2×", "3×"),
    13: ("Web-centric", "peer-2-peer-centric"),
    14: ("Web-centric", "peer-2-peer-centric"),
    15: ("TCP .8, CTCP .2", "TCP .2, CTCP .8"),
    16: ("2", "8 segments"),
    17: ("43", "> 10⁹ segments"),
    18: ("200 ms", "1 s"),
    19: ("25", "50 min"),
    20: ("exponential, mean X7", "50 % start early"),
}


def networks_section() -> Section:
    """Both topologies, and the map of the one that is ours."""
    isp = Internet(topology="isp")
    rows = []
    for name in ("abilene", "isp"):
        topology = load_topology(name)
        paths = list(topology.pairs())
        routers = Fraction(sum(topology.hops[a][b] + 1 for a, b in paths), len(paths))
        rtts = [(topology.distance_ns[a][b] + topology.distance_ns[b][a]) / 1e6 for a, b in paths]
        access = class_counts(topology)
        rows.append(
            {
                "network": name,
                "backbone": len(topology.nodes),
                "links": len(topology.edges),
                "pops": len(topology.pops),
                "access": f"{access['N']} N, {access['F']} F, {access['D']} D",
                "paths": len(paths),
                "routers": float(routers),
                "rtt": f"{min(rtts):.0f}, {sum(rtts) / len(rtts):.1f}, {max(rtts):.0f}",
            }
        )
    return Section(
        "networks",
        "The two networks",
        (
            (
                "The provider's network is published by its counts alone. The map is our own; its "
                "counts are the printed ones, its delays follow geography as Abilene's do, and its "
                "routes follow link metrics that prefer trunks: 60 of 240 paths are not the "
                "fastest."
            ),
        ),
        (
            CaptionedChart(
                picture("isp", network_chart(isp.geometry()), "Map of the provider's backbone"),
                "The network isp: 16 backbone routers, 24 links, one-way delays in ms.",
            ),
        ),
        (
            (
                "Counts",
                table(
                    "networks",
                    pl.DataFrame(rows),
                    (
                        words("network", "Network"),
                        counts("backbone", "Backbone routers"),
                        counts("links", "Links"),
                        counts("pops", "PoPs"),
                        words("access", "Access routers"),
                        counts("paths", "Paths"),
                        Column("routers", "Routers per path", lambda value: f"{value:.2f}"),
                        words("rtt", "Round trips: least, mean, most (ms)"),
                    ),
                ),
            ),
        ),
    )


def cost_section(cost: RunCost) -> Section:
    """Processor time beside the paper's."""
    each = cost.full_seconds / max(cost.runs, 1) / 3600
    return Section(
        "cost",
        "What it costs",
        (
            (
                f"These {cost.runs} runs took {cost.seconds / 3600:.2f} processor hours. The paper "
                f"counts about {PROCESSOR_HOURS} processor hours for each of its 256 simulations, "
                f"{PROCESSOR_HOURS * 256:,} in all, on the processors of its time. At full size we "
                f"expect about {each:.1f} processor hours for each run, {each * 256:,.0f} in all: "
                "the time of this size, times the ratios of scale and of simulated time."
            ),
        ),
    )
