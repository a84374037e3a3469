"""Runs, figures and charts of the student's laboratory; its five studies share them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mesonet.studies import Item, Options, RunResults, value
from mesonet_studies.labs import figures as measured
from mesonet_studies.labs.figures import Runs
from mesonet_studies.labs.laboratory import FIVE_SIXTHS, flow, laboratory
from mesonet_studies.labs.measures import RunNumbers, loss_events, measure_segments, repair

if TYPE_CHECKING:
    from mesonet.scenario.dumbbell import Dumbbell

STANDARD = "reno"
"""Algorithm of the report; nothing is published on others."""


def runs(options: Options) -> list[Item]:
    """The experiments of a study under each algorithm; variants have the standard one alone."""
    chosen = [name for name in options.chosen if not options.variant or name == STANDARD]
    return [
        Item(run_name(run, algorithm), scenario, measure_segments, seed=options.run_seed)
        for algorithm in chosen
        for run, scenario in scenarios(options.values, algorithm).items()
    ]


def scenarios(values: Mapping[str, Any], standard: str = STANDARD) -> dict[str, Dumbbell]:
    """Scenarios of the runs of a study by name; `standard` flows keep the usual decrease."""
    changed, found = values["decreases"][values["lowers"]], {}
    for name, run in values["runs"].items():
        flows = [
            flow(
                changed.get(each.get("decrease"), standard),
                size=f"{each.get('times', 1) * values['size']} B",
                **{key: it for key, it in each.items() if key not in ("decrease", "times")},
            )
            for each in run["flows"]
        ]
        own = {key: it for key, it in run.items() if key not in ("flows", "heading")}
        options = values["laboratory"] | own
        if any(each["algorithm"] == "aimd" for each in flows):
            options = {"parameters": {"aimd": {"decrease": FIVE_SIXTHS}}} | options
        found[name] = laboratory(flows, **options)
    return found


def figures(run: RunResults) -> Mapping[str, float]:
    """Figures of the runs under standard TCP; none if one of them is missing."""
    found = _runs(run, STANDARD)
    return {} if found is None else _FIGURES[run.options.study](found, run.options.values["lowers"])


def size(options: Options) -> str:
    """Words on a size that says which other algorithms run, too."""
    others = ", ".join(name for name in options.chosen if name != STANDARD)
    if STANDARD not in options.chosen:
        return f"the report's experiments under {others}; the report has standard TCP"
    return f"{options.words}; the experiments under {others}, too" if others else ""


def compared(run: RunResults) -> dict[str, str]:
    """Completion times of each experiment, and its number of loss events."""
    return {
        f"{each['heading']} [s]": _times(run.results[name]) if name in run.results else "–"
        for name, each in run.options.values["runs"].items()
        if "heading" in each
    }


@value
def shown(run: RunResults) -> list[dict[str, Any]]:
    """Algorithms whose runs are all there, for loops: names, and suffixes of titles."""
    return [
        {
            "name": name,
            "own": name == STANDARD,
            "mark": "" if name == STANDARD else f"-{name}",
            "words": "" if name == STANDARD else f", {name}",
            "before": run.options.values.get("report_figures", 0) * place,
            "repaired": run.options.study == "lab-reno" and _repair(run, name) is not None,
        }
        for place, name in enumerate(run.options.chosen)
        if _runs(run, name) is not None
    ]


@value
def judged(run: RunResults) -> bool:
    """Tests whether standard TCP, of which the report speaks, was asked for."""
    return STANDARD in run.options.chosen


@value
def algorithm(run: RunResults) -> str:
    """Algorithm that students are to try."""
    return STANDARD if STANDARD in run.options.chosen else run.options.chosen[0]


def run_name(run: str, algorithm: str) -> str:
    """Name of a run, unique in its study."""
    return run if algorithm == STANDARD else f"{run} {algorithm}"


def _runs(run: RunResults, algorithm: str) -> Runs | None:
    """The runs under an algorithm by their names in the experiment; None if one is missing."""
    names = {name: run_name(name, algorithm) for name in run.options.values["runs"]}
    if any(name not in run.results for name in names.values()):
        return None
    return {name: run.results[stored] for name, stored in names.items()}


def _repair(run: RunResults, algorithm: str) -> Any:
    return repair(run.results[run_name("one", algorithm)], "A")


def _times(run: RunNumbers) -> str:
    """Completion time of each flow [s], and the number of loss events."""
    flows = run["flows"].values()
    *some, last = (
        "never" if flow["completion"] is None else f"{flow['completion']:.2f}" for flow in flows
    )
    times = f"{', '.join(some)} and {last}" if some else last
    events = len(loss_events(run))
    return f"{times}; {events}\N{NO-BREAK SPACE}event{'s' * (events != 1)}"


def _standard(found: Runs, _lowers: str) -> Mapping[str, float]:
    all_of = measured.one_flow(found) | measured.two_flows(found) | measured.five_flows(found)
    return all_of | {"two.steeper": all_of["two.queue_slope"] - all_of["one.queue_slope"]}


def _aiad(found: Runs, _lowers: str) -> Mapping[str, float]:
    low, standard = (found[name]["flows"]["A"]["completion"] for name in ("low", "standard"))
    return measured.changed_decrease(found, "aiad") | {"aiad.low_threshold": low / standard}


def _aimd56(found: Runs, _lowers: str) -> Mapping[str, float]:
    own = measured.changed_decrease(found, "aimd56")
    aiad = measured.changed_decrease(found, "aiad")
    return own | {
        "aimd56.gain": aiad["aiad.completion"] - own["aimd56.completion"],
        "aimd56.to_aiad": own["aimd56.completion"] / aiad["aiad.completion"],
        "aimd56.falls_faster": own["aimd56.fall"] - aiad["aiad.fall"],
    }


_FIGURES: Mapping[str, Callable[[Runs, str], Mapping[str, float]]] = {
    "lab-reno": _standard,
    "lab-aiad": _aiad,
    "lab-aimd56": _aimd56,
    "lab-competing-aimd": measured.competing_flows,
    "lab-rtt": lambda found, _: measured.two_distances(found),
}
