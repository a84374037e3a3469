"""Solves the fluid model and runs the engine over a design, and writes docs/models/fluid.md.

    python tools/manual/fluid_page.py

Three minutes of one quiet core. The page comes from templates/fluid.md.j2, the picture is
docs/images/fluid.png.
"""

from __future__ import annotations

import io
import itertools
import re
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import altair as alt
import polars as pl
from pictures import small_png
from PIL import Image

import mesonet
from mesonet import fluid
from mesonet.figures.style import BLUE, VERMILLION, data, themed

sys.path.insert(0, str(Path(__file__).resolve().parent))
from templating import environment

DOCS = Path(__file__).resolve().parents[2] / "docs"
ALGORITHMS = ("reno", "cubic")
LOSSES = (0.0, 1e-4, 1e-3)
FLOWS = (1, 16)
BUFFERS = ("0.25 bdp", "1 bdp")
PATHS = tuple(itertools.product(("20 Mbit/s", "100 Mbit/s"), ("20 ms", "80 ms")))
DURATION, WARM_UP = 200, 0.4
"""Simulated time [s], and its part before anything is measured."""
SHOWN = 80
"""Time that the picture shows [s]."""
FAST: dict[str, Any] = {"rate": "10 Gbit/s", "rtt": "40 ms", "flows": 100, "duration": 30}
"""What the costs are compared in, too; the duration in seconds."""


class Errors(NamedTuple):
    """Fluid minus engine, and the times that both took [s]."""

    utilization: float
    """[1]"""
    window: float
    """Over the window of the engine [1]."""
    queue: float
    """Over the buffer [1]."""
    loss: float
    """Loss rate over that of the engine [1]."""
    segments: float
    """Window of the engine."""
    engine_time: float
    fluid_time: float


def scenario(algorithm: str, loss: float, flows: int, buffer: str, path: tuple[str, str]) -> Any:
    """A condition of the design."""
    return mesonet.dumbbell(
        rate=path[0],
        rtt=path[1],
        buffer=buffer,
        loss=loss,
        flows=[mesonet.flow(algorithm, count=flows)],
        duration=f"{DURATION} s",
        warm_up=WARM_UP,
    )


def errors(world: Any) -> Errors:
    """Fluid beside engine in one condition."""
    begin = time.perf_counter()
    answers = mesonet.simulate(world, seed=1).responses
    middle = time.perf_counter()
    solved = fluid.solve(world)
    end = time.perf_counter()
    means = solved.filter(pl.col("time") > WARM_UP * world.duration).mean().row(0, named=True)
    room = world.resolve()["stations"][0]["buffer"]["packets"]
    return Errors(
        means["rate"] * world.flow_count() / world.bottleneck() - answers["utilization"],
        means["window"] / answers["flow_cwnd"] - 1,
        (means["queue"] - answers["mean_queue"]) / room,
        means["loss"] / answers["loss_rate"],
        answers["flow_cwnd"],
        middle - begin,
        end - middle,
    )


Row = tuple[dict[str, Any], list[Errors]]


def row(algorithm: str, loss: float, flows: int, buffer: str) -> Row:
    """Conditions of a row of the page, and the errors on all paths."""
    own = [errors(scenario(algorithm, loss, flows, buffer, path)) for path in PATHS]
    print(algorithm, loss, flows, buffer, flush=True)
    return {"algorithm": algorithm, "random": loss, "flows": flows, "buffer": buffer}, own


def cells(own: Sequence[Errors]) -> list[str]:
    """The ranges of errors over the paths."""
    columns = list(zip(*own, strict=True))
    texts = [f"{100 * min(it):+.0f} to {100 * max(it):+.0f}" for it in columns[:3]]
    texts.append(f"{min(columns[3]):.1f} to {max(columns[3]):.1f}")
    return [re.sub(r"[-+]0\b(?!\.)", "0", text).replace("-", "−") for text in texts]


def largest(rows: Sequence[Row], field: str, above: float = 0, **conditions: Any) -> str:
    """Largest error of some conditions in percent; of loss rates, the largest factor.

    Only conditions count in which the engine's window has at least `above` segments.
    """
    values = [
        getattr(it, field)
        for condition, own in rows
        if conditions.items() <= condition.items()
        for it in own
        if it.segments >= above
    ]
    if field == "loss":
        return f"{max(max(it, 1 / it) for it in values):.1f}"
    most = 100 * max(map(abs, values))
    return f"{most:.0f}" if most >= 1 else "below 1"


def costs() -> dict[str, float]:
    """Times of engine and fluid model on a fast path [s]."""
    world = mesonet.dumbbell(
        rate=FAST["rate"],
        rtt=FAST["rtt"],
        flows=[mesonet.flow("cubic", count=FAST["flows"])],
        duration=f"{FAST['duration']} s",
    )
    both = errors(world)
    return {"engine": both.engine_time, "fluid": both.fluid_time}


def chart() -> Any:
    """Mean windows over time, of engine and fluid model, a panel per algorithm."""
    panels = []
    for algorithm in ALGORITHMS:
        world = scenario(algorithm, 0.0, FLOWS[1], BUFFERS[1], PATHS[-1])
        packets = mesonet.simulate(world, seed=1).flows
        mean = packets.group_by("time", maintain_order=True).agg(window=pl.col("cwnd").mean())
        frames = {"engine": mean, "fluid": fluid.solve(world)}
        drawn = pl.concat(
            frame.select("time", "window", model=pl.lit(name)) for name, frame in frames.items()
        ).filter(pl.col("time") <= SHOWN)
        colours = alt.Scale(domain=list(frames), range=[BLUE, VERMILLION])
        lines = alt.Chart(data(drawn)).mark_line(strokeWidth=1.4)
        panels.append(
            lines.encode(
                x=alt.X("time:Q", title="Time (s)"),
                y=alt.Y("window:Q", title="Mean window (segments)", scale=alt.Scale(zero=False)),
                color=alt.Color("model:N", scale=colours, title=None),
            ).properties(width=330, height=210, title=algorithm)
        )
    return themed(alt.hconcat(*panels, spacing=26))


def main(arguments: Sequence[str]) -> int:
    """The program; returns its exit status."""
    if arguments:
        print(f"{__doc__}", file=sys.stderr)
        return 2
    rows = [row(*it) for it in itertools.product(ALGORITHMS, LOSSES, FLOWS, BUFFERS)]
    every = [it for _, own in rows for it in own]
    page = (
        environment()
        .get_template("fluid.md.j2")
        .render(
            rows=[(condition, cells(own)) for condition, own in rows],
            largest=partial(largest, rows),
            fast={**FAST, **costs()},
            conditions=len(every),
            duration=DURATION,
            measured_from=round(WARM_UP * DURATION),
            engine_time=sum(it.engine_time for it in every),
            fluid_time=sum(it.fluid_time for it in every),
        )
    )
    (DOCS / "models" / "fluid.md").write_text(page, encoding="utf-8")
    # Few colours are in it; a palette of them takes an eighth of the room.
    image = Image.open(io.BytesIO(small_png(chart()))).convert("RGB")
    image.quantize(64).save(DOCS / "images" / "fluid.png", optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
