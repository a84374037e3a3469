"""Runs and figures of the study `l4s`: Prague, CUBIC and Reno over queues of today."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl

from mesonet.plan import Plan, load_plan
from mesonet.scenario import Scenario
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.simulation import Run
from mesonet.studies import Item, Options, RunResults, chart, table, value

HERE = Path(__file__).parent
BOTTLENECKS = tuple(
    f"{queue}-{rate}" for rate in (50, 10) for queue in ("dualpi2", "droptail", "fq_codel")
)
"""Bottlenecks of the first test bed, in the order of `plan-bed.toml`: queue, rate [Mbit/s]."""
PAIRS = (
    "prague-10-cubic-10",
    "prague-20-cubic-20",
    "prague-80-cubic-80",
    "prague-10-cubic-160",
    "prague-160-cubic-10",
    "prague-10-prague-160",
    "cubic-10-cubic-160",
)
"""Pairs of flows, each with its round-trip time [ms], in the order of the plan."""
SHARED = ("fq_codel", "pie", "fq_codel-1ms", "pie-5ms")
"""Queues of `plan-shared.toml`."""
CLASSIC = ("cubic-ecn", "reno-ecn", "cubic-noecn", "reno-noecn")
"""Classic flows of `plan-shared.toml`, the algorithm fastest."""
PATHS = ("5ms", "10ms", "20ms", "40ms", "80ms", "20ms-5", "20ms-10")
"""Paths of `plan-paths.toml`."""
RTTS = (5, 10, 20, 40, 80, 20, 20)
"""Their round-trip times [ms]."""
TITLES = {
    "5ms": "5 ms, 1 + 1 flows",
    "10ms": "10 ms, 1 + 1 flows",
    "20ms": "20 ms, 1 + 1 flows",
    "40ms": "40 ms, 1 + 1 flows",
    "80ms": "80 ms, 1 + 1 flows",
    "20ms-5": "20 ms, 5 + 5 flows",
    "20ms-10": "20 ms, 10 + 10 flows, 200 Mbit/s",
}
"""Paths in words."""
TOLERANCE = 0.1
"""Largest difference of shares that agree, as a part of the link."""
FACTORS = {
    "signals": "signals of PI: evenly spaced, random",
    "ramp": "L4S queue: ramp from 0.8 to 1.2 ms, step at 1 ms",
    "prague": "`prague`, `prague:linux`",
    "floor": "Prague's least virtual RTT: 25 ms, none",
    "classic": "classic flow: `reno`, `cubic:linux`",
    "ecn": "classic flow: without ECN, with",
    "acks": "segments per ACK: 1, 2",
}
"""Factors of `plan-design.toml` in standard order, with their two levels."""
STANDARD = {
    "queue.t_update": "15 ms",
    "queue.alpha": 0.15,
    "queue.beta": 3,
    "queue.min_th": "800 us",
    "queue.range": "400 us",
    "queue.th_len": 1,
    "queue.classic_weight": 0.0625,
    "queue.min_backlog": 0,
    "queue.random": False,
}
"""DualPI2 with the values of RFC 9332, figure 2."""
STAGGER = 0.37
"""Further delay of the second flow from one replicate to the next [s]."""
CONCERNED: Mapping[str, tuple[str, ...]] = {
    "": ("bed", "second", "shared", "paths", "design"),
    "step-waits-for-a-queue": ("bed", "second"),
    "standard-values": ("bed", "second"),
    "classic-ecn": ("bed",),
    "fallback": ("shared",),
    "delay-both-ways": ("second",),
}
"""Plans that the scored runs and the variants need."""


def plans(_: Options) -> Mapping[str, Plan]:
    """No campaigns: the runs of the plan files are measured one by one."""
    return {}


def runs(options: Options) -> list[Item]:
    """The runs of all plans, every replicate with its own seed and start of the second flow."""
    concerned = CONCERNED.get(options.variant, CONCERNED[""])
    return [
        Item(
            run_name(plan, number, replicate),
            _started_later(scenario, replicate),
            measure_path if plan == "paths" else measure_pair,
            seed=options.run_seed + replicate,
            cost=scenario.bottleneck() * scenario.duration,
        )
        for plan in concerned
        for number, scenario in enumerate(_scenarios(plan, options.values))
        for replicate in range(int(options.values["replicates"]))
    ]


def run_name(plan: str, number: int, replicate: int) -> str:
    """Name of a run: its plan, the number of its condition from 0, and its replicate from 0."""
    return f"{plan}-{number}-{replicate}"


def _scenarios(plan: str, values: Mapping[str, Any]) -> Iterator[Any]:
    for run in load_plan(HERE / f"plan-{plan}.toml").runs():
        changes = _changes(plan, run.scenario, values)
        yield run.scenario.replace(changes) if changes else run.scenario


def _changes(plan: str, scenario: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Changes of a variant to a scenario, by path."""
    changes: dict[str, Any] = {}
    queue = scenario.to_dict()["queue"]
    if plan in ("bed", "second") and isinstance(queue, Mapping) and queue["kind"] == "dualpi2":
        if values["standard"]:
            changes |= STANDARD
        if values["th_len"]:
            changes["queue.th_len"] = values["th_len"]
    if plan == "bed" and values["ecn"]:
        changes["transport.ecn"] = True
    if plan == "shared" and values["fallback"]:
        changes["parameters"] = {"prague:linux": {"ecn_fallback": 1}}
    if plan == "second":
        changes["rtt"] = values["second_rtt"]
    return changes


