"""Writes docs/validation/linux.md: what a kernel 6.18 did beside what mesonet does.

    python tools/peers/linux/page.py [--profile NAME]

linux-6.18.csv has the kernel's figures: means and deviations over `n` repeats, measured as
`measure.py` measures. Several repeats of mesonet are other seeds and, with two flows, other starts.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from worlds import FIGURES, NAMES, WORLDS, World, ours

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[2] / "docs" / "validation" / "linux.md"
CONFIGS = {
    "a1_A": ("short", "One flow, 10 Mbit/s, 20 ms, 100 packets", 1),
    "a1_B1": ("long", "One flow, 20 Mbit/s, 100 ms, 167 packets", 1),
    "a2_A": ("short-two", "Two flows, 10 Mbit/s, 20 ms, 100 packets", 3),
    "a2_B1": ("long-two", "Two flows, 20 Mbit/s, 100 ms, 167 packets", 3),
    "d_loss0.1pct": ("loss", "One flow, 50 Mbit/s, 40 ms, 167 packets, 0.1 % lost at random", 5),
}
"""Names of the reference: world, title, repeats of mesonet."""
METRICS = {
    "goodput": "goodput_mbps_f0",
    "share": "share_f0",
    "queue": "queue_pkts_mean",
    "cwnd": "cwnd_mean_f0",
    "wmax": "wmax_f0",
    "wmin": "wmin_f0",
    "period": "period_s_f0",
    "retransmitted": "retrans_whole_f0",
    "start_time": "ss_exit_t_f0",
    "start_threshold": "ss_exit_ssthresh_f0",
    "first_loss_time": "first_loss_t_f0",
    "first_losses": "first_loss_drops_f0",
}
START = {"start_time", "start_threshold", "first_loss_time", "first_losses"}
SAMPLED = 0.05
"""The kernel's end of slow start was noted in steps of so long [s]."""
APART = 0.37
"""Seconds by which the second flow starts later in each repeat."""


CHANGES: Mapping[str, Mapping[str, Any]] = {
    "all of it": {},
    "16 quick ACKs instead of 22": {"transport": {"quick_acks": 16}},
    "no quick ACKs": {"transport": {"quick_acks": 0}},
    "HyStart++ instead of HyStart": {"parameters": {"cubic:linux": {"hystart_linux": 0}}},
    "no PRR": {"transport": {"prr": "none"}},
    "SACKs open the window": {"transport": {"growth": "delivered"}},
}
"""Profile less one piece."""
WORTH = ("start_threshold", "first_losses", "retransmitted", "period", "queue")


JITTERS = (0.0, 20e-6, 50e-6, 100e-6, 200e-6)
"""Limits of the random delay at sending hosts [s]."""
JITTER_REPEATS = 5
JITTER_FIGURES = ("probe_period", "goodput", "cwnd", "queue")
PROBES = "bbr_probe_rtt_period_s_f0"
"""Probe period of the kernel, which is compared with jitter only."""


LATE: Mapping[str, Mapping[str, Any]] = {
    "at once": {},
    "all data up to 50 µs late": {"host_jitter": "50 us"},
    "all ACKs up to 50 µs late": {"ack_jitter": "50 us"},
    "all ACKs up to 400 µs late": {"ack_jitter": "400 us"},
    "0.1 % of ACKs up to 2 ms late": {"ack_jitter": "2 ms", "ack_jitter_share": 0.001},
    "0.1 % of ACKs up to 5 ms late": {"ack_jitter": "5 ms", "ack_jitter_share": 0.001},
    "0.3 % of ACKs up to 3 ms late": {"ack_jitter": "3 ms", "ack_jitter_share": 0.003},
    "1 % of ACKs up to 2 ms late": {"ack_jitter": "2 ms", "ack_jitter_share": 0.01},
}
"""Answers of hosts to packets that arrive."""
LATE_REPEATS = 5
LATE_FIGURES = {
    "queue": "queue_pkts_mean",
    "queue_low": "queue_pkts_p5",
    "queue_high": "queue_pkts_p95",
}


class Measured(NamedTuple):
    """A mean and its deviation from repeat to repeat."""

    mean: float
    sd: float


