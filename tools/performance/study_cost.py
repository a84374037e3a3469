"""Costs of the published experiments: predicted, and measured on parts of them at full size.

`python tools/performance/study_cost.py` takes some 15 minutes of processor time.

One whole run of Experiment 1b and ten simulated seconds of a run of 1a and of 2c, each of the
condition that is the median by expected packets, each in a process of its own. Times are of the
processor in user mode. Other work on the machine makes them longer, by half in the worst case, so
this belongs into a quiet hour.
"""

from __future__ import annotations

import resource
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from mesonet.plan import Plan, cpu_seconds, expected
from mesonet.scenario import Scenario
from mesonet.simulation import simulate
from mesonet.studies.folder import find_study
from mesonet.studies.study import Options

PUBLISHED = {
    # 28 for each run, section 3.1 of the methodology paper.
    "nist-sensitivity": 256.0 * 28,
    "nist-1a": 16_598.4,
    "nist-1b": 1_658.0,
    "nist-2a": 5_857.2,
    "nist-2b": 5_638.5,
    "nist-2c": 94_355.3,
}
"""Processor hours of the published experiments."""
PARTS = (("nist-1b", 20, None), ("nist-1a", 20, 10.0), ("nist-2c", 25, 10.0))
"""Experiment, condition, and simulated seconds if not all of them."""
ALGORITHM = "CTCP"


def plan_of(name: str) -> Plan:
    """The plan of an experiment at full size."""
    (plan,) = find_study(name).prepare(Options("full")).plans.values()
    return plan


def scenario_of(name: str, condition: int, seconds: float | None) -> Scenario:
    """The scenario of one run, or of so many seconds of it."""
    plan = plan_of(name)
    (alternative,) = (each for each in plan.alternatives if each.label == ALGORITHM)
    scenario = plan.scenario_of(condition, alternative)
    return scenario if seconds is None else scenario.replace({"duration": f"{seconds:g} s"})


def measure(name: str, condition: int, seconds: float | None) -> dict[str, Any]:
    """Simulates one run in this process."""
    scenario = scenario_of(name, condition, seconds)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    totals = simulate(scenario).totals
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "experiment": name,
        "condition": condition,
        "algorithm": ALGORITHM,
        "simulated_seconds": scenario.duration,
        "user_seconds": used.ru_utime - before,
        "memory": used.ru_maxrss * 1024,
        "packets": totals["injected"],
        "events": totals["events"],
    }


def parts_table(parts: list[dict[str, Any]]) -> list[str]:
    """Table of measured beside expected numbers of the simulated parts."""
    lines = [
        (
            "| Part, at full size | Packets, expected | Packets, simulated | CPU s, predicted | "
            "CPU s, measured | Packets per CPU-s | Memory |"
        ),
        "|---|---|---|---|---|---|---|",
    ]
    for part in parts:
        name, condition = part["experiment"], part["condition"]
        guess = expected(scenario_of(name, condition, part["simulated_seconds"]).resolve())
        wrong = guess.packets / part["packets"] - 1
        lines.append(
            f"| {name}, condition {condition}, {part['algorithm']}, "
            f"{part['simulated_seconds']:g} s | {guess.packets:.3g} ({100 * wrong:+.1f} %) | "
            f"{part['packets']:.3g} | {cpu_seconds([guess]):,.0f} | "
            f"{part['user_seconds']:,.0f} | {part['packets'] / part['user_seconds'] / 1e6:.2f} "
            f"million | {part['memory'] / 1e6:,.0f} MB |"
        )
    return lines


def experiments_table(parts: list[dict[str, Any]]) -> list[str]:
    """All experiments: published, predicted, and predicted at the speed that was measured."""
    speeds = {part["experiment"]: part["user_seconds"] / part["events"] for part in parts}
    lines = [
        (
            "| Experiment | Runs | Published processor-hours | Predicted packets | "
            "Predicted CPU-hours | At the speed measured | Published over predicted |"
        ),
        "|---|---|---|---|---|---|---|",
    ]
    for name, published in PUBLISHED.items():
        runs = [run.expected for run in plan_of(name).runs()]
        hours = cpu_seconds(runs) / 3600
        measured = "–"
        if name in speeds:
            at_speed = cpu_seconds(runs, seconds_per_event=speeds[name]) / 3600
            measured = f"{at_speed:,.0f}"
        lines.append(
            f"| {name} | {len(runs)} | {published:,.0f} | {sum(r.packets for r in runs):.2g} | "
            f"{hours:,.0f} | {measured} | {published / hours:.0f} |"
        )
    return lines


def main() -> None:
    """Measures the parts one after the other and prints both tables."""
    with ProcessPoolExecutor(max_workers=1, max_tasks_per_child=1) as pool:
        parts = list(pool.map(measure, *zip(*PARTS, strict=True)))
    print("\n".join([*parts_table(parts), "", *experiments_table(parts)]))


if __name__ == "__main__":
    main()
