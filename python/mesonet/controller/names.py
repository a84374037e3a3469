"""Names of controllers in scenarios, and the problems with names and parameters."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mesonet.controller import library, places, policy
from mesonet.controller.base import PREFIX, Controller
from mesonet.controller.catalogue import (
    ControllerInfo,
    Parameter,
    controllers,
    described,
    parameters_of,
    required_by,
)
from mesonet.controller.loading import OUTSIDE, admit, load, load_any
from mesonet.errors import ControllerError, Problem, did_you_mean, show

_METHODS = ("on_ack", "on_round", "on_congestion")
"""Methods of controllers. A class has them, sets them, or makes them when they are asked for."""


def algorithm_name(controller: object) -> Any:
    """The name under which a scenario keeps a controller; anything but a class is left as it is.

    Raises `ControllerError` for a class that other processes could not import.
    """
    if not isinstance(controller, type):
        return controller
    module, name = places.public(controller.__module__), controller.__qualname__
    if module == "__main__":
        raise ControllerError(
            f"{name} is defined in the script or session that is running, where other processes "
            f"cannot import it; move it to a file of its own, such as {name.lower()}.py, and "
            "import it from there"
        )
    if "." in name:
        raise ControllerError(
            f"{module}.{name} is defined inside a function or a class, where other processes "
            "cannot import it; move it to the top level of its module"
        )
    full = f"{PREFIX}{module}.{name}"
    if load(full) is not controller:
        raise ControllerError(
            f"{full} is another class than the one given, which was replaced since; import it again"
        )
    return full


def name_problems(
    named: Mapping[str, Sequence[str]], parameters: Mapping[str, Mapping[str, float]]
) -> Iterator[Problem]:
    """Problems with the names and parameters of algorithms.

    `named` says where each name stands in the scenario; `parameters` are theirs by name.
    Controllers that are not built in are loaded, which runs their code.
    """
    admit(named)
    known = {info.name: info for info in controllers()}
    for name, locs in named.items():
        message = _name_problem(name, known)
        if message:
            yield from (Problem(loc, "unknown_algorithm", message) for loc in locs)
        elif name.startswith(PREFIX):
            yield from _missing(name, parameters.get(name, {}))
    for name, values in parameters.items():
        yield from _parameter_problems(name, values, known)


def unknown_names(
    named: Mapping[str, Sequence[str]], parameters: object = None
) -> Iterator[Problem]:
    """Problems with the names and parameters of built-in algorithms; nothing is loaded.

    `parameters` may be wrong otherwise.
    """
    known = {info.name: info for info in controllers()}
    for name, locs in named.items():
        message = None if name.startswith(OUTSIDE) else _name_problem(name, known)
        if message:
            yield from (Problem(loc, "unknown_algorithm", message) for loc in locs)
    for name, values in parameters.items() if isinstance(parameters, Mapping) else ():
        if isinstance(name, str) and isinstance(values, Mapping) and not name.startswith(OUTSIDE):
            yield from _parameter_problems(name, values, known)


def _parameter_problems(
    name: str, values: Mapping[str, float], known: Mapping[str, ControllerInfo]
) -> Iterator[Problem]:
    choices = _choices(name, known)
    if choices is None:
        return
    for key, value in values.items():
        loc = f"parameters.{name}.{key}"
        if key not in choices:
            hint = did_you_mean(key, choices) or f"; it has {', '.join(choices) or 'none'}"
            yield Problem(loc, "unknown_key", f'"{name}" has no such parameter{hint}')
        elif message := choices[key].refusal(value):
            yield Problem(loc, "range", message)


def _missing(name: str, given: Mapping[str, float]) -> Iterator[Problem]:
    """Parameters without a default that a class is not given."""
    for key in required_by(load(name)):
        if key not in given:
            yield Problem(f"parameters.{name}.{key}", "missing", "missing; it has no default")


def _name_problem(name: str, known: Mapping[str, ControllerInfo]) -> str | None:
    if name.startswith(OUTSIDE):
        try:
            return _class_problem(name, load_any(name))
        except ControllerError as error:
            return str(error)
    elif name not in known:
        hint = did_you_mean(name, known) or f"; known are {', '.join(sorted(known))}"
        return f"expected a congestion controller, got {show(name)}{hint}"
    return None


def _class_problem(name: str, loaded: object) -> str | None:
    """Message on a class that lacks methods of a controller; an object may have more than it."""
    if not isinstance(loaded, type) or hasattr(loaded, "__getattr__"):
        return None
    if not any(hasattr(loaded, method) for method in _METHODS):
        return (
            f"{name}: expected a congestion controller, which has on_ack or on_round, and "
            "on_congestion"
        )
    missing = _missing_methods(loaded)
    if missing:
        return f"{name}: the class has {' and '.join(missing)}"
    idle = [method for method in (*_METHODS, "on_undo") if _does_nothing(loaded, method)]
    if idle:
        return (
            f"{name}: expected plain functions; {' and '.join(idle)}, with yield or async, would "
            "do nothing when called"
        )
    return None


def _does_nothing(cls: type, method: str) -> bool:
    """True for a method of which a call only makes a generator or a coroutine."""
    found = getattr(cls, method, None)
    return (
        inspect.isgeneratorfunction(found)
        or inspect.iscoroutinefunction(found)
        or inspect.isasyncgenfunction(found)
    )


def _missing_methods(cls: type) -> list[str]:
    """Methods that are called, and neither the class has nor its constructors set, in words."""
    makers = [vars(base).get("__init__") for base in cls.__mro__]
    set_there = {name for maker in makers for name in _names_in(maker)}
    if not set_there.isdisjoint(("setattr", "__dict__")):
        return []

    def has(method: str) -> bool:
        found = getattr(cls, method, None)
        # Those of the base class only say that they are missing.
        own = found is not None and found is not getattr(Controller, method)
        return own or method in set_there

    cadence = getattr(cls, "cadence", "ack")
    missing = [] if has("on_congestion") else ["no on_congestion"]
    if "cadence" in set_there or cadence not in ("ack", "round"):
        return missing
    if not has(f"on_{cadence}"):
        missing.insert(0, f'no on_{cadence}, which its cadence "{cadence}" calls,')
    return missing


def _names_in(maker: object) -> Sequence[str]:
    """Names of attributes that a constructor written in Python uses."""
    code = getattr(maker, "__code__", None)
    return () if code is None else code.co_names


def _choices(name: str, known: Mapping[str, ControllerInfo]) -> dict[str, Parameter] | None:
    """The parameters of an algorithm by name; None if they cannot be known."""
    if name.startswith(policy.PREFIX):
        return {}
    try:
        parameters = _parameters(name, known)
    except ControllerError:
        return None
    return None if parameters is None else {param.name: param for param in parameters}


def _parameters(name: str, known: Mapping[str, ControllerInfo]) -> Sequence[Parameter] | None:
    if name.startswith(library.PREFIX):
        return described(library.load(name).params)
    if not name.startswith(PREFIX):
        return known[name].parameters if name in known else None
    parameters, any_other = parameters_of(load(name))
    return None if any_other else parameters