def _started_later(scenario: Any, replicate: int) -> Scenario:
    """A scenario whose flows start later, all but the first, by the number of the replicate."""
    if not replicate:
        return scenario  # type: ignore[no-any-return]
    changes = {
        f"flows[{at}].start": f"{flow.start + STAGGER * replicate:g} s"
        for at, flow in enumerate(scenario.flows)
        if at
    }
    return scenario.replace(changes)  # type: ignore[no-any-return]


def measure_pair(run: Run) -> dict[str, Any]:
    """Goodput after the warm-up of every named flow [bit/s], by name."""
    start = _start(run)
    assert isinstance(run.scenario, Dumbbell)
    segment = run.scenario.packet.smss * 8
    sums = (
        run.flows.filter(pl.col("time") > start)
        .group_by("flow", maintain_order=True)
        .agg(pl.col("acked").sum())
    )
    seconds = run.scenario.duration - start
    return {"goodput": {name: acked * segment / seconds for name, acked in sums.iter_rows()}}


def measure_path(run: Run) -> dict[str, Any]:
    """Goodputs, windows, round-trip times and the base probability of a path with both kinds.

    Returns:
        `goodput` [bit/s], `cwnd` [segments] and `srtt` [s] after the warm-up of the flows whose
        names begin with `l` (Prague) and with `c` (CUBIC): sums of goodputs, means of the rest.
        `p`: mean of the base probability p' of the forward queue.
    """
    start = _start(run)
    late = run.flows.filter(pl.col("time") > start)
    states = run.queue_states.filter((pl.col("time") > start) & (pl.col("station") == "forward"))
    each = measure_pair(run)["goodput"]
    found: dict[str, Any] = {"goodput": {}, "cwnd": {}, "srtt": {}, "p": _mean(states["control"])}
    for kind in ("l", "c"):
        mine = late.filter(pl.col("flow").str.starts_with(kind))
        found["goodput"][kind] = sum(rate for name, rate in each.items() if name[0] == kind)
        found["cwnd"][kind] = _mean(mine["cwnd"])
        found["srtt"][kind] = _mean(mine["srtt"])
    return found


def _start(run: Run) -> float:
    """End of the warm-up [s], on the grid of intervals."""
    scenario = run.scenario
    return round(scenario.warm_up * scenario.duration / scenario.interval) * scenario.interval


def _mean(column: pl.Series) -> float:
    return float(column.mean())  # type: ignore[arg-type]


def figures(run: RunResults) -> Mapping[str, float]:
    """Figures of all parts; a part without runs has none."""
    parts = (_bed_figures, _second_figures, _shared_figures, _path_figures, _design_figures)
    return {name: value for part in parts for name, value in part(run).items()}


def _means(
    run: RunResults, plan: str, number: int, numbers: Mapping[str, Callable[..., float]]
) -> dict[str, float]:
    """Means over replicates of numbers of a condition; empty without any result."""
    names = [run_name(plan, number, at) for at in range(int(run.options.values["replicates"]))]
    found = [run.results[name] for name in names if name in run.results]
    if not found:
        return dict.fromkeys(numbers, math.nan)
    return {name: fmean(of(result) for result in found) for name, of in numbers.items()}


