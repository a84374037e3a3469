"""Readers of what strangers send, each with inputs to try on it.

An input is the content of a file, so that any that fails can be kept and tried again. It may be
refused with an error of mesonet's. Anything else that is raised is a fault.
"""

import copy
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from mesonet import (
    Controller,
    _core,  # noqa: TID251 - the engine is a target
    simulate,
)
from mesonet.checked import checked
from mesonet.errors import MesonetError, Problem, ScenarioError
from mesonet.plan import plan_from_dict
from mesonet.scenario import load_scenario, scenario_from_dict
from mesonet.scenario.keywords import dumbbell
from mesonet.scenario.topology import Layout, load_topology

MOST_RUNS = 24
"""A plan of more is only read: expanding a large one takes its time, and rightly so."""

DUMBBELL = {
    "kind": "dumbbell",
    "rate": "2 Mbit/s",
    "rtt": "20 ms",
    "loss": 0.01,
    "buffer": "2 bdp",
    "queue": {"kind": "codel", "target": "5 ms"},
    "flows": [
        "reno",
        {
            "algorithm": "cubic",
            "rtt": "40 ms",
            "start": "0.1 s",
            "name": "late",
            "size": "90 packets",
        },
    ],
    "parameters": {"cubic": {"beta": 0.7}},
    "transport": {"rto_min": "200 ms", "ecn": True, "recovery": "rack"},
    "duration": "1 s",
    "interval": "100 ms",
    "warm_up": 0.2,
}
INTERNET = {
    "kind": "internet",
    "topology": "abilene",
    "speed": "1 p/ms",
    "buffers": "rtt*c/sqrt(n)",
    "base_sources": 20,
    "think_time": "1 s",
    "algorithms": {"reno": 0.5, "ctcp": 0.5},
    "long_flows": [{"name": "L1", "path": "farthest", "algorithm": "reno", "start": 0.2}],
    "watch": ["backbone"],
    "duration": "1 s",
}
PLAN = {
    "name": "small",
    "title": "Small",
    "replicates": 2,
    "seed": 5,
    "responses": ["utilization", "mean_queue"],
    "scenario": {key: DUMBBELL[key] for key in ("kind", "rate", "rtt", "flows", "duration")},
    "factors": {
        "rate": {"path": "rate", "low": "1 Mbit/s", "high": "2 Mbit/s"},
        "rtt": {"path": "rtt", "levels": ["10 ms", "20 ms", "40 ms"]},
    },
    "alternatives": [
        {"label": "reno", "set": {"flows[0].algorithm": "reno"}},
        {"label": "bbr", "set": {"flows[0].algorithm": "bbr3", "duration": "0.5 s"}},
    ],
    "design": {"kind": "full_factorial"},
    "analysis": {"paired_differences": {"baseline": "reno"}},
}
CUSTOM = {
    "kind": "custom",
    "links": [
        {"ends": ["a", "b"], "rate": "2 Mbit/s", "delay": "5 ms", "half_duplex": True},
        {"ends": ["b", "c"], "rate": "9 Mbit/s", "delay": "1 ms", "reverse_rate": "1 Mbit/s"},
    ],
    "flows": [
        {"algorithm": "reno", "source": "a", "receiver": "c", "rtt": "20 ms"},
        {"algorithm": "cubic", "source": "b", "receiver": "a", "name": "back"},
    ],
    "duration": "1 s",
}
GRAPHML = b"""<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="edge" attr.name="delay" attr.type="double"/>
<key id="d1" for="node" attr.name="lat" attr.type="double"/>
<key id="d2" for="node" attr.name="lon" attr.type="double"/>
<graph edgedefault="undirected">
<node id="a"><data key="d1">48.8</data><data key="d2">2.3</data></node>
<node id="b"><data key="d1">52.5</data><data key="d2">13.4</data></node>
<node id="c"/>
<edge source="a" target="b"/>
<edge source="b" target="c"><data key="d0">3.5</data></edge>
</graph></graphml>
"""
GML = b"""graph [
node [ id 0 label "a" Latitude 48.8 Longitude 2.3 ]
node [ id 1 label "b" Latitude 52.5 Longitude 13.4 ]
node [ id 2 label "c" ]
edge [ source 0 target 1 ]
edge [ source 1 target 2 delay 3.5 ]
]
"""
SNDLIB = b"""<network xmlns="http://sndlib.zib.de/network"><networkStructure>
<nodes coordinatesType="geographical">
<node id="a"><coordinates><x>2.3</x><y>48.8</y></coordinates></node>
<node id="b"><coordinates><x>13.4</x><y>52.5</y></coordinates></node>
</nodes>
<links><link id="l"><source>a</source><target>b</target></link></links>
</networkStructure></network>
"""
ODD = (
    *(None, True, 0, -1, 1, 3, 2**31, 2**63, 10**400, 0.5, -0.0, 1e300, 5e-324, math.inf, math.nan),
    *("", "0 s", "-1 ms", "1e300 s", "inf", "nan", "2 Mbit/s", "1e400 bit/s", "3 bdp", "reno"),
    *("python:os.system", "library:/dev/null:x", "../../x", "/dev/full", "\ud800", "\0", "é" * 300),
    *(
        [],
        {},
        [[]],
        ["reno"],
        {"kind": "red"},
        {"": None},
        [{}] * 40,
        "$",
        "=1",
        "\x1b[2J",
        "x" * 9999,
    ),
)
"""Values to put in place of others."""


