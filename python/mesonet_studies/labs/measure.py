"""Runs, figures and charts of the student's laboratory; its five studies share them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from mesonet.studies import Item, Options, RunResults, value
from mesonet_studies.labs.laboratory import FIVE_SIXTHS, QUEUE, RATE, THRESHOLD, flow, laboratory
from mesonet_studies.labs.measures import (
    BIN,
    RunNumbers,
    loss_events,
    mean_rate,
    measure_segments,
    queue_peak,
    rates,
    repair,
    slope,
)

if TYPE_CHECKING:
    from mesonet.scenario.dumbbell import Dumbbell

Runs = Mapping[str, RunNumbers]
"""Stored numbers of the runs of an experiment, by their names in it."""

LINK = RATE / 1e6
"""Rate of the link [Mbit/s]."""
FULL = 0.9 * LINK
"""A receive rate that uses the link [Mbit/s]."""
ADDITIVE_AT = 1.1
"""Time at which the report sees additive increase [s]."""
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
    changed, experiments = values["decreases"][values["lowers"]], {}
    for name, run in values["runs"].items():
        flows = [
            flow(
                changed.get(settings.get("decrease"), standard),
                size=f"{settings.get('times', 1) * values['size']} B",
                **{key: it for key, it in settings.items() if key not in ("decrease", "times")},
            )
            for settings in run["flows"]
        ]
        own = {key: it for key, it in run.items() if key not in ("flows", "heading")}
        options = values["laboratory"] | own
        if any(flow["algorithm"] == "aimd" for flow in flows):
            options = {"parameters": {"aimd": {"decrease": FIVE_SIXTHS}}} | options
        experiments[name] = laboratory(flows, **options)
    return experiments


def figures(run: RunResults) -> Mapping[str, float]:
    """Figures of the runs under standard TCP; none if one of them is missing."""
    outcomes = _runs(run, STANDARD)
    return (
        {}
        if outcomes is None
        else _FIGURES[run.options.study](outcomes, run.options.values["lowers"])
    )


def facts(run: RunResults) -> dict[str, str]:
    """The algorithms under which the report's experiments, of standard TCP, are made."""
    return {"Algorithms": ", ".join(run.options.chosen)}


