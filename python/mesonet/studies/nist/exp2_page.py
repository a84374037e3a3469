"""Sections of the pages of Experiment 2: the published figures made anew from the runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from mesonet.analysis import condition_response, congestion
from mesonet.figures import (
    Look,
    Names,
    condition_response_chart,
    congestion_chart,
)
from mesonet.plan import Plan
from mesonet.report.tables import numbers, table, words
from mesonet.responses import FLOW_GROUPS, lookup
from mesonet.studies.nist.exp2_cost import CampaignCost
from mesonet.studies.nist.exp2_goodput_page import (
    captioned_chart,
    components,
    fairness,
    gains,
    movies,
    ranks,
)
from mesonet.studies.nist.exp2_measures import Mixed
from mesonet.studies.nist.exp2_published import NETWORKS
from mesonet.studies.page import Section

_PATHS = {"VF": "VF", "F": "F", "T": "T"}
_SHORT = {"movie": "M", "service_pack": "SP", "document": "D", "web_object": "WO"}
_MACROSCOPIC = ("y6", "y1", "y42", "y5")


def sections(
    name: str, mixed: Mixed, figures: Mapping[str, float], *, plan: Plan, cost: CampaignCost
) -> Sequence[Section]:
    """All sections, in order."""
    look, names = Look.of(mixed.algorithms), _names(plan)
    return (
        _congestion(mixed, look, names),
        movies(mixed, figures, look, names),
        ranks(mixed, look, names),
        fairness(mixed, figures),
        gains(mixed, figures),
        components(mixed, figures, look, names),
        _macroscopic(mixed, look, names),
        _network(name, figures),
        _cost(cost),
    )


def _names(plan: Plan) -> Names:
    responses = {}
    for response in plan.responses:
        if ":" not in response:
            variant = lookup(response)
            responses[response] = (variant.name, variant.response.unit)
    for number, (path, interface, file) in FLOW_GROUPS.items():
        short = f"{number} {_PATHS[path]} {interface[0].upper()} {_SHORT[file]}"
        responses[f"g{number}"] = (short, "segments/s")
        responses |= {
            f"g{number}, {kind}": (f"{short}, {kind}", "") for kind in ("alternate", "Reno")
        }
    factors = {
        factor.name: (f"{factor.symbol} {factor.label}", factor.text(-1), factor.text(1))
        for factor in plan.factors
    }
    return Names(responses=responses, factors=factors)


def _congestion(mixed: Mixed, look: Look, names: Names) -> Section:
    found = congestion(mixed.frame, response="loss_rate")
    measures = ("loss_rate", "y6", "timeouts", "connection_failures", "y1", "y8")
    rows = pl.DataFrame(
        [{"by": names.response(name), "rho": mixed.agreement(name)} for name in measures]
    )
    return Section(
        "congestion",
        "Congestion conditions",
        (
            (
                "The published rank matrices list the conditions from least to most congested. "
                "“Congested” below means the second half of that list, “severe” its last quarter, "
                "at every size. By what they were ordered is not printed; the table says how well "
                "several measures of these runs agree with it."
            ),
        ),
        (
            captioned_chart(
                "congestion",
                congestion_chart(found, look=look, names=names),
                "Loss rate of every algorithm under every condition, least congested first",
                "The algorithms lie close together: conditions differ by far more.",
            ),
        ),
        (
            (
                "Rank correlation of the conditions' order with the printed one",
                table("order", rows, (words("by", "Ordered by"), numbers("rho", "Correlation"))),
            ),
        ),
    )


def _macroscopic(mixed: Mixed, look: Look, names: Names) -> Section:
    charts = [
        captioned_chart(
            f"condition-response-{response}",
            condition_response_chart(
                condition_response(mixed.frame, response=response), look=look, names=names
            ),
            f"{names.response(response)} under every condition, residuals by algorithm",
            f"Condition-response analysis of {names.axis(response)}: which algorithm stands apart.",
        )
        for response in _MACROSCOPIC
    ]
    return Section(
        "macroscopic",
        "The network as a whole",
        ("Residuals around the mean of each condition, and the algorithm furthest from it.",),
        tuple(charts),
    )


def _network(name: str, figures: Mapping[str, float]) -> Section:
    network = NETWORKS[name]
    rows = [
        {
            "what": f"Sources, {level}",
            "published": float(printed),
            "ours": figures[f"sources.{level}"],
        }
        for level, printed in zip(("plus", "minus"), network.sources, strict=True)
    ]
    rows += [
        {
            "what": f"{tier} routers, {level}, Gbit/s",
            "published": printed,
            "ours": figures[f"speed.{tier}.{level}"],
        }
        for tier, levels in network.speeds.items()
        for level, printed in zip(("plus", "minus"), levels, strict=True)
    ]
    distances = pl.DataFrame(
        [
            {"what": f"{tier}, factor {factor}", "distance": figures[f"buffers.{tier}.{factor}"]}
            for tier in network.buffers
            for factor in ("1", "0.5")
        ]
    )
    return Section(
        "network",
        "The published network",
        (
            (
                "Of the full size, whatever the size of this page. Three times the target by the "
                "probability of a class, the rule that gives the other printed numbers of sources, "
                "exceeds these by one to four per router. F-class routers at the minus level are "
                "printed at 720 Mbit/s (7.2 Gbit/s in 2c); X3 / 20 gives 480 (4.8). A PoP buffer "
                "printed as 4,096 should read 4,069, half of 8,138."
            ),
        ),
        (),
        (
            (
                "Sources and speeds",
                table(
                    "network",
                    pl.DataFrame(rows),
                    (words("what", ""), numbers("published", "Published"), numbers("ours", "Here")),
                ),
            ),
            (
                "Buffers: largest distance from the printed sizes, packets",
                table(
                    "buffers",
                    distances,
                    (words("what", "Routers"), numbers("distance", "Distance")),
                ),
            ),
        ),
    )


def _cost(cost: CampaignCost) -> Section:
    rows = pl.DataFrame(
        [
            {"what": "This size, measured", "hours": cost.hours, "packets": cost.packets},
            {
                "what": "Full size, extrapolated",
                "hours": cost.full_hours,
                "packets": cost.full_packets,
            },
            {
                "what": "Full size, published",
                "hours": cost.published_hours,
                "packets": cost.published_packets,
            },
        ]
    )
    return Section(
        "cost",
        "Cost",
        (
            (
                "Processor hours of all runs. The full size is extrapolated by packets: those that "
                "were sent here, times the ratio of expected packets of both plans, at the rate of "
                "these runs."
            ),
        ),
        (),
        (
            (
                "Processor hours",
                table(
                    "cost",
                    rows,
                    (words("what", ""), numbers("hours", "Hours"), numbers("packets", "Packets")),
                ),
            ),
        ),
    )
