"""Mixes of algorithms in a deployment, and the plan of their runs."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mesonet.controller import short
from mesonet.errors import PlanError, Problem
from mesonet.plan import Plan, plan_from_dict
from mesonet.studies import Options

NETWORK = Path(__file__).with_name("network.toml")


@dataclass(frozen=True)
class Mix:
    """Shares of sources by algorithm; `percent` use the newcomer, where a single one is there.

    Label and newcomer are short names, those that runs measure by.
    """

    label: str
    shares: Mapping[str, float]
    newcomer: str | None = None
    percent: int = 0


def mixes(names: Sequence[str], percents: Sequence[int]) -> list[Mix]:
    """The incumbent alone, every newcomer's steps beside it, and all at equal shares.

    The incumbent stands first in every mix. A source draws one number between 0 and 1 whatever the
    mix, and is the newcomer's if the number lies above the incumbent's share: a larger share of the
    newcomer converts sources and never converts one back.
    """
    if len(names) < 2:
        message = (
            "expected the incumbent and one or more newcomers, such as "
            f'"cubic,bbr3", got "{",".join(names)}"'
        )
        raise PlanError([Problem("algorithms", "too_few", message)])
    incumbent, *newcomers = names
    shares_of = [Mix(short(incumbent), {incumbent: 1.0})]
    for newcomer in newcomers:
        name = short(newcomer)
        for percent in percents:
            if 0 < percent < 100:
                shares = {incumbent: 1 - percent / 100, newcomer: percent / 100}
                shares_of.append(Mix(f"{name} {percent} %", shares, name, percent))
        shares_of.append(Mix(f"{name} 100 %", {newcomer: 1.0}, name, 100))
    if len(newcomers) > 1:
        shares_of.append(Mix("all, equal shares", dict.fromkeys(names, 1 / len(names))))
    return shares_of


def mixes_of(options: Options) -> list[Mix]:
    """The mixes of a size."""
    return mixes(options.chosen, options.values["percents"])


def mix_plan(options: Options) -> Plan:
    """The plan of a size with one alternative per mix."""
    values = options.values
    table = tomllib.loads(NETWORK.read_text("utf-8"))
    table["scenario"] |= {"scale": values["scale"], "duration": values["duration"]}
    table["replicates"] = values["replicates"]
    table["alternatives"] = [
        {"label": mix.label, "set": {"algorithms": dict(mix.shares)}} for mix in mixes_of(options)
    ]
    return plan_from_dict(table | options.plan_changes())


def run_name(label: str, condition: int, replicate: int) -> str:
    """Name of a run among the results."""
    return f"{label}, condition {condition}, replicate {replicate}"


def condition_names(plan: Plan) -> dict[int, str]:
    """Load of the network and size of its buffers in each condition, in words."""
    names = {}
    for number in range(1, plan.conditions + 1):
        coded = plan.coded(number)
        load = "low load" if coded["speed"] > 0 else "high load"
        names[number] = f"{load}, {'large' if coded['buffers'] > 0 else 'small'} buffers"
    return names
