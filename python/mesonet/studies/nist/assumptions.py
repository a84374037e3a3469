"""Assumptions where the sources of Experiments 1 and 2 are silent, with ours and the others.

No constant here was chosen by a scorecard, but by the bench of two flows: FAST-AT's thresholds, and
which of two published sets BIC has. A study can be run under any other assumption, so that its
scorecard shows which verdicts depend on it; `tools/manual/assumptions.py` does, and keeps the
verdicts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mesonet.plan import Plan, plan_from_dict
from mesonet.studies.bench import Item
from mesonet.studies.study import Prepared
from mesonet.units import parse_packet_rate

Parameters = Mapping[str, Mapping[str, float]]
"""Parameters of algorithms, by the name of the algorithm."""


@dataclass(frozen=True)
class Assumption:
    """One thing that the sources do not print, decided otherwise.

    Attributes:
        name: Name on the command line and in kept files.
        what: Detail that is not printed.
        ours: Value in the studies.
        other: Value under this assumption.
        scenario: Entries of the plan's scenario that it replaces.
        parameters: Parameters of algorithms, wherever they are used, in benches too.
        interfaces: Factor on the line rates of hosts.
        seed: Number that is added to the plan's seed.
    """

    name: str
    what: str
    ours: str
    other: str
    scenario: Mapping[str, Any] = field(default_factory=dict)
    parameters: Parameters = field(default_factory=dict)
    interfaces: float = 1.0
    seed: int = 0

    def apply(self, prepared: Prepared) -> Prepared | None:
        """The study under this assumption; None if it varies that already or lacks it."""
        varied = {
            path for plan in prepared.plans.values() for f in plan.factors for path in f.paths
        }
        if varied & set(self.scenario):
            return None
        plans = {name: self._plan(plan) for name, plan in prepared.plans.items()}
        items = [self._item(item) for item in prepared.items]
        if items == list(prepared.items) and all(
            plan.to_dict() == prepared.plans[name].to_dict() for name, plan in plans.items()
        ):
            return None
        return replace(prepared, plans=plans, items=items)

    def _plan(self, plan: Plan) -> Plan:
        table = plan.to_dict()
        table["seed"] += self.seed
        scenario = table["scenario"]
        rates = [parse_packet_rate(rate) * self.interfaces for rate in scenario["interface_speeds"]]
        scenario["interface_speeds"] = [f"{rate:g} p/s" for rate in rates]
        scenario.update(self.scenario)
        for alternative in table["alternatives"]:
            used = {alternative["set"].get("algorithms"), *alternative["names"].values()}
            own = {name: dict(values) for name, values in self.parameters.items() if name in used}
            if own:
                alternative["set"]["parameters"] = own
        return plan_from_dict(table)

    def _item(self, item: Item) -> Item:
        used = item.scenario.algorithm_places()
        own = {name: dict(values) for name, values in self.parameters.items() if name in used}
        return replace(item, scenario=item.scenario.replace({"parameters": own})) if own else item


ASSUMPTIONS: Mapping[str, Assumption] = {
    assumption.name: assumption
    for assumption in (
        Assumption(
            "seed",
            "Random numbers: what changes here is chance",
            "the study's seed",
            "another seed",
            seed=1_000_000,
        ),
        Assumption(
            "pareto-1.35",
            "Shape of the Pareto distribution of file sizes",
            "1.5",
            "1.35",
            scenario={"pareto_shape": 1.35},
        ),
        Assumption(
            "pareto-1.2",
            "Shape of the Pareto distribution of file sizes",
            "1.5",
            "1.2, as measured on the Web of the 1990s",
            scenario={"pareto_shape": 1.2},
        ),
        Assumption(
            "bic-paper",
            "BIC's largest and smallest step, and how much it gives up on a loss",
            "16 and 0.2 segments per round trip, a fifth (Linux); with these the window of one "
            "flow on the bench of two flows is the printed one within 0.1 %, of two within 1.4 %",
            "32 and 0.01 segments per round trip, an eighth (the algorithm's paper); with these "
            "the windows are 5 % and 3 % too large",
            parameters={"bic:nist": {"s_max": 32, "s_min": 0.01, "decrease": 0.125}},
        ),
        Assumption(
            "fast-80",
            "FAST's alpha",
            "200 segments",
            "80 segments, which the bench of two flows prints",
            parameters={"fast": {"alpha": 80}},
        ),
        Assumption(
            "fast-20",
            "FAST's alpha",
            "200 segments",
            "20 segments",
            parameters={"fast": {"alpha": 20}},
        ),
        Assumption(
            "fast-at-200",
            "FAST-AT's alpha at the beginning",
            "8 segments, the lowest step",
            "200 segments, the highest, and never reduced: the far end of beginning there",
            parameters={"fast-at:nist": {"alpha_low": 200, "alpha_middle": 200, "alpha_high": 200}},
        ),
        Assumption(
            "fast-at-thresholds",
            "Throughputs at which FAST-AT's alpha steps up (and down)",
            "12,000 and 20,000 segments/s (10,000 and 18,000), fitted to the bench of two flows",
            "1,500 and 15,000 segments/s (1,250 and 12,500), those of the ns-2 model",
            parameters={
                "fast-at:nist": {
                    "low_up": 1_500,
                    "low_down": 1_250,
                    "high_up": 15_000,
                    "high_down": 12_500,
                }
            },
        ),
        Assumption(
            "rto-200ms",
            "Retransmission timers: before the first sample, and smallest",
            "3 s and 1 s (RFC 2988)",
            "1 s and 200 ms, as Linux has them",
            scenario={"transport": {"rto_initial": "1 s", "rto_min": "200 ms"}},
        ),
        Assumption(
            "syn-1s",
            "First wait for the answer to a SYN, which doubles",
            "3 s",
            "1 s",
            scenario={"transport": {"syn_timeout": "1 s"}},
        ),
        Assumption(
            "letters",
            "Which city has which letter, hence which routers have D-class access, where F- and "
            "N-class routers are, and where long-lived flows end",
            "from Seattle (A) to Washington (K)",
            "from Washington (A) to Seattle (K)",
            scenario={"topology": "abilene-reversed"},
        ),
        Assumption(
            "interfaces",
            "Line rates of hosts at scaled sizes (published: 8 and 80 packets/ms)",
            "those of the size",
            "twice those",
            interfaces=2.0,
        ),
    )
}
"""All of them by name. The users' patience is not among them: both experiments print that it has no
end. Nor is the threshold of slow start, which is printed."""
