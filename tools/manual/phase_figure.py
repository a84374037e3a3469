"""Runs the bench of two flows at several phases, and draws blue's part for docs/images.

    python tools/manual/phase_figure.py results/phases.jsonl

A phase is a part of the time that the bottleneck takes for a packet, added to the round trip of
162 ms. Runs with host jitter, with three seeds, stand beside them. The file holds a line per run;
what it holds already is not run again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import altair as alt
from pictures import small_png

from mesonet.figures.style import BLUE, INK, VERMILLION, data, themed
from mesonet.simulation import simulate
from mesonet_studies.two_flow.runs import (
    HOST_JITTER,
    RATE,
    REFERENCE_RTT,
    measure_two_flows,
    two_flow_scenario,
)

OUT = Path(__file__).resolve().parents[2] / "docs" / "images" / "phase-effects.png"
ALGORITHMS = {
    "reno": "Reno",
    "scalable:nist": "Scalable",
    "fast:nist": "FAST",
    "fast-at:nist": "FAST-AT",
}
PHASES = 5
SEEDS = (1, 2, 3)


def cells() -> Iterator[tuple[str, str, float]]:
    """Algorithm, kind and number of every run: phases as parts of a packet's time, then seeds."""
    for name in ALGORITHMS:
        yield from ((name, "phase", place / PHASES) for place in range(PHASES))
        yield from ((name, "jitter", seed) for seed in SEEDS)


def measured(algorithm: str, kind: str, number: float) -> dict[str, Any]:
    """Figures of a run."""
    jitter, rtt, seed = HOST_JITTER, float(REFERENCE_RTT), int(number)
    if kind == "phase":
        jitter, rtt, seed = "0 s", REFERENCE_RTT + number / RATE, 1
    bench = two_flow_scenario(algorithm, transport={"host_jitter": jitter})
    run = simulate(bench.replace({"rtt": f"{rtt:.6f} ms"}), seed=seed)
    return measure_two_flows(run)["figures"]


def phase_chart(rows: Sequence[dict[str, Any]]) -> Any:
    """Blue's part of the goodput at the end, a row per algorithm."""
    shown = [
        {
            "algorithm": ALGORITHMS[row["algorithm"]],
            "what": {"phase": "phases", "jitter": "host jitter"}[row["what"]],
            "part": row["blue_part_end"],
        }
        for row in rows
        if row["algorithm"] in ALGORITHMS
    ]
    half = alt.Chart(data([{"half": 0.5}])).mark_rule(color=INK, strokeDash=[4, 3])
    points = alt.Chart(data(shown)).mark_point(filled=True, size=70, opacity=0.75)
    colours = alt.Scale(domain=["phases", "host jitter"], range=[BLUE, VERMILLION])
    drawn = points.encode(
        x=alt.X("part:Q", scale=alt.Scale(domain=[0, 1]), title="blue's part of the goodput"),
        y=alt.Y("algorithm:N", sort=list(ALGORITHMS.values()), title=None),
        yOffset=alt.YOffset("what:N", sort=["phases", "host jitter"]),
        color=alt.Color("what:N", scale=colours, title=None),
    )
    line = half.encode(x="half:Q")
    head = alt.TitleParams("Two flows, 162 ms: blue's part from 750 to 1000 s", anchor="start")
    return themed(alt.layer(line, drawn).properties(width=560, height=210, title=head))


def main(arguments: Sequence[str]) -> int:
    """The program; returns its exit status."""
    if len(arguments) != 1:
        print(f"{__doc__}", file=sys.stderr)
        return 2
    kept = Path(arguments[0])
    lines = kept.read_text("utf-8").splitlines() if kept.exists() else []
    rows = [json.loads(line) for line in lines]
    there = {(row["algorithm"], row["what"], float(row["x"])) for row in rows}
    for algorithm, kind, number in cells():
        if (algorithm, kind, float(number)) not in there:
            row = {"algorithm": algorithm, "what": kind, "x": number}
            rows.append(row | measured(algorithm, kind, number))
            kept.parent.mkdir(parents=True, exist_ok=True)
            with kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(rows[-1]) + "\n")
    OUT.write_bytes(small_png(phase_chart(rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