def _share(result: Mapping[str, Any]) -> float:
    first, second = result["goodput"].values()
    return float(first / (first + second))


_PAIR: Mapping[str, Callable[..., float]] = {
    "first": lambda result: result["goodput"]["0"] / 1e6,
    "second": lambda result: result["goodput"]["1"] / 1e6,
    "share": _share,
    "ratio": lambda result: result["goodput"]["0"] / result["goodput"]["1"],
}


def _bed_figures(run: RunResults) -> dict[str, float]:
    return {
        f"bed.{bottleneck}.{pair}.{name}": value
        for at, pair in enumerate(PAIRS)
        for below, bottleneck in enumerate(BOTTLENECKS)
        for name, value in _means(run, "bed", at * len(BOTTLENECKS) + below, _PAIR).items()
    }


def _second_figures(run: RunResults) -> dict[str, float]:
    return {f"second.{name}": value for name, value in _means(run, "second", 0, _PAIR).items()}


def _shared_figures(run: RunResults) -> dict[str, float]:
    return {
        f"shared.{queue}.{classic}.{name}": value
        for at, classic in enumerate(CLASSIC)
        for below, queue in enumerate(SHARED)
        for name, value in _means(run, "shared", at * len(SHARED) + below, _PAIR).items()
    }


_PATH: Mapping[str, Callable[..., float]] = {
    "ratio": lambda result: result["goodput"]["l"] / result["goodput"]["c"],
    "prague": lambda result: (
        result["cwnd"]["l"] * 2 * result["p"] * max(25e-3 / result["srtt"]["l"], 1)
    ),
    "cubic": lambda result: result["cwnd"]["c"] * result["p"],
    "rtt_prague": lambda result: result["srtt"]["l"] * 1e3,
    "rtt_cubic": lambda result: result["srtt"]["c"] * 1e3,
}


def _path_figures(run: RunResults) -> dict[str, float]:
    return {
        f"paths.{path}.{name}": value
        for number, path in enumerate(PATHS)
        for name, value in _means(run, "paths", number, _PATH).items()
    }


def formula(rtt: float) -> float:
    """Rate of a Prague flow over that of a CUBIC flow by RFC 9332, appendix C.2.

    Args:
        rtt: base round-trip time of both [ms].
    """
    return (rtt + 15) / (1.4 * max(rtt, 25))


def _design_figures(run: RunResults) -> dict[str, float]:
    """Geometric mean and range of the ratio, and factors by which the second levels multiply it."""
    numbers = {"log": lambda result: math.log(result["goodput"]["l"] / result["goodput"]["c"])}
    y = [_means(run, "design", number, numbers)["log"] for number in range(2 ** len(FACTORS))]
    found = {"mean": fmean(y), "least": min(y), "most": max(y)}
    for at, name in enumerate(FACTORS):
        low, high = (
            fmean(log for number, log in enumerate(y) if number >> at & 1 == level)
            for level in (0, 1)
        )
        found[f"effect.{name}"] = high - low
    return {f"design.{name}": math.exp(log) for name, log in found.items()}


@value
def with_ecn(run: RunResults) -> Mapping[str, float]:
    """Figures under the variant in which CUBIC has ECN; empty where it was not run."""
    return run.variants["classic-ecn"].figures if "classic-ecn" in run.variants else {}


@table
def bed(run: RunResults, rate: int = 50) -> Any:
    """Goodputs of the pairs of the first test bed beside those that it printed."""
    from mesonet.page.tables import table as laid_out
    from mesonet.page.tables import words

    rows = [
        {
            "flows": printed["flows"],
            "queue": printed["queue"],
            "ours": _pair_text(run.figures, name),
            "ecn": _pair_text(with_ecn(run), name),
            "theirs": f"{printed['first']} / {printed['second']}",
            "verdict": _verdict(run.figures[f"{name}.share"] - printed["share"]),
        }
        for printed in published()
        if printed["rate"] == rate
        for name in [f"bed.{printed['bottleneck']}.{printed['pair']}"]
    ]
    columns = [
        words("flows", "flows"),
        words("queue", "queue"),
        words("ours", "ours"),
        words("ecn", "ours, CUBIC with ECN"),
        words("theirs", "test bed"),
        words("verdict", "share"),
    ]
    return laid_out(f"l4s-bed-{rate}", pl.DataFrame(rows), columns)