Kernel = Mapping[tuple[str, str], Measured]


def reference() -> dict[tuple[str, str], Measured]:
    """The kernel's figures by configuration and metric."""
    with (HERE / "linux-6.18.csv").open(encoding="utf-8", newline="") as file:
        return {
            (row["config"], row["metric"]): Measured(float(row["mean"]), float(row["sd"]))
            for row in csv.DictReader(file)
        }


def theirs(kernel: Kernel, config: str, figure: str) -> Measured | None:
    """A figure of the kernel; of two flows, the sum where we have one."""
    two = (config, "goodput_total_mbps") in kernel
    if two and figure == "goodput":
        return kernel[config, "goodput_total_mbps"]
    measured = kernel.get((config, METRICS.get(figure, "")))
    if two and figure == "retransmitted" and measured:
        other = kernel[config, "retrans_whole_f1"]
        return Measured(measured.mean + other.mean, float(np.hypot(measured.sd, other.sd)))
    return measured


def repeated(world: World, algorithm: str, profile: str, repeats: int) -> dict[str, Measured]:
    """Figures of mesonet over repeats."""
    rows = []
    for turn in range(1, repeats + 1):
        later = (turn - 1) * APART if len(world.starts) > 1 else 0.0
        starts = (world.starts[0], *(start + later for start in world.starts[1:]))
        since = world.since + later
        rows.append(ours(world._replace(starts=starts, since=since), algorithm, profile, turn))
    names = [name for name in FIGURES if any(name in row for row in rows)]
    values = {name: [row[name] for row in rows if name in row] for name in names}
    return {
        name: Measured(float(np.mean(of)), float(np.std(of, ddof=1)) if len(of) > 1 else 0.0)
        for name, of in values.items()
    }


def tolerance(config: str, algorithm: str, figure: str) -> float:
    """Difference that counts as agreement, as a share of the kernel's figure."""
    if algorithm == "bbr":
        return 0.05 if figure == "goodput" else 0.1
    if config.startswith("d_loss"):
        return 0.05
    return 0.1 if figure in START or figure == "retransmitted" else 0.02


def agrees(config: str, algorithm: str, figure: str, expected: Measured, other: Measured) -> bool:
    """A difference within the tolerance, or within two deviations where chance has a part."""
    chance = 2 * float(np.hypot(expected.sd, other.sd))
    return abs(other.mean - expected.mean) <= max(
        tolerance(config, algorithm, figure) * abs(expected.mean), chance
    )


def rows(profile: str) -> tuple[list[str], int, int]:
    """Tables as Markdown, number of figures, and number of those that agree."""
    kernel = reference()
    lines: list[str] = []
    count = good = 0
    for config, (name, title, repeats) in CONFIGS.items():
        lines += ["", f"## {title}", "", "| Algorithm | Figure | Kernel | Ours | Difference | |"]
        lines.append("|---|---|---|---|---|---|")
        for algorithm, own in NAMES.items():
            our = repeated(WORLDS[name], own, profile, repeats)
            for figure, words in FIGURES.items():
                expected = theirs(kernel, f"{config}_{algorithm}", figure)
                if expected is None or (_alone(figure) and config not in ("a1_A", "a1_B1")):
                    continue
                other = our.get(figure)
                if other is None:
                    shown, differ, mark = "none", "", "no"
                else:
                    if figure == "start_time":
                        other = Measured(np.ceil(other.mean / SAMPLED - 1e-9) * SAMPLED, other.sd)
                    shown = _shown(other)
                    differ = f"{other.mean / expected.mean - 1:+.1%}" if expected.mean else ""
                    mark = "" if agrees(config, algorithm, figure, expected, other) else "no"
                count, good = count + 1, good + (not mark)
                cells = (f"`{own}`", words, _shown(expected), shown, differ, mark)
                lines.append(f"| {' | '.join(cells)} |")
    return lines, count, good


def _alone(figure: str) -> bool:
    """A figure of one flow whose losses are those of the queue."""
    return figure in START or figure in ("wmax", "wmin", "period")


