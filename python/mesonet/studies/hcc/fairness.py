"""RTT fairness: two flows whose round-trip times differ; figure 12 of the slides, a table.

Efficiency is the sum of the two throughputs, fairness Jain's index of them. The round-trip time of
the first flow is not printed with the table; we take 40 ms, twice the 20 ms that the slides give
for the shared link. Nor is it printed when the flows start; at the same time, the only order in
which FAST shares equally.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from mesonet.scenario.dumbbell import Dumbbell
from mesonet.simulate import Run
from mesonet.studies.bench import Item, Results
from mesonet.studies.hcc.scenarios import BASE_RTT, DURATION, RATE, lab, label_of

RATIOS = (1.5, 2.0, 6.0)
"""Round-trip time of the second flow over that of the first, as published."""
EQUAL = 1.0
"""The ratio that is measured beside them."""
BUFFERS = (600, 2000)
"""Room in the bottleneck's buffer [packets]."""
EDITION = 1

# Throughputs of the two flows [Mbit/s] at the ratios 1.5, 2 and 6.
_PRINTED: dict[int, dict[str, tuple[float, ...]]] = {
    600: {
        "HSTCP": (197.91, 1.68, 196.75, 2.76, 198.57, 0.66),
        "STCP": (199.53, 0.08, 199.24, 0.29, 199.54, 0.02),
        "HTCP": (175.96, 9.38, 184.64, 6.09, 166.89, 9.31),
        "BIC TCP": (199.02, 0.62, 199.00, 0.62, 199.31, 0.34),
        "TCP-Illinois": (156.56, 42.28, 173.75, 23.15, 195.81, 2.93),
        "FAST TCP": (187.13, 12.43, 190.11, 9.44, 186.76, 6.21),
        "HCC TCP": (177.03, 22.45, 179.19, 20.26, 182.33, 16.18),
    },
    2000: {
        "HSTCP": (196.82, 2.84, 199.35, 0.23, 199.01, 0.32),
        "STCP": (198.74, 0.93, 199.45, 0.12, 197.69, 1.26),
        "HTCP": (189.87, 9.79, 189.55, 10.00, 168.39, 30.28),
        "BIC TCP": (199.33, 0.31, 198.17, 1.33, 199.03, 0.63),
        "TCP-Illinois": (130.19, 69.27, 161.90, 37.56, 168.30, 31.13),
        "FAST TCP": (100.18, 99.40, 100.35, 99.22, 102.77, 96.77),
        "HCC TCP": (99.94, 99.55, 100.13, 99.33, 103.31, 96.11),
    },
}

# Jain's index at the same ratios.
_PRINTED_JAIN: dict[int, dict[str, tuple[float, float, float]]] = {
    600: {
        "HSTCP": (0.5085, 0.5140, 0.5033),
        "STCP": (0.5004, 0.5015, 0.5001),
        "HTCP": (0.5532, 0.5329, 0.5556),
        "BIC TCP": (0.5031, 0.5031, 0.5017),
        "TCP-Illinois": (0.7517, 0.6309, 0.5150),
        "FAST TCP": (0.5661, 0.5495, 0.5332),
        "HCC TCP": (0.6248, 0.6116, 0.5880),
    },
    2000: {
        "HSTCP": (0.5144, 0.5012, 0.5016),
        "STCP": (0.5047, 0.5006, 0.5064),
        "HTCP": (0.5514, 0.5526, 0.6742),
        "BIC TCP": (0.5016, 0.5067, 0.5032),
        "TCP-Illinois": (0.9147, 0.7201, 0.6788),
        "FAST TCP": (1.0000, 1.0000, 0.9991),
        "HCC TCP": (1.0000, 1.0000, 0.9987),
    },
}


@dataclass(frozen=True)
class TimingInterpretation:
    """Order and timing of the two flows, which the slides leave open.

    Attributes:
        base: Round-trip time of the first flow [s].
        start: Start of the second flow [s]; the first starts at 0 s.
        short_first: True if the flow with the shorter round trip starts first.
    """

    base: float = BASE_RTT
    start: float = 0.0
    short_first: bool = True

    @property
    def suffix(self) -> str:
        """Suffix of the names of runs under an interpretation; empty for the one that is scored."""
        if self == SCORED:
            return ""
        order = "" if self.short_first else "-long-first"
        return f"-base-{self.base * 1000:g}ms-start-{self.start:g}s{order}"


SCORED = TimingInterpretation()
"""Interpretation that is scored."""


def published(label: str, buffer: int, ratio: float) -> tuple[float, float] | None:
    """Printed throughputs of the two flows [Mbit/s]; None where nothing is printed."""
    row = _PRINTED[buffer].get(label)
    if row is None or ratio not in RATIOS:
        return None
    place = 2 * RATIOS.index(ratio)
    return row[place], row[place + 1]


def published_jain(label: str, buffer: int, ratio: float) -> float:
    """The printed Jain's index."""
    return _PRINTED_JAIN[buffer][label][RATIOS.index(ratio)]


def jain(first: float, second: float) -> float:
    """Jain's index of two throughputs: 1 if equal, a half if one has everything."""
    squares = first * first + second * second
    return (first + second) ** 2 / (2 * squares) if squares else 1.0


