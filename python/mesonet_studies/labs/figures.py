"""Figures that the claims about the laboratory rest on, from the stored numbers of its runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import median

import numpy as np

from mesonet_studies.labs.laboratory import QUEUE, RATE, THRESHOLD
from mesonet_studies.labs.measures import (
    BIN,
    RunNumbers,
    loss_events,
    mean_rate,
    queue_peak,
    rates,
    slope,
)

Runs = Mapping[str, RunNumbers]
"""Stored numbers of the runs of an experiment, by their names in it."""

LINK = RATE / 1e6
"""Rate of the link [Mbit/s]."""
FULL = 0.9 * LINK
"""A receive rate that uses the link [Mbit/s]."""
ADDITIVE_AT = 1.1
"""Time at which the report sees additive increase [s]."""


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
    one, other = run["flows"]["A"], run["flows"]["B"]
    first = min(_end(one), _end(other))
    gap = np.abs(rates(run, "A", 0, first) - rates(run, "B", 0, first))
    time, queue = np.array(run["time"]), np.array(run["queue"])
    windows = np.array([one["window"], other["window"]])[:, time <= first]
    additive = max(_last_additive(one, first)[0], _last_additive(other, first)[0])
    times = [[time for time, _ in flow["restarts"] if time < first] for flow in (one, other)]
    gaps = [
        min((abs(time - there) for there in theirs), default=math.inf)
        for mine, theirs in (times, times[::-1])
        for time in mine
    ]
    inside = queue[(time >= additive) & (time <= first)]
    return {
        "two.rate_gap": float(gap.mean()) / LINK,
        "two.window_gap": float(np.abs(windows[0] - windows[1]).mean() / windows.mean()),
        "two.loss_gap": max(gaps, default=math.nan),
        "two.loss_events": float(len(loss_events(run))),
        "two.queue_additive": float(inside.max()) if inside.size else math.nan,
        "two.queue_slope": slope(run, additive, min(one["last_sent"], other["last_sent"])),
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
    """Figures of one flow with another decrease than the standard one.

    Their names begin with `name`. Beside it run `standard`, the same flow with the standard
    decrease, and `long`, a larger file.
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
    """Figures of the run `competing`: blue keeps half, red five sixths.

    Args:
        runs: the run.
        lowers: quantity that a decrease applies to, "window" or "threshold".
    """
    run = runs["competing"]
    flows = run["flows"]
    found = loss_events(run)
    starts = [event[0] for event in found[:2]]
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
