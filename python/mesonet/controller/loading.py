"""Import of controllers by name: classes in Python, those in libraries, trained policies."""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
import shlex
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

from mesonet.controller import folders, library, policy
from mesonet.controller.base import PREFIX
from mesonet.controller.short import code, is_outside
from mesonet.errors import ControllerError, Problem, did_you_mean

_CODE = (PREFIX, library.PREFIX)
_OURS = tuple(f"{PREFIX}{package}." for package in folders.OURS)


def outside_names(data: object) -> set[str]:
    """Names of controllers that are code of others, wherever they stand in plain data.

    A policy is data, and studies of mesonet have controllers of their own.
    """
    if isinstance(data, str):
        own = code(data)
        return {own} if own.startswith(_CODE) and not own.startswith(_OURS) else set()
    if isinstance(data, Mapping):
        return {name for item in data.items() for part in item for name in outside_names(part)}
    if isinstance(data, list | tuple | set | frozenset):
        return {name for part in data for name in outside_names(part)}
    return set()


def untrusted(place: object, code: Iterable[str]) -> list[Problem]:
    """Problems of a file or folder that names code, for a user who has said nothing about it."""
    message = "is a program, which has all your rights; --trust or MESONET_TRUST=1 runs it"
    return [Problem(str(place), "untrusted", f"{name} {message}") for name in sorted(code)]


def command_line(*words: object, names: object) -> str:
    """A command for a shell, with a word of trust if plain data that it reads name code."""
    trust = ["--trust"] if outside_names(names) else []
    return shlex.join([*map(str, words), *trust])


def load(name: str) -> type:
    """Imports the class of a `python:package.module.Class`."""
    path = code(name).removeprefix(PREFIX)
    if not re.fullmatch(r"\w+(\.\w+)+", path):
        message = f"expected a name such as {PREFIX}package.module.Class, of letters, digits and _"
        raise ControllerError(f"{name}: {message}")
    module_name, _, class_name = path.rpartition(".")
    module = load_module(module_name, name)
    cls = getattr(module, class_name, None)
    if not isinstance(cls, type):
        classes = [key for key, value in vars(module).items() if isinstance(value, type)]
        what = "no" if cls is None else "something else than a"
        hint = did_you_mean(class_name, classes)
        raise ControllerError(f"{name}: {module_name} has {what} class {class_name}{hint}")
    return cls


def load_module(module: str, name: str) -> ModuleType:
    """Imports a module, in which a user has named `name`."""
    try:
        # What a module prints while it is imported is no result of the program that names it.
        with contextlib.redirect_stdout(sys.stderr):
            return folders.load_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise _import_error(name, module, error) from error
        raise ControllerError(f"{name}: no module {error.name}{_where()}") from None
    except (KeyboardInterrupt, ControllerError):
        raise
    except BaseException as error:
        # A module that ends Python ends itself alone.
        raise _import_error(name, module, error) from error


def files_of(cls: type) -> Iterator[str]:
    """Files of a class and of those it derives from, mesonet's and Python's left out."""
    for base in cls.__mro__:
        if base.__module__.partition(".")[0] not in ("builtins", *folders.OURS):
            yield inspect.getfile(base)


def constructors(algorithms: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Constructors of the controllers in a resolved `algorithms` that are not built in."""
    return {
        # The engine gives a library its parameters, a class has to be given them here.
        name: functools.partial(load(name), **entry["params"])
        if code(name).startswith(PREFIX)
        else load_any(name)
        for entry in algorithms
        if is_outside(name := entry["name"])
    }


def load_any(name: str) -> Any:
    """Object that the engine makes controllers from: a class, a library's, a policy, or a name."""
    name = code(name)
    if name.startswith(library.PREFIXES):
        return library.load(name)
    if name.startswith(policy.PREFIX):
        return policy.load(name)
    return load(name) if name.startswith(PREFIX) else name


def frame_place(frame: traceback.FrameSummary) -> str:
    """File and line, as a traceback prints them."""
    return f'File "{frame.filename}", line {frame.lineno}, in {frame.name}'


def _where() -> str:
    looked = [str(folder) for folder in folders.folders()]
    inside = f" in {', '.join(looked)}" if looked else ""
    return f"{inside}; is the folder it lies in on PYTHONPATH?"


def _import_error(name: str, module: str, error: BaseException) -> ControllerError:
    text = traceback.format_exception_only(error)[-1].strip()
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frame_place(frames[-1])})" if frames else ""
    if isinstance(error, SyntaxError):
        place = f' (File "{error.filename}", line {error.lineno})'
    return ControllerError(f"{name}: importing {module} failed: {text}{place}")
