"""The two-flow bench: red alone for 250 s, then red and blue over one bottleneck.

Access routers forward 21 packets/ms and buffer a fifth of what the path holds; hosts send 80
packets/ms. Source: NIST SP 500-282 (2010), section 5.4, and its methodology paper.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mesonet.controller import discipline_for
from mesonet.run import Run
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.keywords import dumbbell
from mesonet.studies.bench import Item
from mesonet.studies.study import Options

RATE = 21
"""Capacity of the bottleneck [packets/ms]."""
HOST_RATE = 80
"""Line rate of the hosts [packets/ms]."""
RTTS = (42, 162, 324)
"""Base round-trip times [ms]."""
REFERENCE_RTT = 162
"""Round-trip time of the published results [ms]."""
JOIN = 250.0
"""Start of blue [s]."""
DURATION = 1000.0
"""Simulated time [s]."""
HOST_JITTER = f"{1000 / RATE:.1f} us"
"""Longest random delay at a host, what the bottleneck takes for a packet: no phase decides."""
PARAMETERS: dict[str, dict[str, float]] = {"fast": {"alpha": 80.0}, "fast:nist": {"alpha": 80.0}}
"""Settings that the source states for this bench."""

_BINS = 200
"""Points of a curve."""


def parameter_settings(
    parameters: Mapping[str, Mapping[str, float]], options: Options
) -> dict[str, str]:
    """Parameters that a source states for the algorithms that run, in words."""
    return {
        f"Parameters of {name}": ", ".join(f"{key} = {value:g}" for key, value in values.items())
        for name, values in parameters.items()
        if name in options.chosen
    }


def path_packets(rtt_ms: int) -> int:
    """Capacity of the path without a queue [packets]: rate times round-trip time."""
    return RATE * rtt_ms


def buffer_packets(rtt_ms: int) -> int:
    """Room in the bottleneck's buffer [packets]: a fifth of what the path holds, rounded down."""
    return math.floor(Fraction(path_packets(rtt_ms), 5))


def two_flow_scenario(
    algorithm: str,
    *,
    rtt_ms: int = REFERENCE_RTT,
    ssthresh: float = math.inf,
    transport: Mapping[str, Any] | None = None,
) -> Dumbbell:
    """The bench for one algorithm, at a round-trip time [ms] and an initial threshold [segments].

    Only the access router before the long path has more traffic than it can forward: the backbone
    (82 packets/ms) and the router behind it never queue. So one router stands for all four.
    """
    parameters = PARAMETERS.get(algorithm)
    return dumbbell(
        rate=f"{RATE} p/ms",
        rtt=f"{rtt_ms} ms",
        buffer=f"{buffer_packets(rtt_ms)} packets",
        queue=discipline_for(algorithm),
        access_rate=f"{HOST_RATE} p/ms",
        flows=[
            {"algorithm": algorithm, "name": "red"},
            {"algorithm": algorithm, "name": "blue", "start": f"{JOIN:g} s"},
        ],
        parameters={algorithm: parameters} if parameters else {},
        profile="mesonet",
        transport={"host_jitter": HOST_JITTER, **(transport or {})},
        initial_ssthresh="inf" if math.isinf(ssthresh) else ssthresh,
        interval="100 ms",
        duration=f"{DURATION:g} s",
    )


SETTINGS = tuple(
    (rtt, threshold)
    for threshold in (math.inf, 100.0)
    for rtt in sorted(RTTS, key=lambda rtt: rtt != REFERENCE_RTT)
)
"""Round-trip times [ms] and initial thresholds [segments], the published setting first."""


def threshold_text(threshold: float) -> str:
    """An initial threshold as text: "100", or "inf" for none."""
    return f"{threshold:g}"


def setting_name(rtt_ms: int, threshold: float) -> str:
    """A setting in words."""
    limit = threshold_text(threshold)
    limit = "no initial threshold" if limit == "inf" else f"threshold {limit}"
    return f"{rtt_ms} ms, {limit}"