def worth(profile: str) -> list[str]:
    """Rows of a table: CUBIC with the profile less one piece."""
    lines = []
    for name in ("short", "long"):
        for title, change in CHANGES.items():
            figures = ours(WORLDS[name], "cubic:linux", profile, more=change)
            cells = [f"{figures[figure]:.4g}" for figure in WORTH]
            lines.append(f"| {WORLDS[name].rate / 1e6:g} Mbit/s | {title} | {' | '.join(cells)} |")
    return lines


def jitter(profile: str) -> list[str]:
    """Rows of a table: BBR on the long path with jitter at the sending host."""
    kernel = reference()
    config = "a1_B1_bbr"
    others = [theirs(kernel, config, figure) for figure in JITTER_FIGURES[1:]]
    kernels = [kernel[config, PROBES], *others]
    lines = [f"| kernel | {' | '.join(_shown(measured) for measured in kernels if measured)} |"]
    for limit in JITTERS:
        more = {"transport": {"host_jitter": f"{limit} s"}}
        own = NAMES["bbr"]
        runs = [
            ours(WORLDS["long"], own, profile, seed + 1, more) for seed in range(JITTER_REPEATS)
        ]
        values = [[row[figure] for row in runs] for figure in JITTER_FIGURES]
        cells = [_shown(Measured(float(np.mean(of)), float(np.std(of, ddof=1)))) for of in values]
        lines.append(f"| {limit * 1e6:g} µs | {' | '.join(cells)} |")
    return lines


def lateness(profile: str) -> list[str]:
    """Rows of a table: queues of one flow of BBR whose hosts answer late."""
    kernel = reference()
    lines = []
    for config in ("a1_A", "a1_B1", "d_loss0.1pct"):
        world = WORLDS[CONFIGS[config][0]]
        path = f"{world.rate / 1e6:g} Mbit/s"
        cells = [_shown(kernel[f"{config}_bbr", name]) for name in LATE_FIGURES.values()]
        lines.append(f"| {path} | kernel | {' | '.join(cells)} |")
        for title, transport in LATE.items():
            own, more = NAMES["bbr"], {"transport": transport}
            runs = [ours(world, own, profile, seed + 1, more) for seed in range(LATE_REPEATS)]
            values = [[row[figure] for row in runs] for figure in LATE_FIGURES]
            shown = [Measured(float(np.mean(of)), float(np.std(of, ddof=1))) for of in values]
            lines.append(f"| {path} | {title} | {' | '.join(map(_shown, shown))} |")
    return lines


def compression(profile: str) -> list[str]:
    """Rows of a table: queues under random loss with and without compressed SACKs."""
    kernel = reference()
    config = "d_loss0.1pct"
    name, _, repeats = CONFIGS[config]
    lines = []
    for algorithm in ("reno", "cubic"):
        own = NAMES[algorithm]
        cells = [_shown(kernel[f"{config}_{algorithm}", "queue_pkts_mean"])]
        for transport in ({}, {"sack_compression": 0}):
            more = {"transport": transport}
            runs = [ours(WORLDS[name], own, profile, seed + 1, more) for seed in range(repeats)]
            queues = [row["queue"] for row in runs]
            cells.append(_shown(Measured(float(np.mean(queues)), float(np.std(queues, ddof=1)))))
        lines.append(f"| `{own}` | {' | '.join(cells)} |")
    return lines


def _shown(value: Measured) -> str:
    return f"{value.mean:.4g}" + (f" ± {value.sd:.2g}" if value.sd > 0.005 * value.mean else "")


def main() -> None:
    """Writes the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--profile", default="linux-6.18")
    options = parser.parse_args()
    lines, count, good = rows(options.profile)
    text = (HERE / "page.md").read_text(encoding="utf-8")
    PAGE.parent.mkdir(exist_ok=True)
    table = "\n".join(lines).strip()
    PAGE.write_text(
        text.format(
            profile=options.profile,
            count=count,
            good=good,
            tables=table,
            worth="\n".join(worth(options.profile)),
            jitter="\n".join(jitter(options.profile)),
            lateness="\n".join(lateness(options.profile)),
            compression="\n".join(compression(options.profile)),
        ),
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
