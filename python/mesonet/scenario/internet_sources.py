"""Sources of an `Internet` as the engine takes them: the population, long-lived flows, clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mesonet.errors import Problem, did_you_mean, show
from mesonet.scenario.internet_applications import Client
from mesonet.scenario.internet_parts import LongFlow
from mesonet.scenario.tiers import INTERFACE_RATES
from mesonet.scenario.topology import Topology

if TYPE_CHECKING:
    from mesonet.scenario.internet import Internet


def population(scenario: Internet) -> dict[str, Any]:
    """What sources do that have no flow by name: think, send files, give up."""
    congestion = None
    if times := scenario.congestion():
        congestion = {"start": times[0], "end": times[1], "factor": scenario.jumbo.factor}
        if scenario.jumbo.receivers == "all":
            congestion["any_receiver"] = True
    # Who may give up waits 10 s and twenty times the ideal time of a transfer: our assumption.
    waits = {"min_time": 10.0, "factor": 20.0}
    early = [[it.share, it.factor] for it in scenario.startup.early]
    return {
        "think_mean": scenario.think_time,
        "files": {
            "mean": scenario.web_object_mean,
            "shape": scenario.pareto_shape,
            "probability": list(scenario.larger_files.probability),
            "factor": list(scenario.larger_files.factor),
        },
        "algorithm_shares": list(scenario.algorithms.values()),
        "fast_probability": scenario.fast_interface_probability,
        "jumbo": congestion,
        "patience": {"probability": scenario.patience, **waits} if scenario.patience else None,
        "startup": {"connecting": scenario.startup.connecting, "early": early},
        "receivers_in_other_regions": True,
    }


def long_flow(
    scenario: Internet, topology: Topology, here: int, problems: list[Problem]
) -> dict[str, Any]:
    """A long-lived flow as the engine takes it; what is wrong with it joins the problems."""
    flow = scenario.long_flows[here]
    if flow.path is None:
        names = [router.name for router in topology.access]
        ends = [_end(flow, end, here, names, problems) for end in ("source", "receiver")]
    else:
        ends = [_gateway(topology, node) for node in topology.notable_paths[flow.path]]
        if None in ends:
            message = f"the {flow.path} path ends at a router without D or F access routers"
            problems.append(Problem(f"long_flows[{here}].path", "missing", message))
    algorithms = list(scenario.algorithms)
    return {
        "name": flow.name,
        "source": ends[0],
        "receiver": ends[1],
        "algorithm": algorithms.index(flow.algorithm) if flow.algorithm else 0,
        "interface": list(INTERFACE_RATES).index("fast"),
        "start": flow.start * scenario.duration,
        "size": None,
        "stop": None,
    }


def _end(
    flow: LongFlow, end: str, here: int, names: list[str], problems: list[Problem]
) -> int | None:
    name = getattr(flow, end)
    if name in names:
        return names.index(name)
    message = f"expected an access router, got {show(name)}{did_you_mean(name, names)}"
    problems.append(Problem(f"long_flows[{here}].{end}", "unknown", message))
    return None


def _gateway(topology: Topology, node: int) -> int | None:
    """The fastest access router below a backbone router: its first D, else its first F."""
    below = [(at, it.kind) for at, it in enumerate(topology.access) if it.backbone == node]
    return next((at for wanted in "DF" for at, kind in below if kind == wanted), None)


def client_flow(name: str, client: Client, algorithms: list[str]) -> dict[str, Any]:
    """A connection of a source that has an application."""
    return {
        "name": name,
        "source": client.source,
        "receiver": client.receiver,
        "algorithm": algorithms.index(client.flow.algorithm),
        "interface": int(client.fast),
        "start": client.flow.start,
        "size": None,
        "stop": None,
    }