def fairness_scenario(
    algorithm: str,
    *,
    ratio: float,
    buffer: int,
    interpretation: TimingInterpretation = SCORED,
    duration: float = DURATION,
) -> Dumbbell:
    """The second flow's round trip is `ratio` times the first's.

    Raises:
        ScenarioError: the algorithm has no valid name.
    """
    long = {"rtt": f"{interpretation.base * ratio * 1000:g} ms"}
    first: dict[str, Any] = {"algorithm": algorithm, "name": "first"}
    second: dict[str, Any] = {"algorithm": algorithm, "name": "second", **long}
    if interpretation.start:
        late = second if interpretation.short_first else first
        late["start"] = f"{interpretation.start:g} s"
    return lab([first, second], buffer=buffer, rtt=interpretation.base, duration=duration)


def run_name(
    algorithm: str, ratio: float, buffer: int, interpretation: TimingInterpretation = SCORED
) -> str:
    """Name of a run: unique in the study."""
    return f"{algorithm}-{ratio:g}-{buffer}{interpretation.suffix}"


def fairness_items(
    algorithms: Iterable[str],
    *,
    ratios: Sequence[float] = RATIOS,
    buffers: Sequence[int] = BUFFERS,
    interpretation: TimingInterpretation = SCORED,
    duration: float = DURATION,
    seed: int = 1,
) -> list[Item]:
    """Runs of the table.

    Raises:
        ScenarioError: an algorithm has no valid name.
    """
    return [
        Item(
            run_name(algorithm, ratio, buffer, interpretation),
            fairness_scenario(
                algorithm,
                ratio=ratio,
                buffer=buffer,
                interpretation=interpretation,
                duration=duration,
            ),
            measure_fairness,
            edition=EDITION,
            seed=seed,
            cost=RATE * 125 * duration,
        )
        for buffer in buffers
        for ratio in ratios
        for algorithm in dict.fromkeys(algorithms)
    ]


def measure_fairness(run: Run) -> dict[str, Any]:
    """Throughputs of the two flows over the whole run [Mbit/s], headers included; mean queue."""
    assert isinstance(run.scenario, Dumbbell)
    packet = run.scenario.packet
    bits = 8 * (packet.smss + packet.header)
    segments = [float(run.flows.filter(flow=name)["acked"].sum()) for name in ("first", "second")]
    first, second = (each * bits / run.scenario.duration / 1e6 for each in segments)
    forward = run.queues.filter(station="forward")["packets"].to_numpy()
    return {"first": first, "second": second, "queue": float(np.mean(forward))}


def fairness_frame(
    results: Results,
    algorithms: Iterable[str],
    *,
    interpretation: TimingInterpretation = SCORED,
) -> pl.DataFrame:
    """One row per run: throughputs, efficiency and Jain's index, measured and published."""
    algorithms = list(algorithms)
    rows = []
    for buffer in BUFFERS:
        for algorithm in algorithms:
            for ratio in (EQUAL, *RATIOS):
                result = results.get(run_name(algorithm, ratio, buffer, interpretation))
                if result is None:
                    continue
                printed = published(label_of(algorithm), buffer, ratio)
                first, second = result["first"], result["second"]
                rows.append(
                    {
                        "algorithm": algorithm,
                        "buffer": buffer,
                        "ratio": ratio,
                        "first": first,
                        "second": second,
                        "queue": result["queue"],
                        "efficiency": first + second,
                        "jain": jain(first, second),
                        "published_first": printed and printed[0],
                        "published_second": printed and printed[1],
                        "published_efficiency": printed and sum(printed),
                        "published_jain": printed
                        and published_jain(label_of(algorithm), buffer, ratio),
                    }
                )
    return pl.DataFrame(rows, schema=_SCHEMA)


_MEASURED = ("first", "second", "queue", "efficiency", "jain")
_PUBLISHED = tuple(f"published_{name}" for name in ("first", "second", "efficiency", "jain"))
_SCHEMA = {"algorithm": pl.String, "buffer": pl.Int64, "ratio": pl.Float64} | dict.fromkeys(
    (*_MEASURED, *_PUBLISHED), pl.Float64
)

EFFICIENCY_WITHIN = 0.02
"""Part of the printed efficiency by which a measured one may differ."""
JAIN_WITHIN = 0.05
"""Distance in Jain's index; that of two flows lies between 0.5 and 1."""


def fairness_markdown(frame: pl.DataFrame) -> str:
    """The tables of the manual: efficiency and Jain's index per algorithm, one per buffer size."""
    parts = []
    for buffer in BUFFERS:
        mine = frame.filter(buffer=buffer)
        if mine.is_empty():
            continue
        ratios = sorted(mine["ratio"].unique())
        head = "".join(f" | {ratio:g}: Mbit/s | Jain" for ratio in ratios)
        parts.append(
            f"Buffer of {buffer} packets:\n\n| Algorithm{head} |\n|---{'|---|---' * len(ratios)}|\n"
        )
        for (algorithm,), group in mine.group_by("algorithm", maintain_order=True):
            cells = []
            for row in group.sort("ratio").iter_rows(named=True):
                total, index = f"{row['efficiency']:.1f}", f"{row['jain']:.3f}"
                if row["published_jain"] is not None:
                    both = row["efficiency"], row["published_efficiency"]
                    indices = row["jain"], row["published_jain"]
                    near = abs(both[0] / both[1] - 1) <= EFFICIENCY_WITHIN
                    total = _beside(total, f"{both[1]:.1f}", near)
                    near = abs(indices[0] - indices[1]) <= JAIN_WITHIN
                    index = _beside(index, f"{indices[1]:.3f}", near)
                cells += [total, index]
            parts.append(f"| {algorithm} | {' | '.join(cells)} |\n")
        parts.append("\n")
    return "".join(parts)


def _beside(measured: str, printed: str, agrees: bool) -> str:
    return f"{measured} ({printed})" if agrees else f"*{measured}* ({printed})"
