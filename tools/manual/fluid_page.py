"""Solves the fluid model and runs the engine over a design, and writes docs/models/fluid.md.

    python tools/manual/fluid_page.py

A quarter of an hour of one quiet core. The page comes from templates/fluid.md.j2, the picture is
docs/images/fluid.png.
"""

from __future__ import annotations

import io
import itertools
import math
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
from mesonet.fluid import known
from mesonet.responses import compute

sys.path.insert(0, str(Path(__file__).resolve().parent))
from templating import environment

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
KEPT = ROOT / "python" / "mesonet" / "data" / "fluid-errors.csv"
"""Errors of every condition, which `mesonet plan --screen` prints beside its means."""
LOSSES = (0.0, 1e-4, 1e-3)
ALONE = [
    *itertools.product(("reno", "cubic"), LOSSES, (1, 16), ("0.25 bdp", "1 bdp", "4 bdp")),
    *itertools.product(("bbr1",), LOSSES[::2], (1, 16), ("0.5 bdp", "1 bdp", "2 bdp", "8 bdp")),
]
"""Algorithm, random loss, flows and buffer of the rows with one algorithm."""
BESIDE = [*itertools.product(("reno", "cubic"), (1, 8), ("0.5 bdp", "1 bdp", "2 bdp", "8 bdp"))]
"""What is beside as many flows of BBR, how many, and the buffer."""
NETWORKS = [
    *itertools.product(("reno", "cubic"), LOSSES[::2], ("0.25 bdp", "1 bdp", "4 bdp")),
    *itertools.product(("bbr1",), LOSSES[::2], ("0.5 bdp", "1 bdp", "8 bdp")),
]
"""Algorithm, random loss at each hop, and buffer of the parking lots."""
HOPS, CROSSING = 3, 2
"""Hops of a parking lot, and flows over all of them, as over each."""
PATHS = tuple(itertools.product(("20 Mbit/s", "100 Mbit/s"), ("20 ms", "80 ms")))
DURATION, WARM_UP = 200, 0.4
"""Simulated time [s], and its part before anything is measured."""
SHOWN = 80
"""Time that the picture shows [s]."""
COSTS: dict[str, dict[str, Any]] = {
    "slow": {"rate": "20 Mbit/s", "rtt": "20 ms", "flows": 16, "duration": 200},
    "fast": {"rate": "10 Gbit/s", "rtt": "40 ms", "flows": 100, "duration": 30},
}
"""Worlds whose costs are compared; durations in seconds."""


class Errors(NamedTuple):
    """Fluid minus engine for the flows of an algorithm, and the processor times of both [s]."""

    share: float
    """Of the capacity [1]."""
    window: float
    """Over the window of the engine [1]."""
    queue: float
    """Over the buffer [1]."""
    loss: float
    """Loss rate over that of the engine [1]; NaN where either has none."""
    segments: float
    """Window of the engine."""
    carried: float
    """Share of the engine [1]."""
    engine_time: float
    fluid_time: float


def scenario(flows: dict[str, int], loss: float, buffer: str, path: tuple[str, str]) -> Any:
    """A condition of the design."""
    return mesonet.dumbbell(
        rate=path[0],
        rtt=path[1],
        buffer=buffer,
        loss=loss,
        flows=[mesonet.flow(name, count=count) for name, count in flows.items()],
        duration=f"{DURATION} s",
        warm_up=WARM_UP,
    )


class NetworkErrors(NamedTuple):
    """Fluid minus engine in a parking lot, of the flows over all hops and of those over one."""

    carried: float
    """Share of the flows over all hops in the engine [1]."""
    share: float
    """Error of it, of the capacity [1]."""
    through: float
    """Of their window, over the engine's [1]."""
    across: float
    """Of the window of the others, over the engine's [1]."""
    queue: float
    """Of the first hop's queue, over the buffer [1]."""