@dataclass(frozen=True)
class Target:
    """A reader: inputs for it, and a call that raises where one is neither read nor refused."""

    inputs: st.SearchStrategy[bytes]
    check: Callable[[bytes, Path], None]


def changed(*documents):
    """JSON of documents in which some values are others, gone, doubled or under another key."""
    change = st.tuples(st.integers(0, 999), st.sampled_from("vvvvddkkr"), st.sampled_from(ODD))
    drawn = st.tuples(st.sampled_from(documents), st.lists(change, min_size=1, max_size=4))
    return drawn.map(lambda it: json.dumps(_change(*it)).encode())


def _change(document, changes):
    document = json.loads(json.dumps(document))
    for number, way, value in changes:
        places = list(_places(document))
        if not places:
            break
        holder, key = places[number % len(places)]
        if way == "v":
            holder[key] = copy.deepcopy(value)
        elif way == "d":
            del holder[key]
        elif isinstance(holder, list):
            holder.append(holder[key])
        else:
            holder[value if isinstance(value, str) else f"{key}x"] = holder[key]
    return document


def _places(document):
    items = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in list(items):
        yield document, key
        if isinstance(value, dict | list):
            yield from _places(value)


def broken(*contents):
    """Contents that are cut, with bytes changed, put in, taken out or repeated."""
    piece = st.one_of(st.binary(max_size=8), st.sampled_from(_PIECES))
    change = st.tuples(st.floats(0, 1), st.sampled_from("ooooidrc"), piece, st.integers(0, 400))
    drawn = st.tuples(st.sampled_from(contents), st.lists(change, min_size=1, max_size=6))
    return drawn.map(lambda it: _break(*it))


_PIECES = (
    *(b"\xff\xff\xff\xff", b"\0" * 8, b"\x7f\xff\xff\xff\xff\xff\xff\xff", b"1e999", b"-1", b"NaN"),
    *(
        b'"',
        b"[",
        b"{",
        b"<",
        b"&x;",
        b"]]>",
        b"\xed\xa0\x80",
        b"zlib",
        b"utf-16",
        b"[[[[[[[[",
        b"=",
    ),
)


def _break(content, changes):
    for where, way, piece, length in changes:
        at = int(where * len(content))
        match way:
            case "o":
                content = content[:at] + piece + content[at + len(piece) :]
            case "i":
                content = content[:at] + piece + content[at:]
            case "d":
                content = content[:at] + content[at + length :]
            case "r":
                content = content[:at] + content[at : at + length] * 3 + content[at + length :]
            case _:
                content = content[:at]
    return content


