"""NIST's Experiments 1a and 1b: one algorithm for all, congestion in one part of the network."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from mesonet.plan import Plan
from mesonet.scenario.tiers import INTERFACE_RATES
from mesonet.studies.nist.assumptions import ASSUMPTIONS
from mesonet.studies.nist.exp1_1b import LATENCIES
from mesonet.studies.nist.exp1_bench import cut_items
from mesonet.studies.nist.exp1_claims import claims
from mesonet.studies.nist.exp1_measured import measured
from mesonet.studies.nist.exp1_tables import figures as table_figures
from mesonet.studies.plans import study_plan
from mesonet.studies.study import Options, Prepared, RunResults, Size, Study, StudyOutput

CAMPAIGN = "conditions"
"""Name of the campaign, and of its folder."""
SIZES: Mapping[str, Mapping[Size, tuple[float, float, float]]] = {
    "nist-1a": {
        "pocket": (0.005, 20.0, 0.05),
        "desk": (0.03, 80.0, 0.2),
        "full": (1.0, 1500.0, 1.0),
    },
    "nist-1b": {
        "pocket": (0.05, 25.0, 0.05),
        "desk": (0.5, 120.0, 0.5),
        "full": (1.0, 1500.0, 1.0),
    },
}
"""Scale of hosts and router speeds, simulated time [s] and scale of the line rates of hosts, by
experiment and size. Line rates shrink with the routers, or single hosts would overrun them; in 1a
not as far, or transfers would outlast the thinking between them."""
SMALLEST_BUFFER: Mapping[str, float] = {"nist-1a": 4070.0, "nist-1b": 611.0}
"""Buffer of one round trip in an N-class router at full size and the minus levels [packets]."""
BURST = 100.0
"""Larger mean size of a Web object [packets]; most fit into slow start."""
LOSS_FREE = frozenset(
    {
        "loss.smallest",
        "loss.congested",
        "condition-12.different",
        "outliers.condition-12",
        "retransmission.equal",
        "retransmission.equal_as_printed",
    }
)
"""Figures of conditions that lose nothing."""
LABELS: Mapping[str, str] = {
    "bic:nist": "BIC",
    "ctcp:nist": "CTCP",
    "fast": "FAST",
    "fast-at:nist": "FAST-AT",
    "hstcp:nist": "HSTCP",
    "htcp:nist": "HTCP",
    "scalable:nist": "Scalable",
    "reno": "Reno",
    "cubic": "CUBIC",
    "bbr1": "BBR1",
    "bbr3": "BBR3",
}
"""Labels of the algorithms in figures, by name; the last three came after the experiment."""
INTERPRETATIONS: Mapping[str, Mapping[str, Any]] = {
    "ours": {"jumbo": {"start": 0.6, "end": 0.8, "factor": 100}},
    "slides": {"jumbo": {"start": 0.6, "end": 0.9, "factor": 100}},
    "paper": {"jumbo": {"start": 0.6, "end": 0.8, "factor": 10}},
    "timers": {
        "jumbo": {"start": 0.6, "end": 0.8, "factor": 100},
        **ASSUMPTIONS["rto-200ms"].scenario,
    },
}
"""Changes of the scenario. The sources contradict each other on the large files, and say nothing of
retransmission timers, which decide how much is lost under congestion."""
PROCESSOR_HOURS: Mapping[str, float] = {"nist-1a": 16_598.4, "nist-1b": 1_658.0}
"""Processor time of the published experiments [h]."""


def experiment_plan(
    name: str,
    options: Options,
    *,
    interpretation: str = "ours",
    scaled: tuple[float, float, float] | None = None,
) -> Plan:
    """The plan of "nist-1a" or "nist-1b" at a size.

    Args:
        name: name of the experiment.
        options: size, algorithms, seed and replicates.
        interpretation: one of `INTERPRETATIONS`.
        scaled: Scale, simulated time and scale of line rates; by default those of the size.

    Raises:
        PlanError: an option does not fit.
    """
    scale, duration, interfaces = scaled or SIZES[name][options.size]
    scenario = {
        **INTERPRETATIONS[interpretation],
        "scale": scale,
        "duration": f"{duration:g} s",
        "interface_speeds": [
            f"{interfaces * rate / 1000:g} p/ms" for rate in INTERFACE_RATES.values()
        ],
    }
    return study_plan(name, options, labels=LABELS, scenario=scenario)


def part_of_full(name: str, size: Size) -> float:
    """Hosts times duration, as a part of the published ones."""
    scale, duration, _ = SIZES[name][size]
    return scale * duration / SIZES[name]["full"][1]


def _prepare(name: str, interpretation: str) -> Callable[[Options], Prepared]:
    def prepare(options: Options) -> Prepared:
        plan = experiment_plan(name, options, interpretation=interpretation)
        algorithms = [str(each.set["algorithms"]) for each in plan.alternatives]
        return Prepared(
            lambda run_results: _evaluate(name, options.size, run_results),
            items=cut_items(algorithms) if name == "nist-1b" else (),
            plans={CAMPAIGN: plan},
            settings=_settings(plan, interpretation),
        )

    return prepare


def _evaluate(name: str, size: Size, run_results: RunResults) -> StudyOutput:
    from mesonet.studies.nist.exp1_page import facts, sections

    campaign = run_results.campaigns[CAMPAIGN]
    frame = campaign.results()
    figures = dict.fromkeys(needed(name), math.nan)
    found = table_figures(name)
    if not frame.is_empty():
        found |= measured(frame, part=part_of_full(name, size))
        found = decided(name, size, found)
        found |= latency_factors(found)
    found |= cut_figures(run_results.results)
    figures |= {key: value for key, value in found.items() if key in figures}
    if frame.is_empty():
        return StudyOutput(figures)
    timings = campaign.timings()
    page = sections(
        name,
        frame,
        timings,
        found,
        part=part_of_full(name, size),
        published_hours=PROCESSOR_HOURS[name],
    )
    return StudyOutput(figures, page, facts(frame, timings))


def needed(name: str) -> list[str]:
    """Names of all figures that claims of an experiment rest on."""
    return [figure for claim in claims(name) for figure in claim.rule.needs]


def decided(name: str, size: Size, figures: Mapping[str, float]) -> dict[str, float]:
    """Figures of an experiment at a size with those undefined that its runs cannot decide.

    * Latencies: the period before the congestion must be as long as the longest that is printed.
    * Recovery: the congestion must have taken half of the long-lived flows' goodput.
    * Where nothing is lost: N-class routers with buffers of one round trip must hold a burst of a
      Web object.

    Latencies that were seen all the same stay under names that end in `_seen`.
    """
    scale, duration, _ = SIZES[name][size]
    long_enough = duration / 5 >= max(pair[0] for pair in LATENCIES.values())
    decides = {
        "goodput": long_enough,
        "recovery": long_enough and figures.get("long.most_kept", math.inf) <= 0.5,
    }
    found = dict(figures)
    for figure, value in figures.items():
        for kind, able in decides.items():
            if figure.endswith((f".{kind}_latency", f".{kind}_place")):
                found[f"{figure}_seen"] = value
                found[figure] = value if able else math.nan
    if SMALLEST_BUFFER[name] * scale < BURST:
        found |= dict.fromkeys(LOSS_FREE & set(found), math.nan)
    return found


def latency_factors(figures: Mapping[str, float]) -> dict[str, float]:
    """Typical factor between printed and measured latencies, either way; NaN if any is missing."""
    found = {}
    for place, kind in enumerate(("goodput", "recovery")):
        ratios = [
            abs(math.log(figures.get(f"{label}.{kind}_latency", math.nan) / pair[place]))
            for label, pair in LATENCIES.items()
        ]
        found[f"latency.{kind}_factor"] = math.exp(sum(ratios) / len(ratios))
    return found


def cut_figures(results: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Parts of the window that are kept after a loss, by algorithm and for the claims."""
    kept = {
        label: float(results[f"cut-{name}"]["kept"])
        for name, label in LABELS.items()
        if f"cut-{name}" in results
    }
    found = {f"kept.{label}": value for label, value in kept.items()}
    three = [kept.get(label, math.nan) for label in ("Scalable", "BIC", "HSTCP")]
    half = [abs(kept.get(label, math.nan) - 0.5) for label in ("CTCP", "FAST", "FAST-AT")]
    for name, values, choose in (
        ("kept.smallest_of_three", three, min),
        ("kept.away_from_half", half, max),
    ):
        missing = any(math.isnan(value) for value in values)
        found[name] = math.nan if missing else choose(values)
    return found


