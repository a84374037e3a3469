"""RTT fairness: two flows whose round-trip times differ, over 200 Mbit/s.

Source: slides on HCC TCP (after L. Xu et al., JNCA 2011): ns-2, one shared link of 200 Mbit/s,
FIFO buffers of 600 and 2000 packets, packets of 1000 bytes, 300 s. Efficiency is the sum of the
two throughputs, fairness Jain's index of them. The round-trip time of the first flow is not
printed with the table; we take 40 ms, twice the 20 ms that the slides give for the shared link. Nor
is it printed when the flows start; at the same time, the only order in which FAST shares equally.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from mesonet.controller import discipline_for
from mesonet.dumbbell import Dumbbell, dumbbell
from mesonet.simulate import Run
from mesonet.studies.bench import Item
from mesonet.studies.lab import Size

RATE = 200.0
"""Capacity [Mbit/s]."""
RATIOS = (1.0, 1.5, 2.0, 6.0)
"""Round-trip time of the second flow over that of the first."""
BUFFERS = (600, 2000)
"""Room in the bottleneck's buffer [packets]."""
BASE_RTT = 0.04
"""Round-trip time of the first flow [s]."""
DURATION = 300.0
"""Simulated time [s]."""
PARAMETERS: dict[str, dict[str, float]] = {"fast": {"alpha": 400.0}, "hcc": {"alpha": 400.0}}
"""Settings that the source states."""
EDITION = 1

ALGORITHMS = {
    "HSTCP": "hstcp",
    "STCP": "scalable",
    "HTCP": "htcp",
    "BIC TCP": "bic",
    "TCP-Illinois": "illinois",
    "FAST TCP": "fast",
    "HCC TCP": "hcc",
}
"""The source's algorithms by the names they have here."""

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


def published(label: str, buffer: int, ratio: float) -> tuple[float, float] | None:
    """Printed throughputs of the two flows [Mbit/s]; None where nothing is printed."""
    row = _PRINTED[buffer].get(label)
    if row is None or ratio not in RATIOS[1:]:
        return None
    place = 2 * RATIOS[1:].index(ratio)
    return row[place], row[place + 1]


def jain(first: float, second: float) -> float:
    """Jain's index of two throughputs: 1 if equal, a half if one has everything."""
    squares = first * first + second * second
    return (first + second) ** 2 / (2 * squares) if squares else 1.0


def fairness_scenario(algorithm: str, *, ratio: float, buffer: int) -> Dumbbell:
    """The second flow's round trip is `ratio` times the first's; both start at 0 s.

    Raises:
        ScenarioError: the algorithm has no valid name.
    """
    given = PARAMETERS.get(algorithm)
    return dumbbell(
        rate=f"{RATE:g} Mbit/s",
        rtt=f"{BASE_RTT * 1000:g} ms",
        buffer=f"{buffer} packets",
        discipline=discipline_for(algorithm),
        packet={"smss": 960, "header": 40, "control": 40},
        flows=[
            {"algorithm": algorithm, "name": "first"},
            {
                "algorithm": algorithm,
                "name": "second",
                "rtt": f"{BASE_RTT * ratio * 1000:g} ms",
            },
        ],
        parameters={algorithm: given} if given else {},
        transport={"ack_every": 1},
        interval="100 ms",
        duration=f"{DURATION:g} s",
    )


def run_name(algorithm: str, ratio: float, buffer: int) -> str:
    """Name of a run: unique in the study."""
    return f"{algorithm}-{ratio:g}-{buffer}"


def fairness_items(size: Size, algorithms: Iterable[str]) -> list[Item]:
    """The runs of the study.

    Raises:
        ScenarioError: an algorithm has no valid name.
    """
    ratios = RATIOS if size == "full" else (1.0, 6.0)
    return [
        Item(
            run_name(algorithm, ratio, buffer),
            fairness_scenario(algorithm, ratio=ratio, buffer=buffer),
            measure_fairness,
            edition=EDITION,
            cost=RATE * 125 * DURATION,
        )
        for buffer in BUFFERS
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
    results: Mapping[str, Mapping[str, Any]], algorithms: Iterable[str]
) -> pl.DataFrame:
    """One row per run: throughputs, efficiency and Jain's index, measured and published."""
    labels = {name: label for label, name in ALGORITHMS.items()}
    rows = []
    for buffer in BUFFERS:
        for algorithm in algorithms:
            for ratio in RATIOS:
                result = results.get(run_name(algorithm, ratio, buffer))
                if result is None:
                    continue
                printed = published(labels.get(algorithm, ""), buffer, ratio)
                first, second = result["first"], result["second"]
                rows.append(
                    {
                        "algorithm": algorithm,
                        "buffer": buffer,
                        "ratio": ratio,
                        **result,
                        "efficiency": first + second,
                        "jain": jain(first, second),
                        "published_first": printed and printed[0],
                        "published_second": printed and printed[1],
                        "published_efficiency": printed and sum(printed),
                        "published_jain": printed and jain(*printed),
                    }
                )
    return pl.DataFrame(rows, schema=_SCHEMA)


_MEASURED = ("first", "second", "queue", "efficiency", "jain")
_PUBLISHED = tuple(f"published_{name}" for name in ("first", "second", "efficiency", "jain"))
_SCHEMA = {"algorithm": pl.String, "buffer": pl.Int64, "ratio": pl.Float64} | dict.fromkeys(
    (*_MEASURED, *_PUBLISHED), pl.Float64
)


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
                    total = _beside(total, f"{both[1]:.1f}", efficiency_agrees(*both))
                    index = _beside(index, f"{indices[1]:.3f}", jain_agrees(*indices))
                cells += [total, index]
            parts.append(f"| {algorithm} | {' | '.join(cells)} |\n")
        parts.append("\n")
    return "".join(parts)


def efficiency_agrees(measured: float, published: float) -> bool:
    """Within 2 %."""
    return abs(measured / published - 1) <= 0.02


def jain_agrees(measured: float, published: float) -> bool:
    """Within 0.05; the index of two flows lies between 0.5 and 1."""
    return abs(measured - published) <= 0.05


def _beside(measured: str, printed: str, agrees: bool) -> str:
    return f"{measured} ({printed})" if agrees else f"*{measured}* ({printed})"


def write_fairness_pages(
    results: Mapping[str, Mapping[str, Any]], algorithms: Iterable[str], folder: Path
) -> Path:
    """Writes rtt-fairness.csv and .md into a folder; returns the path of the latter."""
    frame = fairness_frame(results, algorithms)
    frame.write_csv(folder / "rtt-fairness.csv")
    page = folder / "rtt-fairness.md"
    text = (
        "Efficiency and Jain's index by ratio of round-trip times; published values in brackets. "
        "Italics differ from them: by more than 2 %, or by more than 0.05."
    )
    page.write_text(f"# RTT fairness\n\n{text}\n\n{fairness_markdown(frame)}", "utf-8")
    return page