def compared(run: RunResults) -> dict[str, str]:
    """Completion times of each experiment, and its number of loss events."""
    return {
        f"{run_table['heading']} [s]": _times(run.results[name]) if name in run.results else "–"
        for name, run_table in run.options.values["runs"].items()
        if "heading" in run_table
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


def one_flow(runs: Runs) -> dict[str, float]:
    """Figures of the runs `one` and `long`, a file ten times as large."""
    run, long = runs["one"], runs["long"]
    flow = run["flows"]["A"]
    restarts = [time for time, _ in flow["restarts"]]
    later = [
        event[0]
        for event in long["flows"]["A"]["losses"]
        if len(restarts) > 1 and event[0] > restarts[1]
    ]
    last = restarts[-1] if restarts else 0.0
    start, _ = _last_additive(flow)
    return {
        "one.completion": _number(flow["completion"]),
        "one.level": median(rates(run, "A", 0.3, _end(flow) - BIN).tolist() or [math.nan]),
        "one.queue_full_at": run["full"][0] if run["full"] else math.nan,
        "one.queue_after_losses": queue_peak(run, last),
        "one.additive": float(any(a <= ADDITIVE_AT <= b for a, b in flow["additive"])),
        "one.restarts": float(len(restarts)),
        "one.loss_events": float(len(loss_events(run))),
        "one.queue_slope": slope(run, start, flow["last_sent"]),
        "long.lossless": later[0] - restarts[1] if later else math.nan,
    }


def two_flows(runs: Runs) -> dict[str, float]:
    """Figures of the run `two`, and of `one` for the slope of its queue."""
    run = runs["two"]
    first_flow, second_flow = run["flows"]["A"], run["flows"]["B"]
    first = min(_end(first_flow), _end(second_flow))
    gap = np.abs(rates(run, "A", 0, first) - rates(run, "B", 0, first))
    time, queue = np.array(run["time"]), np.array(run["queue"])
    windows = np.array([first_flow["window"], second_flow["window"]])[:, time <= first]
    additive = max(_last_additive(first_flow, first)[0], _last_additive(second_flow, first)[0])
    times = [
        [time for time, _ in flow["restarts"] if time < first] for flow in (first_flow, second_flow)
    ]
    gaps = [
        min((abs(time - there) for there in rival), default=math.inf)
        for own, rival in (times, times[::-1])
        for time in own
    ]
    inside = queue[(time >= additive) & (time <= first)]
    return {
        "two.rate_gap": float(gap.mean()) / LINK,
        "two.window_gap": float(np.abs(windows[0] - windows[1]).mean() / windows.mean()),
        "two.loss_gap": max(gaps, default=math.nan),
        "two.loss_events": float(len(loss_events(run))),
        "two.queue_additive": float(inside.max()) if inside.size else math.nan,
        "two.queue_slope": slope(
            run, additive, min(first_flow["last_sent"], second_flow["last_sent"])
        ),
    }


def five_flows(runs: Runs) -> dict[str, float]:
    """Figures of the run `five`."""
    run = runs["five"]
    flows = run["flows"]
    first = min(_end(flow) for flow in flows.values())
    joined = max(flow["first"] for flow in flows.values())
    middle = (joined + first) / 2
    shares = {name: mean_rate(run, name, middle, first) for name in flows}
    last = max(flows, key=lambda name: _end(flows[name]))
    newest = max(flows, key=lambda name: flows[name]["first"])
    squares = len(shares) * sum(rate * rate for rate in shares.values())
    return {
        "five.first_before": mean_rate(run, "A", BIN, joined),
        "five.first_shared": shares["A"],
        "five.newest_before": mean_rate(run, newest, joined, joined + 0.4),
        "five.newest_shared": shares[newest],
        "five.jain": sum(shares.values()) ** 2 / squares if squares else math.nan,
        "five.last_shared": shares[last],
        "five.last_after": mean_rate(run, last, first, _end(flows[last])),
    }


def changed_decrease(runs: Runs, name: str) -> dict[str, float]:
    """Figures of one flow with another decrease, beside `standard` and `long`, a larger file.

    Their names begin with `name`.
    """
    flow, long = runs[name]["flows"]["A"], runs["long"]
    peaks = [window for _, window in flow["restarts"] if window > QUEUE]
    done = _number(flow["completion"])
    middle, end = _end(long["flows"]["A"]) / 2, _end(long["flows"]["A"])
    return {
        f"{name}.completion": done,
        f"{name}.to_standard": done / _number(runs["standard"]["flows"]["A"]["completion"]),
        f"{name}.loss_events": float(len(loss_events(runs[name]))),
        f"{name}.fall": peaks[0] - peaks[1] if len(peaks) > 1 else math.nan,
        f"{name}.late_losses": float(sum(event[0] > middle for event in loss_events(long))),
        f"{name}.late_level": mean_rate(long, "A", middle, end - BIN) / LINK,
    }


def competing_flows(runs: Runs, lowers: str) -> dict[str, float]:
    """Figures of the run `competing`: blue keeps half of what a decrease lowers, red 5/6."""
    run = runs["competing"]
    flows = run["flows"]
    events = loss_events(run)
    starts = [event[0] for event in events[:2]]
    first = min(_end(flow) for flow in flows.values())
    # A loss event has been answered when both flows have restarted.
    answered = max(
        (flow["restarts"][1][0] for flow in flows.values() if len(flow["restarts"]) > 1),
        default=math.nan,
    )
    shares = {name: mean_rate(run, name, answered, first) for name in flows}
    thresholds = [_combined(flows, lowers, number) for number in (1, 2)]
    return {
        "competing.first_loss": starts[0] if starts else math.nan,
        "competing.second_loss": starts[1] if len(starts) > 1 else math.nan,
        "competing.thresholds_1": thresholds[0],
        "competing.thresholds_2": thresholds[1],
        "competing.red_to_blue": shares["red"] / shares["blue"] if shares["blue"] else math.nan,
    }


def two_distances(runs: Runs) -> dict[str, float]:
    """Figures of the run `rtt`: a far and a near host."""
    run = runs["rtt"]
    flows = run["flows"]
    near_end, far_end = _end(flows["near"]), _end(flows["far"])
    both = {name: mean_rate(run, name, 0, near_end) for name in flows}
    lost = {
        name: sum(time < near_end for time in flow["drops"][0])
        / max(sum(time < near_end for time in flow["sends"][0] + flow["repeats"][0]), 1)
        for name, flow in flows.items()
    }
    return {
        "rtt.near_part": both["near"] / (both["near"] + both["far"]),
        "rtt.far_before": both["far"],
        "rtt.far_after": mean_rate(run, "far", near_end, far_end),
        "rtt.near_to_full": _to_full(run, "near"),
        "rtt.far_to_full": _to_full(run, "far"),
        "rtt.excess_loss": lost["far"] - lost["near"],
    }


def _combined(flows: Mapping[str, RunNumbers], lowers: str, number: int) -> float:
    """Both thresholds after so many loss events [segments]."""
    total = 0.0
    for name, kept in (("blue", 1 / 2), ("red", 5 / 6)):
        restarts = flows[name]["restarts"]
        if lowers == "threshold":
            total += THRESHOLD / 1000 * kept**number
        elif len(restarts) < number:
            return math.nan
        else:
            total += kept * restarts[number - 1][1]
    return total


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _end(flow: RunNumbers) -> float:
    return math.inf if flow["done"] is None else float(flow["done"])


def _last_additive(flow: RunNumbers, before: float = math.inf) -> tuple[float, float]:
    """The last stretch of additive increase that begins before a time [s]; NaN if there is none."""
    stretches = [(a, b) for a, b in flow["additive"] if a < before]
    return stretches[-1] if stretches else (math.nan, math.nan)


def _to_full(run: RunNumbers, name: str) -> float:
    """Time from the first segment until the rate has reached the link's [s]; NaN if never."""
    flow = run["flows"][name]
    full = np.array(run["bins"])[np.array(flow["rate"]) >= FULL]
    return float(full[0] + BIN - flow["first"]) if full.size else math.nan


def _standard(outcomes: Runs, _lowers: str) -> Mapping[str, float]:
    all_of = one_flow(outcomes) | two_flows(outcomes) | five_flows(outcomes)
    return all_of | {"two.steeper": all_of["two.queue_slope"] - all_of["one.queue_slope"]}


def _aiad(outcomes: Runs, _lowers: str) -> Mapping[str, float]:
    times = (outcomes[name]["flows"]["A"]["completion"] for name in ("low", "standard"))
    low, standard = map(_number, times)
    return changed_decrease(outcomes, "aiad") | {"aiad.low_threshold": low / standard}


def _aimd56(outcomes: Runs, _lowers: str) -> Mapping[str, float]:
    own = changed_decrease(outcomes, "aimd56")
    aiad = changed_decrease(outcomes, "aiad")
    return own | {
        "aimd56.gain": aiad["aiad.completion"] - own["aimd56.completion"],
        "aimd56.to_aiad": own["aimd56.completion"] / aiad["aiad.completion"],
        "aimd56.falls_faster": own["aimd56.fall"] - aiad["aiad.fall"],
    }


_FIGURES: Mapping[str, Callable[[Runs, str], Mapping[str, float]]] = {
    "lab-reno": _standard,
    "lab-aiad": _aiad,
    "lab-aimd56": _aimd56,
    "lab-competing-aimd": competing_flows,
    "lab-rtt": lambda outcomes, _: two_distances(outcomes),
}