def _settings(plan: Plan, interpretation: str) -> dict[str, str]:
    scenario: Any = plan.scenario
    jumbo = scenario.jumbo
    return {
        "Algorithms": ", ".join(str(each.set["algorithms"]) for each in plan.alternatives),
        "FAST's alpha": "200 segments; the publication does not print it",
        "Scale": f"{scenario.scale:g} of the published router speeds and numbers of hosts",
        "Line rates of hosts": " and ".join(
            f"{rate / 1000:g}" for rate in scenario.interface_speeds
        )
        + " packets/ms (published: 8 and 80)",
        "Simulated time": f"{scenario.duration:g} s; the first two fifths are not measured",
        "Initial slow-start threshold": f"{scenario.initial_ssthresh:g} segments",
        "Large files": (
            f"times {jumbo.factor:g} from {jumbo.start:g} to {jumbo.end:g} of the run, between "
            f'D-class access routers (interpretation "{interpretation}")'
        ),
        "Pareto shape of file sizes": f"{scenario.pareto_shape:g}; not published",
        "Order of the factors": ", ".join(factor.name for factor in plan.factors),
        "Replicates": str(plan.replicates),
        "Seed": str(plan.seed),
    }


_TITLES = {
    "nist-1a": "Experiment 1a: spatiotemporal congestion, seven algorithms, high initial threshold",
    "nist-1b": "Experiment 1b: spatiotemporal congestion, eight algorithms, low initial threshold",
}
_QUESTION = (
    "How do proposed replacements of standard TCP react to congestion in one part of a national "
    "network, and recover from it, when every source uses the same one?"
)
_SOURCE = (
    "NIST SP 500-282 (2010), as told by its slides (Measurement Science for Complex Information "
    "Systems) and its methodology paper"
)


