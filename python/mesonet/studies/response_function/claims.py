"""The published response functions as claims.

They hold for a loss every 1/p segments; here losses are random. So each is carried over: times
what randomness makes of the published rule, which is known by playing the rule both ways without a
network (`curves`). What the functions themselves print stands beside it on the page.
"""

from __future__ import annotations

import math

from mesonet.studies.bench import Results
from mesonet.studies.response_function.curves import CURVES, Curve
from mesonet.studies.response_function.runs import response_frame, run_name
from mesonet.studies.rules import Rule, between, within
from mesonet.studies.scorecard import Claim

TOLERANCE = 0.1
"""Part of the window by which a measured one may differ."""

_PRINTED = {
    "Reno": ("sqrt(1.5 / p)", "Mathis et al. 1997"),
    "HSTCP": ("0.12 / p^0.835, standard TCP's below 38 segments", "RFC 3649, section 5"),
    "Scalable": ("0.075 / p, above 16 segments", "Kelly 2003, section 3"),
    "CTCP": (
        "0.255 / p^0.8, standard TCP's below 38 segments",
        "draft-sridharan-tcpm-ctcp-02, section 3",
    ),
    "H-TCP": (
        "gain per round trip and back-off that have to balance; no formula",
        "draft-leith-tcp-htcp-06, equation 1",
    ),
    "CUBIC": ("1.054 (RTT / p)^0.75, at least 1.2 / sqrt(p)", "RFC 9438, section 5.1, tables 1, 2"),
}
_CUBIC = (
    "Only the smallest loss probability is off: a run has 300 losses there, and its standard "
    "error is 4.4 %."
)


def level_name(curve: Curve) -> str:
    """Name of the figure that says how far measured windows are from a published function."""
    return f"{_slug(curve)}.largest_difference"


def _slug(curve: Curve) -> str:
    return f"{curve.label.lower()}-{curve.rtt * 1000:g}ms"


def _rule(name: str) -> Rule:
    bound = between(name, 0.0, TOLERANCE)
    return Rule(
        bound.needs,
        "at every loss probability within 10 % of the function, carried over to random losses",
        bound.holds,
        lambda figures: f"largest difference {figures[name]:.1%}",
    )


def _level(curve: Curve) -> Claim:
    printed, source = _PRINTED[curve.label]
    return Claim(
        f"{_slug(curve)}-window",
        f"{curve.label}, {curve.rtt * 1000:g} ms: mean window at a loss probability p",
        printed,
        source,
        _rule(level_name(curve)),
        explanation=_CUBIC if curve.label == "CUBIC" else "",
    )


CLAIMS: tuple[Claim, ...] = (
    *(_level(curve) for curve in CURVES),
    Claim(
        "reno-random-losses",
        "Reno: mean window times sqrt(p) under losses at random, p = 1e-4",
        "1.31",
        "Mathis et al. 1997, after Ott et al. 1996",
        within("reno.constant", 1.31, relative=0.05),
    ),
)
"""One per published function, and the constant that is published for random losses."""


def claimed_figures(results: Results) -> dict[str, float]:
    """Figures that claims rest on, as far as they have been measured."""
    figures: dict[str, float] = {}
    frame = response_frame(results)
    for curve in CURVES:
        rows = (
            []
            if frame.is_empty()
            else frame.filter(name=curve.algorithm, rtt=curve.rtt).rows(named=True)
        )
        off = [abs(row["from_carried"]) for row in rows if applies(curve, row["loss"])]
        if off:
            figures[level_name(curve)] = max(off)
    reno = results.get(run_name(CURVES[0], 1e-4))
    if reno is not None:
        figures["reno.constant"] = reno["window"] * math.sqrt(1e-4)
    return figures


def applies(curve: Curve, p: float) -> bool:
    """Tests whether the printed function is meant for a loss probability.

    Kelly's is for windows above 16 segments; what is below is standard TCP's, and near the bound
    the rule has two states, so that neither function describes it.
    """
    return curve.label != "Scalable" or 0.075 / p > 16
