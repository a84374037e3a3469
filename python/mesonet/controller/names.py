"""Names of controllers in scenarios, and the problems with names and parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mesonet.controller import library, policy
from mesonet.controller.base import PREFIX, Controller
from mesonet.controller.catalogue import (
    ControllerInfo,
    Parameter,
    controllers,
    described,
    parameters_of,
)
from mesonet.controller.classes import class_problem
from mesonet.controller.folders import folders, look_in
from mesonet.controller.loading import load, load_any, load_module
from mesonet.controller.short import code, is_outside, short
from mesonet.errors import ControllerError, InputError, Problem, did_you_mean, show


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


def name_of(controller: object) -> Any:
    """The name of a controller: as of `algorithm_name`, and for a file that of its only controller.

    A file of Python or a library is opened, which runs its code; a policy is not. The folder of a
    file of Python is looked in from now on.
    """
    if not isinstance(controller, str) or is_outside(controller):
        return algorithm_name(controller)
    own, equals, file = controller.rpartition("=")
    suffix = Path(file).suffix
    if suffix == ".onnx":
        return f"{own}{equals}{policy.PREFIX}{file}"
    if suffix not in (".py", ".so", ".dylib"):
        return controller
    try:
        names = _in_file(Path(file)) if suffix == ".py" else library.names_in(file)
    except ControllerError as error:
        raise InputError([Problem(controller, "controller", str(error))]) from None
    if len(names) != 1:
        what = "class derived from mesonet.Controller" if suffix == ".py" else "controller"
        message = f"expected a file with one {what}, it has {', '.join(names) or 'none'}"
        raise InputError([Problem(controller, "several", message)])
    return f"{own}{equals}{names[0]}"


def _in_file(file: Path) -> list[str]:
    if not file.is_file():
        raise ControllerError("no such file")
    look_in(file.parent, *folders())
    return [
        f"{PREFIX}{file.stem}.{name}"
        for name, value in vars(load_module(file.stem, str(file))).items()
        if isinstance(value, type) and issubclass(value, Controller)
        if value.__module__ == file.stem
    ]


def name_problems(
    named: Mapping[str, Sequence[str]],
    parameters: Mapping[str, Mapping[str, float]],
    *,
    loaded: bool = True,
) -> Iterator[Problem]:
    """Problems with the names and parameters of algorithms.

    `named` says where each name stands in the scenario; `parameters` are theirs by name.
    Controllers that are not built in are loaded, which runs their code, or left out.
    """
    catalogue = {info.name: info for info in controllers()}
    owners = {short(name): name for name in reversed(list(named))}
    for name, locs in named.items():
        own = short(name)
        if own != name and (own in catalogue or owners[own] != name):
            other = "built in" if own in catalogue else owners[own]
            taken = f'expected another short name, "{own}" is {other} already'
            yield from (Problem(loc, "name", taken) for loc in locs)
        if not loaded and is_outside(name):
            continue
        if message := _name_problem(name, catalogue):
            yield from (Problem(loc, "unknown_algorithm", message) for loc in locs)
        elif code(name).startswith(PREFIX):
            for key in parameters_of(load(name))[1]:
                if key not in parameters.get(own, {}):
                    loc = f"parameters.{own}.{key}"
                    yield Problem(loc, "missing", "missing; it has no default")
    for name, values in parameters.items():
        yield from _parameter_problems(name, code(owners.get(name, name)), values, catalogue)


def _parameter_problems(
    name: str,
    controller: str,
    values: Mapping[str, float],
    catalogue: Mapping[str, ControllerInfo],
) -> Iterator[Problem]:
    choices = _choices(controller, catalogue)
    if choices is None:
        return
    for key, value in values.items():
        loc = f"parameters.{name}.{key}"
        if key not in choices:
            hint = did_you_mean(key, choices) or f"; it has {', '.join(choices) or 'none'}"
            yield Problem(loc, "unknown_key", f'"{name}" has no such parameter{hint}')
        elif message := choices[key].refusal(value):
            yield Problem(loc, "range", message)


def _name_problem(name: str, catalogue: Mapping[str, ControllerInfo]) -> str | None:
    if is_outside(name):
        try:
            return class_problem(name, load_any(name))
        except ControllerError as error:
            return str(error)
    elif name not in catalogue:
        hint = did_you_mean(name, catalogue) or f"; known are {', '.join(sorted(catalogue))}"
        return f"expected a congestion controller, got {show(name)}{hint}"
    return None


def _choices(name: str, catalogue: Mapping[str, ControllerInfo]) -> dict[str, Parameter] | None:
    """The parameters of an algorithm by name; None if they cannot be known."""
    parameters: Sequence[Parameter] = ()
    try:
        if name.startswith(library.PREFIXES):
            parameters = described(library.load(name).params)
        elif name.startswith(PREFIX):
            parameters, _, any_other = parameters_of(load(name))
            if any_other:
                return None
        elif not name.startswith(policy.PREFIX):
            parameters = catalogue[name].parameters
    except (ControllerError, KeyError):
        return None
    return {parameter.name: parameter for parameter in parameters}