def _scenario(content, folder):
    checked(scenario_from_dict(json.loads(content)))


def _scenario_file(content, folder):
    path = folder / "scenario.toml"
    path.write_bytes(content)
    load_scenario(path).resolve()


def _plan(content, folder):
    plan = plan_from_dict(json.loads(content))
    if plan.conditions * len(plan.alternatives) * plan.replicates <= MOST_RUNS:
        plan.runs()
    plan_from_dict(plan.to_dict())


def _spec(content, folder):
    try:
        _core.Spec(content.decode(), {})
    except _core.ScenarioProblem as error:
        raise ScenarioError([Problem(*each) for each in error.args[0]]) from None


def _topology(content, folder, *, suffix):
    path = folder / f"net.{suffix}"
    path.write_bytes(content)
    load_topology(str(path), Layout(pops=1, normal=1))


class Hostile(Controller):
    """Answers as it was told, whatever happens."""

    answers: tuple[tuple[Any, ...], ...] = ()

    def __init__(self, initial):
        super().__init__(initial)
        self.calls = 0

    def _answer(self):
        self.cwnd, self.pacing_rate, self.ssthresh, self.phase = self.answers[
            self.calls % len(self.answers)
        ]
        self.calls += 1

    def on_ack(self, ack, flow):
        self._answer()

    def on_congestion(self, event, flow):
        self._answer()


def _answers(content, folder):
    Hostile.answers = tuple(tuple(each) for each in json.loads(content))
    flows = [Hostile, "reno"]
    run = simulate(dumbbell(rate="2 Mbit/s", rtt="20 ms", flows=flows, duration="0.3 s"), seed=1)
    assert np.isfinite(run.totals["acked"]) if "acked" in run.totals else True


def _numbers(*usual):
    odd = (
        math.nan,
        math.inf,
        -math.inf,
        -1.0,
        0.0,
        1e300,
        5e-324,
        2.0**24,
        1.0,
        10**400,
        None,
        "9",
    )
    return st.one_of(st.sampled_from(usual), st.sampled_from(odd), st.floats())


@cache
def targets():
    """All readers by name."""
    spec = checked(scenario_from_dict(DUMBBELL)).spec
    small = checked(scenario_from_dict(INTERNET | {"topology": "isp"})).spec
    toml = scenario_from_dict(DUMBBELL).to_toml().encode()
    answer = st.tuples(
        _numbers(15000.0, 29200.0, 1e6),
        _numbers(1e5, 1e6),
        _numbers(3e4),
        st.sampled_from([None, "slow_start", "standard", "alternate", "other", 5]),
    )
    answers = st.lists(answer, min_size=1, max_size=3)
    return {
        "scenarios": Target(changed(DUMBBELL, INTERNET, CUSTOM), _scenario),
        "scenario-files": Target(broken(toml), _scenario_file),
        "plans": Target(changed(PLAN), _plan),
        "specs": Target(changed(spec, spec, spec, _cut(small)), _spec),
        "graphml": Target(broken(GRAPHML), partial(_topology, suffix="graphml")),
        "gml": Target(broken(GML), partial(_topology, suffix="gml")),
        "sndlib": Target(broken(SNDLIB), partial(_topology, suffix="xml")),
        "answers": Target(answers.map(lambda it: json.dumps(it).encode()), _answers),
    }


def _cut(spec):
    """A network with few rows of its table of routes, which would be nearly all places."""
    return {**spec, "next_link": spec["next_link"][:2], "stations": spec["stations"][:2]}


def attempt(target, content, folder):
    """Tries an input; `True` if it was read, `False` if it was refused.

    Raises:
        BaseException: anything that is neither: a fault.
    """
    try:
        target.check(content, folder)
    except MesonetError as error:
        if not str(error).strip():
            raise AssertionError("refused without a word") from error
        return False
    except UnicodeEncodeError:  # JSON can hold half a surrogate pair, files of ours cannot.
        return False
    return True
