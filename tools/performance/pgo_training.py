"""Runs that show a compiler which way the engine's branches go.

    make pgo

builds the engine so that it counts its branches, has it run this program, and builds it again with
what was counted. The worlds are the benches', shorter and with another seed, and what these leave
out: ACKs through the routers of a national network, queue disciplines, marks, Linux's recovery.

A digest of the results goes to standard output. It is the same with either build, or the build is
wrong: `make pgo` and `make try` compare.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mesonet import load_scenario, simulate
from mesonet.scenario import scenario_from_dict
from mesonet.scenario.base import ScenarioBase

WORLDS = Path(__file__).resolve().parents[2] / "crates" / "sim" / "benches" / "worlds"
BENCHES = {
    "internet-1b-moderate": {"duration": "1 s"},
    "internet-1b-heavy": {"duration": "1 s"},
    "internet-1a": {"duration": "200 ms"},
    "dumbbell-mixed": {"duration": "6 s"},
}
"""Scenarios of the benches, and what is changed."""
ACKS_CHARGED = {"duration": "400 ms", "transport.ack_cost": True}
"""Changes of 1b, heavy, that put its ACKs into the queues."""
QUEUES = ("droptail", "codel", "fq_codel", "pie", "red", "dualpi2", "cake")
PROFILES = ("rfc", "linux-6.18")
SEED = 7


def dumbbell(queue: str, profile: str) -> dict[str, Any]:
    """Forty flows of four algorithms at a bottleneck with this queue."""
    algorithms = ("reno", "cubic", "bbr3", "prague" if queue == "dualpi2" else "htcp")
    starts = [
        {"algorithm": name, "count": 10, "start": f"{50 * at} ms"}
        for at, name in enumerate(algorithms)
    ]
    return {
        "kind": "dumbbell",
        "rate": "400 Mbit/s",
        "rtt": "30 ms",
        "buffer": "1 bdp",
        "queue": queue,
        "profile": profile,
        "interval": "200 ms",
        "duration": "3 s",
        "flows": starts,
    }


def scenarios() -> Iterator[ScenarioBase]:
    """The training runs."""
    for name, changes in BENCHES.items():
        yield load_scenario(WORLDS / f"{name}.toml").replace(changes)
    yield load_scenario(WORLDS / "internet-1b-heavy.toml").replace(ACKS_CHARGED)
    for queue in QUEUES:
        for profile in PROFILES:
            yield scenario_from_dict(dumbbell(queue, profile))


def main() -> None:
    """Execute the training runs and print the SHA-256 digest of all they return."""
    digest = hashlib.sha256()
    for scenario in scenarios():
        for name, content in sorted(simulate(scenario, seed=SEED).to_files().items()):
            digest.update(name.encode() + content)
    print(digest.hexdigest())


if __name__ == "__main__":
    main()