def _words(name: str) -> dict[Size, str]:
    runs = {"nist-1a": 224, "nist-1b": 256}[name]
    words: dict[Size, str] = {}
    for size, (scale, duration, interfaces) in SIZES[name].items():
        low, high = (round(count * scale) for count in {
            "nist-1a": (174_600, 278_000), "nist-1b": (17_460, 27_800)
        }[name])  # fmt: skip
        scaled = (
            "exactly as published"
            if scale == 1
            else f"router speeds and hosts scaled by {scale:g}, line rates of hosts by "
            f"{interfaces:g}, periods of {duration / 5:g} s instead of "
            "300 s"
        )
        words[size] = (
            f"{runs} runs of {duration:g} simulated seconds, {low:,} or {high:,} sources; {scaled}"
        )
    return words


def _study(name: str, interpretation: str = "ours") -> Study:
    own = name if interpretation == "ours" else f"{name}-{interpretation}"
    suffix = "" if interpretation == "ours" else f" (interpretation “{interpretation}”)"
    return Study(
        name=own,
        title=_TITLES[name] + suffix,
        question=_QUESTION,
        source=_SOURCE,
        sizes=_words(name),
        prepare=_prepare(name, interpretation),
        claims=claims(name),
    )


STUDIES: Mapping[str, Study] = {
    study.name: study
    for name in ("nist-1a", "nist-1b")
    for study in (_study(name, interpretation) for interpretation in INTERPRETATIONS)
}
