"""Congestion controllers: what can be named in a scenario, and how to write one in Python.

A controller of your own is a class; `python:package.module.Class` names it, and
`mine=python:package.module.Class` gives it a short name. It is imported in the
process that simulates, so scenario files, plans and the workers of campaigns can all use it. Those
in Rust are in libraries, see `mesonet.controller.library`, trained policies in ONNX files, see
`mesonet.controller.policy`.

`cbrt`, `exp`, `exp2`, `log`, `log1p` and `power` are the engine's own: the same to the last bit on
every machine, which those of `math` need not be (its `sqrt` is).
"""

from mesonet._core import (
    AckSample,
    CongestionEvent,
    Flow,
    Initial,
    RateSample,
    RoundSample,
    cbrt,
    exp,
    exp2,
    log,
    log1p,
    power,
)
from mesonet.controller.base import PREFIX, Controller
from mesonet.controller.catalogue import (
    ControllerInfo,
    Parameter,
    built_in,
    controllers,
    discipline_for,
)
from mesonet.controller.demands import Demand, Demands, demands
from mesonet.controller.faults import engine_errors
from mesonet.controller.fingerprints import changed_since, fingerprint, fingerprints, written_in
from mesonet.controller.folders import look_in
from mesonet.controller.loading import command_line, constructors, load, outside_names, untrusted
from mesonet.controller.names import algorithm_name, name_of, name_problems
from mesonet.controller.short import code, is_outside, short

__all__ = [
    "PREFIX",
    "AckSample",
    "CongestionEvent",
    "Controller",
    "ControllerInfo",
    "Demand",
    "Demands",
    "Flow",
    "Initial",
    "Parameter",
    "RateSample",
    "RoundSample",
    "algorithm_name",
    "built_in",
    "cbrt",
    "changed_since",
    "code",
    "command_line",
    "constructors",
    "controllers",
    "demands",
    "discipline_for",
    "engine_errors",
    "exp",
    "exp2",
    "fingerprint",
    "fingerprints",
    "is_outside",
    "load",
    "log",
    "log1p",
    "look_in",
    "name_of",
    "name_problems",
    "outside_names",
    "power",
    "short",
    "untrusted",
    "written_in",
]
