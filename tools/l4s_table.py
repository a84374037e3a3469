"""Prague and CUBIC over three queues, beside an independent test bed's figures.

    python tools/l4s_table.py            # writes docs/l4s.md

Two flows over 50 Mbit/s, the last 60 of 180 s, as P. Heist's l4s-tests have it (Linux 5.4 with the
L4S patches of November 2020).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mesonet import simulate
from mesonet.scenario import scenario_from_dict

PAGE = Path(__file__).resolve().parent.parent / "docs" / "l4s.md"
SEGMENT, WIRE = 1448, 1514
FROM, TO = 120.0, 180.0
DUALPI2: dict[str, Any] = {
    "kind": "dualpi2",
    "t_update": "16 ms",
    "alpha": 41 / 256,
    "beta": 819 / 256,
    "min_th": "1 ms",
    "range": "0 s",
    "th_len": 0,
    "classic_weight": 0.1,
    "min_backlog": 2,
    "random": True,
}
QUEUES: dict[str, Any] = {
    "dualpi2": DUALPI2,
    "droptail": "droptail",
    "fq_codel": "fq_codel",
}
BUFFERS = {"dualpi2": 10_000, "droptail": 1000, "fq_codel": 10_240}
CASES: tuple[tuple[tuple[str, int], tuple[str, int], dict[str, str]], ...] = (
    (("prague", 10), ("cubic", 10), {"dualpi2": "34.1 / 13.0"}),
    (
        ("prague", 20),
        ("cubic", 20),
        {"dualpi2": "31.9 / 15.5", "droptail": "5.9..12.2 / 41.6..35.4", "fq_codel": "24.0 / 23.3"},
    ),
    (
        ("prague", 80),
        ("cubic", 80),
        {"dualpi2": "29.9 / 17.5", "droptail": "4.0 / 43.6", "fq_codel": "25.3 / 22.0"},
    ),
    (
        ("prague", 10),
        ("cubic", 160),
        {"dualpi2": "41.7 / 4.9", "droptail": "11.8 / 35.7", "fq_codel": "25.6 / 21.4"},
    ),
    (
        ("prague", 160),
        ("cubic", 10),
        {"dualpi2": "10.1 / 37.3", "droptail": "4.5 / 43.0", "fq_codel": "23.9 / 23.5"},
    ),
    (
        ("prague", 10),
        ("prague", 160),
        {"dualpi2": "45.5 / 1.6", "droptail": "37.4 / 10.4", "fq_codel": "23.8 / 23.9"},
    ),
    (
        ("cubic", 10),
        ("cubic", 160),
        {"dualpi2": "36.5 / 10.7", "droptail": "30.3 / 17.2", "fq_codel": "25.4 / 21.3"},
    ),
)
"""Two flows, each with its round-trip time [ms]; the test bed's goodputs [Mbit/s]."""
LINUX = {"prague": "prague:linux", "cubic": "cubic:linux"}


def goodputs(queue: str, pair: tuple[tuple[str, int], ...], *, ecn: bool) -> list[float]:
    """Goodputs of two flows over a queue [Mbit/s]."""
    scenario = scenario_from_dict(
        {
            "kind": "dumbbell",
            "rate": "50 Mbit/s",
            "rtt": f"{pair[0][1]} ms",
            "buffer": f"{BUFFERS[queue]} packets",
            "queue": QUEUES[queue],
            "flows": [
                {"algorithm": LINUX[name], "rtt": f"{rtt} ms", "start": f"{at} s"}
                for at, (name, rtt) in enumerate(pair)
            ],
            "packet": {"smss": SEGMENT, "header": WIRE - SEGMENT, "control": WIRE - SEGMENT},
            "profile": "linux",
            "transport": {"ecn": ecn},
            "interval": "1 s",
            "duration": f"{TO} s",
        }
    )
    flows = simulate(scenario).flows
    found = []
    for name in flows["flow"].unique(maintain_order=True):
        mine = flows.filter((flows["time"] > FROM) & (flows["flow"] == name))
        found.append(float(mine["acked"].sum()) * SEGMENT * 8 / (TO - FROM) / 1e6)
    return found


def main() -> None:
    """Writes the page."""
    lines = []
    for first, second, published in CASES:
        title = f"{first[0]} {first[1]} ms, {second[0]} {second[1]} ms"
        for queue, theirs in published.items():
            cells = []
            for ecn in (False, True):
                one, other = goodputs(queue, (first, second), ecn=ecn)
                cells.append(f"{one:.1f} / {other:.1f}")
            lines.append(f"| {title} | `{queue}` | {cells[0]} | {cells[1]} | {theirs} |")
            print(lines[-1], flush=True)
    rows = "\n".join(lines)
    table = PAGE.read_text("utf-8") if PAGE.exists() else HEAD + "\n"
    PAGE.write_text(table.split(MARK)[0] + MARK + "\n" + rows + "\n", "utf-8")


MARK = "|---|---|---|---|---|"
HEAD = """\
# Prague and CUBIC over DualPI2, FQ-CoDel and drop-tail

Goodputs of two flows over 50 Mbit/s, Mbit/s, means over the last 60 of 180 s, beside those that an
independent test bed measured (P. Heist, [l4s-tests](https://github.com/heistp/l4s-tests), Linux 5.4
with the L4S patches of November 2020). Written by `tools/l4s_table.py`. Ours are one run each of
`prague:linux` and `cubic:linux`, with the values of Linux for DualPI2, and with CUBIC both as it is
by default and with ECN.

| Flows | Queue | Ours | Ours, CUBIC with ECN | Test bed |
"""


if __name__ == "__main__":
    main()