def network_errors(algorithm: str, loss: float, buffer: str, path: tuple[str, str]) -> Any:
    """Fluid beside engine in a parking lot."""
    world = mesonet.parking_lot(
        rate=path[0],
        rtt=path[1],
        buffer=buffer,
        loss=loss,
        hops=HOPS,
        flows=[mesonet.flow(algorithm, name="through", count=CROSSING)],
        cross=[mesonet.flow(algorithm, name="across", count=CROSSING)],
        duration=f"{DURATION} s",
        warm_up=WARM_UP,
    )
    run, late = mesonet.simulate(world, seed=1), pl.col("time") > WARM_UP * world.duration
    solved = fluid.solve(world).filter(late).group_by("hops", maintain_order=True)
    means = solved.agg(pl.col("window", "queue", "rate").mean())
    through, first, *_ = means.iter_rows(named=True)
    answers = compute(run.measurements, ["flow_goodput:through", "mean_queue"])
    windows = [
        run.flows.filter(late & pl.col("flow").str.contains(name))["cwnd"].mean()
        for name in ("through", "across")
    ]
    measured = CROSSING * answers["flow_goodput:through"] / world.bottleneck()
    return NetworkErrors(
        measured,
        CROSSING * through["rate"] / world.bottleneck() - measured,
        through["window"] / windows[0] - 1,
        means.filter(pl.col("hops") != f"1 to {HOPS}")["window"].mean() / windows[1] - 1,
        (first["queue"] - answers["mean_queue"]) / fluid.path_of(world).room,
    )


def errors(world: Any) -> dict[str, Errors]:
    """Fluid beside engine in one condition, by algorithm."""
    begin = time.process_time()
    run = mesonet.simulate(world, seed=1)
    middle = time.process_time()
    solved = fluid.solve(world)
    end = time.process_time()
    path = fluid.path_of(world)
    by_algorithm = {}
    for name, own in known.averaged(world, solved).items():
        answers = compute(run.measurements, [f"flow_goodput:{name}", *ENGINE])
        # Of one algorithm the link tells what it carries; of two the receivers tell it.
        carried = answers[f"flow_goodput:{name}"] * path.flows[name] / path.rate
        carried = answers["utilization"] if len(path.flows) == 1 else carried
        late = pl.col("time") > WARM_UP * world.duration
        mine = run.flows.filter(late & pl.col("flow").str.starts_with(f"{name}"))
        window = answers["flow_cwnd"] if len(path.flows) == 1 else mine["cwnd"].mean()
        lost = solved.filter(late)["loss"].mean(), answers["loss_rate"]
        by_algorithm[name] = Errors(
            own.share - carried,
            own.window / window - 1,
            own.queue - answers["mean_queue"] / path.room,
            lost[0] / lost[1] if len(path.flows) == 1 and min(lost) > 0 else math.nan,
            window,
            carried,
            middle - begin,
            end - middle,
        )
    return by_algorithm


ENGINE = ("utilization", "flow_cwnd", "mean_queue", "loss_rate")
Network = tuple[tuple[str, float, str], list[NetworkErrors]]
"""Algorithm, random loss and buffer of a row of parking lots, and the errors on all paths."""
Row = tuple[dict[str, Any], list[Errors]]
"""Condition of a row of the page, and the errors on all paths."""


def rows_of(flows: dict[str, int], loss: float, buffer: str) -> list[Row]:
    """Rows of a condition: one for each algorithm in it."""
    own = [errors(scenario(flows, loss, buffer, path)) for path in PATHS]
    print(flows, loss, buffer, flush=True)
    rows = []
    for name, count in flows.items():
        beside, others = next((it for it in flows.items() if it[0] != name), ("", 0))
        condition = {"algorithm": name, "beside": beside, "random": loss, "flows": count}
        condition |= {"others": others, "buffer": buffer}
        rows.append((condition, [it[name] for it in own]))
    return rows


def kept(rows: Sequence[Row]) -> pl.DataFrame:
    """Errors of every condition, in the units of the equations."""
    return pl.DataFrame(
        {
            **condition,
            "buffer": float(condition["buffer"].removesuffix(" bdp")),
            "rate": round(path.rate, 3),
            "rtt": path.rtt,
            **{name: round(getattr(it, name), 4) for name in known.Means._fields},
        }
        for condition, own in rows
        for it, place in zip(own, PATHS, strict=True)
        for path in [fluid.path_of(scenario({condition["algorithm"]: 1}, 0.0, "1 bdp", place))]
    )


def cells(own: Sequence[Errors]) -> list[str]:
    """The ranges of errors over the paths."""
    columns = list(zip(*own, strict=True))
    factors = [it for it in columns[3] if not math.isnan(it)]
    last = f"{min(factors):.1f} to {max(factors):.1f}" if factors else "none"
    return [*map(percent_range, columns[:3]), last]


