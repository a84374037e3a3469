"""Names of controllers in scenarios, and the problems with names and parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mesonet.controller import library, policy
from mesonet.controller.base import PREFIX
from mesonet.controller.catalogue import (
    ControllerInfo,
    Parameter,
    controllers,
    described,
    parameters_of,
    required_by,
)
from mesonet.controller.classes import class_problem
from mesonet.controller.loading import OUTSIDE, load, load_any
from mesonet.errors import ControllerError, Problem, did_you_mean, show


def algorithm_name(controller: object) -> Any:
    """The name under which a scenario keeps a controller; anything but a class is left as it is."""
    if not isinstance(controller, type):
        return controller
    module, name = controller.__module__, controller.__qualname__
    if module == "__main__":
        raise ControllerError(
            f"{name} is defined in the script or session that is running, where other processes "
            f"cannot import it; move it to a file of its own, such as {name.lower()}.py, and "
            f"import it from there. In a notebook, %%writefile {name.lower()}.py in the first line "
            "of its cell writes it"
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
            return class_problem(name, load_any(name))
        except ControllerError as error:
            return str(error)
    elif name not in known:
        hint = did_you_mean(name, known) or f"; known are {', '.join(sorted(known))}"
        return f"expected a congestion controller, got {show(name)}{hint}"
    return None


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
