"""Faults of classes of controllers that show before a run."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from types import CodeType

from mesonet.controller.base import Controller

_METHODS = ("on_ack", "on_round", "on_congestion")
"""Methods of controllers. A class has them, sets them, or makes them when they are asked for."""


def class_problem(name: str, loaded: object) -> str | None:
    """Message on a class without the methods of a controller; an object may have more than it."""
    if not isinstance(loaded, type) or hasattr(loaded, "__getattr__"):
        return None
    if not any(hasattr(loaded, method) for method in _METHODS):
        return f"{name}: expected a congestion controller, with on_ack or on_round, on_congestion"
    missing, uncalled = _missing_methods(loaded), _uncalled(loaded)
    if missing:
        # An only one ends the sentence.
        words = " and ".join(missing) if len(missing) > 1 else missing[0].removesuffix(",")
        close = f"; it has {', '.join(uncalled)}" if uncalled else ""
        return f"{name}: the class has {words}{close}"
    if uncalled:
        called = "on_ack or on_round, on_congestion (losses, marks and timeouts) and on_undo"
        return f"{name}: nothing calls {', '.join(uncalled)}; a run calls {called}"
    return f"{name}: {unfit}" if (unfit := _unfit(loaded)) else None


def _unfit(cls: type) -> str | None:
    """The first method that does not take what a run calls it with, in words."""
    for method in (f"on_{getattr(cls, 'cadence', 'ack')}", "on_congestion", "on_undo"):
        function, ours = inspect.getattr_static(cls, method, None), vars(Controller).get(method)
        if not inspect.isfunction(function) or ours is None:
            continue
        arguments = list(inspect.signature(ours).parameters)
        own = inspect.signature(function, follow_wrapped=False)
        try:
            own.bind(*arguments)
        except TypeError:
            return f"expected {method}({', '.join(arguments)}), got {method}{own}"
    return None


def _missing_methods(cls: type) -> list[str]:
    """Methods that are called, and neither the class has nor its constructors set, in words."""
    makers = [vars(base).get("__init__") for base in cls.__mro__]
    set_there = {name for maker in makers for name in _names_in(maker)}
    if not set_there.isdisjoint(("setattr", "__dict__")):
        return []

    def has(method: str) -> bool:
        function = getattr(cls, method, None)
        # Those of the base class only say that they are missing.
        own = function is not None and function is not getattr(Controller, method)
        return own or method in set_there

    cadence = getattr(cls, "cadence", "ack")
    missing = [] if has("on_congestion") else ["no on_congestion"]
    if "cadence" in set_there or cadence not in ("ack", "round"):
        return missing
    if not has(f"on_{cadence}"):
        missing.insert(0, f'no on_{cadence}, which its cadence "{cadence}" calls,')
    return missing


def _uncalled(cls: type) -> list[str]:
    """Methods that look as if a run called them, and that the class does not call either."""
    functions = {
        name: value
        for base in cls.__mro__
        if base is not object and base is not Controller
        for name, value in vars(base).items()
        if inspect.isfunction(value)
    }
    # A function of the module may call it, too.
    beside = vars(sys.modules[cls.__module__]).values() if cls.__module__ in sys.modules else ()
    named = {used for function in (*functions.values(), *beside) for used in _names_in(function)}
    called = {*_METHODS, "on_undo", *named}
    return [name for name in functions if name.startswith("on_") and name not in called]


def _names_in(function: object) -> Iterator[str]:
    """Names of attributes in a function and in those inside of it."""
    codes = [getattr(function, "__code__", None)]
    for code in codes:
        if isinstance(code, CodeType):
            yield from code.co_names
            codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