def two_flow_items(
    settings: Iterable[tuple[int, float]],
    algorithms: Iterable[str],
    *,
    seed: int = 1,
    transport: Mapping[str, Any] | None = None,
    models: Mapping[str, str] | None = None,
) -> list[Item]:
    """The runs of the study: every algorithm, or the model in its place, under every setting."""
    return [
        Item(
            run_name(algorithm, rtt, threshold),
            two_flow_scenario(
                (models or {}).get(algorithm, algorithm),
                rtt_ms=rtt,
                ssthresh=threshold,
                transport=transport,
            ),
            measure_two_flows,
            seed=seed,
            cost=RATE * 1000 * DURATION,
        )
        for rtt, threshold in settings
        for algorithm in dict.fromkeys(algorithms)
    ]


def run_name(algorithm: str, rtt_ms: int, threshold: float) -> str:
    """Name of a run: unique in the study."""
    return f"{algorithm}-{rtt_ms}ms-sst-{threshold_text(threshold)}"


def measure_two_flows(run: Run) -> dict[str, Any]:
    """Figures and curves of a run.

    Windows and queues in packets; uses and shares as parts of the capacity; the first flow of the
    scenario is red. "Alone" is 0 to 250 s, "late" 50 to 250 s, "both" 250 s to the end, "end" the
    last 250 s.
    """
    scenario = run.scenario
    assert isinstance(scenario, Dumbbell)
    per_interval = scenario.bottleneck() * scenario.interval
    path = scenario.bottleneck() * scenario.rtt
    time = run.series["time"].to_numpy()
    names = scenario.forward_flows()[:2]
    window, use = (
        np.array([run.flows.filter(flow=name)[column].to_numpy() for name in names], dtype=float)
        for column in ("cwnd", "acked")
    )
    use /= per_interval
    queue = run.queues["packets"].to_numpy().astype(float)
    # Counters carry the time at which their interval ends.
    half = scenario.interval / 2
    alone = time < JOIN + half
    both, late, end = ~alone, alone & (time > 50 + half), time > scenario.duration - 250 + half
    total = window.sum(axis=0)
    shares = use[:, both].mean(axis=1)
    dropped, injected = (float(run.series[name].sum()) for name in ("dropped", "injected"))
    figures = {
        "alone_window": window[0, alone].mean(),
        "alone_window_late": window[0, late].mean(),
        "alone_excess": window[0, alone].mean() - path,
        "alone_use": use[0, alone].mean(),
        "alone_variation": _variation(window[0, late]),
        "alone_queue": queue[alone].mean(),
        "red_window": window[0, both].mean(),
        "blue_window": window[1, both].mean(),
        "both_window": total[both].mean(),
        "both_excess": total[both].mean() - path,
        "both_use": shares.sum(),
        "both_queue": queue[both].mean(),
        "both_variation": _variation(total[end]),
        "red_share": shares[0],
        "blue_share": shares[1],
        "blue_part": _part(use[:, both]),
        "blue_part_end": _part(use[:, end]),
        "loss": dropped / injected if injected else math.nan,
        "timeouts": float(run.series["timeouts"].sum()),
    }
    return {
        "figures": {name: float(value) for name, value in figures.items()},
        "curves": _curves(time, window, use, queue),
    }


def _variation(values: NDArray[np.float64]) -> float:
    """Standard deviation as a part of the mean."""
    return float(values.std() / values.mean()) if values.size and values.mean() else math.nan


def _part(use: NDArray[np.float64]) -> float:
    """Blue's part of what both delivered."""
    total = use.sum()
    return float(use[1].sum() / total) if total else math.nan


def _curves(
    time: NDArray[np.float64],
    window: NDArray[np.float64],
    use: NDArray[np.float64],
    queue: NDArray[np.float64],
) -> dict[str, list[float]]:
    """Means and ranges in equal stretches of time, fine enough to draw."""
    parts = np.array_split(np.arange(time.size), min(_BINS, time.size))
    curves = {"time": [round(float(time[part].mean()), 2) for part in parts]}
    for name, values in (("red", window[0]), ("blue", window[1]), ("queue", queue)):
        curves[name] = [round(float(values[part].mean()), 1) for part in parts]
        curves[f"{name}_low"] = [round(float(values[part].min()), 1) for part in parts]
        curves[f"{name}_high"] = [round(float(values[part].max()), 1) for part in parts]
    for name, row in (("red_use", use[0]), ("blue_use", use[1])):
        curves[name] = [round(float(row[part].mean()), 4) for part in parts]
    return curves