def _pair_text(figures: Mapping[str, float], name: str) -> str:
    if f"{name}.first" not in figures:
        return "–"
    return f"{figures[f'{name}.first']:.1f} / {figures[f'{name}.second']:.1f}"


def _verdict(difference: float) -> str:
    return f"{difference:+.2f}" if abs(difference) <= TOLERANCE else f"{difference:+.2f}: off"


def published() -> list[dict[str, Any]]:
    """Rows of the first test bed: goodputs [Mbit/s] and the part of the first flow."""
    return pl.read_csv(HERE / "test-bed.csv").to_dicts()


@table
def shared(run: RunResults) -> Any:
    """Ratios of goodputs in shared queues, without and with Prague's fallback."""
    from mesonet.page.tables import numbers, words
    from mesonet.page.tables import table as laid_out

    other = run.variants["fallback"].figures if "fallback" in run.variants else {}
    rows = [
        {
            "queue": printed["title"],
            "flow": printed["flow"],
            "ours": run.figures[name],
            "fallback": other.get(name, math.nan),
            "theirs": printed["ratio"],
        }
        for printed in pl.read_csv(HERE / "shared-queue.csv").to_dicts()
        for name in [f"shared.{printed['queue']}.{printed['classic']}.ratio"]
    ]
    columns = [
        words("queue", "queue"),
        words("flow", "classic flow"),
        numbers("theirs", "test bed"),
        numbers("ours", "ours"),
        numbers("fallback", "ours, with fallback"),
    ]
    return laid_out("l4s-shared", pl.DataFrame(rows), columns)


@table
def effects(run: RunResults) -> Any:
    """Factors by which the second level of each factor multiplies the ratio."""
    from mesonet.page.tables import table as laid_out
    from mesonet.page.tables import words

    rows = [
        {"factor": words_of.replace("`", ""), "effect": run.figures[f"design.effect.{name}"]}
        for name, words_of in FACTORS.items()
    ]
    return laid_out(
        "l4s-effects",
        pl.DataFrame(rows),
        [words("factor", "factor, two levels"), _decimals("effect", "ratio is multiplied by")],
    )


@table
def constants(run: RunResults) -> Any:
    """Ratio and constants of the formula on seven paths."""
    from mesonet.page.tables import table as laid_out
    from mesonet.page.tables import words

    rows = [
        {"path": TITLES[path], "formula": formula(rtt)}
        | {name: run.figures[f"paths.{path}.{name}"] for name in _PATH}
        for path, rtt in zip(PATHS, RTTS, strict=True)
    ]
    columns = [
        words("path", "path"),
        _decimals("ratio", "ratio"),
        _decimals("formula", "formula"),
        _decimals("prague", "Prague: w x 2 p' (2)"),
        _decimals("cubic", "CUBIC: w x p' (1.22)"),
        _decimals("rtt_prague", "RTT of Prague (ms)", 1),
        _decimals("rtt_cubic", "of CUBIC (ms)", 1),
    ]
    return laid_out("l4s-constants", pl.DataFrame(rows), columns)


def _decimals(name: str, heading: str, digits: int = 2) -> Any:
    from mesonet.page.tables import Column

    return Column(name, heading, lambda value: f"{value:.{digits}f}")


@chart
def shares(run: RunResults) -> Any:
    """Parts of the first flow beside those of the test bed, a panel per bottleneck."""
    from mesonet.studies.l4s.charts import shares_chart

    return shares_chart(
        [
            row | {"ours": run.figures[f"bed.{row['bottleneck']}.{row['pair']}.share"]}
            for row in published()
        ],
        tolerance=TOLERANCE,
    )


@chart
def ratios(run: RunResults) -> Any:
    """Ratio of a Prague to a CUBIC flow on seven paths beside the formula's."""
    from mesonet.studies.l4s.charts import ratios_chart

    return ratios_chart(
        [
            {
                "path": TITLES[path],
                "measured": run.figures[f"paths.{path}.ratio"],
                "formula": formula(rtt),
            }
            for path, rtt in zip(PATHS, RTTS, strict=True)
        ]
    )