def percent_range(values: Sequence[float]) -> str:
    """The smallest and the largest of errors, in percent."""
    text = f"{100 * min(values):+.0f} to {100 * max(values):+.0f}"
    return re.sub(r"[-+]0\b(?!\.)", "0", text).replace("-", "−")


def shares(own: Sequence[Errors] | Sequence[NetworkErrors]) -> str:
    """The range of the engine's shares over the paths."""
    carried = [it.carried for it in own]
    return f"{100 * min(carried):.0f} to {100 * max(carried):.0f}"


def largest(rows: Sequence[Row], field: str, above: float = 0, **conditions: Any) -> str:
    """Largest error of some conditions in percent; of loss rates, the largest factor.

    Only conditions count in which the engine's window has at least `above` segments. A tuple is of
    values that a field may have; without `beside`, only conditions of one algorithm count.
    """
    wanted = {"beside": ""} | conditions
    values = [
        getattr(it, field)
        for condition, own in rows
        if all(
            condition[name] in (value if isinstance(value, tuple) else (value,))
            for name, value in wanted.items()
        )
        for it in own
        if it.segments >= above
    ]
    if field == "loss":
        return f"{max(max(it, 1 / it) for it in values if not math.isnan(it)):.1f}"
    most = 100 * max(map(abs, values))
    return f"{most:.0f}" if most >= 1 else "below 1"


def costs(about: dict[str, Any]) -> dict[str, Any]:
    """A world of CUBIC flows, with the processor times of engine and fluid model [s]."""
    flows = [mesonet.flow("cubic", count=about["flows"])]
    changed = {"flows": flows, "duration": f"{about['duration']} s"}
    own = errors(mesonet.dumbbell(**{**about, **changed}))["cubic"]
    return {**about, "engine": own.engine_time, "fluid": own.fluid_time}


def chart() -> Any:
    """Mean windows over time, of engine and fluid model, a panel per algorithm."""
    panels = []
    for algorithm in ("reno", "cubic"):
        world = scenario({algorithm: 16}, 0.0, "1 bdp", PATHS[-1])
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
    rows = [row for name, loss, *it in ALONE for row in rows_of({name: it[0]}, loss, it[1])]
    for beside, count, buffer in BESIDE:
        rows += rows_of({"bbr1": count, beside: count}, 0.0, buffer)
    networks = []
    for condition in NETWORKS:
        networks.append((condition, [network_errors(*condition, path) for path in PATHS]))
        print(*condition, flush=True)
    write(rows, networks)
    # Few colours are in it; a palette of them takes an eighth of the room.
    image = Image.open(io.BytesIO(small_png(chart()))).convert("RGB")
    image.quantize(64).save(DOCS / "images" / "fluid.png", optimize=True)
    return 0


def network_cells(own: Sequence[NetworkErrors]) -> list[str]:
    """The shares of the engine, and the ranges of errors over the paths."""
    _, *columns = zip(*own, strict=True)
    return [shares(own), *map(percent_range, columns)]


def farthest(networks: Sequence[Network], field: str, *algorithms: str) -> str:
    """Largest error of parking lots in percent."""
    own = [it for condition, errors in networks if condition[0] in algorithms for it in errors]
    return f"{100 * max(abs(getattr(it, field)) for it in own):.0f}"


def write(rows: Sequence[Row], networks: Sequence[Network]) -> None:
    """Writes the page, and the errors that the library reads."""
    kept(rows).write_csv(KEPT)
    alone = [(condition, own) for condition, own in rows if not condition["beside"]]
    # Two rows of one condition follow one another: BBR's, and that of what is beside it.
    both = [it for it in rows if it[0]["beside"]]
    page = (
        environment()
        .get_template("fluid.md.j2")
        .render(
            rows=[(condition, cells(own)) for condition, own in alone],
            pairs=[
                (condition, [shares(own), cells(own)[0], cells(other)[0], cells(own)[2]])
                for (condition, own), (_, other) in zip(both[::2], both[1::2], strict=True)
            ],
            networks=[(condition, network_cells(own)) for condition, own in networks],
            hops=HOPS,
            crossing=CROSSING,
            farthest=partial(farthest, networks),
            largest=partial(largest, rows),
            costs={name: costs(about) for name, about in COSTS.items()},
            conditions=len(PATHS) * (len(alone) + len(both) // 2 + len(networks)),
            duration=DURATION,
            measured_from=round(WARM_UP * DURATION),
        )
    )
    (DOCS / "models" / "fluid.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
