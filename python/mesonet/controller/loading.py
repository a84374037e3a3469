"""Import of controllers by name: classes in Python, those in libraries, trained policies."""

from __future__ import annotations

import functools
import importlib
import re
import sys
import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mesonet.controller import library, places, policy
from mesonet.controller.base import PREFIX
from mesonet.controller.freshness import remember
from mesonet.controller.guard import Code, guard
from mesonet.errors import ControllerError, did_you_mean

OUTSIDE = (PREFIX, library.PREFIX, policy.PREFIX)
"""Prefixes of the names of controllers that are not built in."""
_CODE = (PREFIX, library.PREFIX)
_OURS = Path(__file__).resolve().parents[1]
"""Folder of mesonet's own code, which runs already."""


def outside_names(data: object) -> set[str]:
    """Names of controllers that are code of others, wherever they stand in plain data.

    A policy is data.
    """
    if isinstance(data, str):
        return {data} if data.startswith(_CODE) else set()
    if isinstance(data, Mapping):
        return {name for item in data.items() for part in item for name in outside_names(part)}
    if isinstance(data, list | tuple | set | frozenset):
        return {name for part in data for name in outside_names(part)}
    return set()


def admit(names: Iterable[str]) -> None:
    """Asks the guard of this process for all of these controllers at once.

    Built-in ones, and names that lead nowhere, need no asking.
    """
    guard().admit(
        [code for name in sorted(set(names)) if (code := code_of(name)) is not None and code.files]
    )


def code_of(name: str) -> Code | None:
    """The files that a name stands for; None for a built-in algorithm. Nothing is loaded.

    Files of mesonet are none of them: a study that comes with it may have a controller.
    """
    if name.startswith(PREFIX):
        module = name.removeprefix(PREFIX).rpartition(".")[0]
        found = places.sources(module) if _MODULE.fullmatch(module) else ()
        return Code(name, tuple(each for each in found if not each.resolve().is_relative_to(_OURS)))
    return library.code_of(name) if name.startswith(library.PREFIX) else None


_MODULE = re.compile(r"\w+(\.\w+)*")


def load(name: str) -> type:
    """Imports the class of a `python:package.module.Class`.

    Raises `ControllerError` that says what is wrong with the name or the module.
    """
    path = name.removeprefix(PREFIX)
    if not re.fullmatch(r"\w+(\.\w+)+", path):
        raise ControllerError(f"{name}: expected a name such as {PREFIX}package.module.Class")
    module_name, _, class_name = path.rpartition(".")
    admit([name])
    imported = places.importable(module_name)
    if imported not in sys.modules:
        # The file may be younger than what the import system remembers of its folder.
        importlib.invalidate_caches()
    try:
        with guard().loading(name):
            module = importlib.import_module(imported)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{imported}.".startswith(f"{error.name}."):
            raise _import_error(name, module_name, error) from error
        message = f"no module {places.public(error.name)}{_where()}"
        raise ControllerError(f"{name}: {message}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        # A module that ends Python ends itself alone.
        raise _import_error(name, module_name, error) from error
    cls = getattr(module, class_name, None)
    if not isinstance(cls, type):
        classes = [key for key, value in vars(module).items() if isinstance(value, type)]
        found = "no" if cls is None else "something else than a"
        hint = did_you_mean(class_name, classes)
        raise ControllerError(f"{name}: {module_name} has {found} class {class_name}{hint}")
    remember(cls)
    return cls


def constructors(algorithms: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Constructors of the controllers in a resolved `algorithms` that are not built in."""
    return {
        # The engine gives a library its parameters, a class has to be given them here.
        name: functools.partial(load(name), **entry["params"])
        if name.startswith(PREFIX)
        else load_any(name)
        for entry in algorithms
        if (name := entry["name"]).startswith(OUTSIDE)
    }


def load_any(name: str) -> Any:
    """Object that the engine makes controllers from: a class, a library's, a policy, or a name."""
    if name.startswith(library.PREFIX):
        return library.load(name)
    if name.startswith(policy.PREFIX):
        return policy.load(name)
    return load(name) if name.startswith(PREFIX) else name


def frame_place(frame: traceback.FrameSummary) -> str:
    """File and line, as a traceback prints them."""
    return f'File "{frame.filename}", line {frame.lineno}, in {frame.name}'


def _where() -> str:
    folders = [str(folder) for folder in places.folders()]
    inside = f" in {', '.join(folders)}" if folders else ""
    return f"{inside}; is the folder it lies in on PYTHONPATH?"


def _import_error(name: str, module: str, error: BaseException) -> ControllerError:
    text = places.public(traceback.format_exception_only(error)[-1].strip())
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frame_place(frames[-1])})" if frames else ""
    return ControllerError(f"{name}: importing {module} failed: {text}{place}")
