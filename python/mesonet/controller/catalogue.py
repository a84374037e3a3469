"""Catalogue of the congestion controllers that a scenario can name, with their parameters."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from mesonet import _core
from mesonet.controller import library
from mesonet.controller.base import PREFIX, Controller
from mesonet.errors import show
from mesonet.text import Listing


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number that an algorithm can be tuned with; `unit` is "1" for a pure number.

    Its values go from `minimum` to `maximum`; those of classes in Python have no limits.
    """

    name: str
    default: float
    unit: str
    doc: str
    minimum: float = -math.inf
    maximum: float = math.inf

    def refusal(self, value: object) -> str | None:
        """Message on a number out of range; None if it is within, or no number."""
        if not isinstance(value, int | float) or self.minimum <= value <= self.maximum:
            return None
        return f"expected a number from {self.minimum:g} to {self.maximum:g}, got {show(value)}"


@dataclass(frozen=True, slots=True)
class ControllerInfo:
    """A congestion controller by name, where its rules are published, and its parameters.

    `display` is its name for people, such as "CUBIC (Linux)" of `cubic:linux`.
    `needs` is the queue discipline that routers on its way must have, if it works with no other.
    `ecn` is the explicit congestion notification that it asks for: "none", "classic", "dctcp" or
    "l4s", see `Controller.ecn`.
    `edition` rises when runs with it change and those with others do not.
    """

    name: str
    display: str
    summary: str
    source: str
    parameters: tuple[Parameter, ...]
    needs: str | None = None
    edition: int = 1
    ecn: str = "classic"


def controllers() -> Listing[ControllerInfo]:
    """All congestion controllers that a scenario can name.

    The built-in ones, then the subclasses of `Controller` that this process has imported, then
    those in the libraries that it has opened.
    """
    imported = sorted(_imported(Controller), key=lambda info: info.name)
    outside = (
        ControllerInfo(
            name, it.display, it.summary, it.source, described(it.params), it.needs, ecn=it.ecn
        )
        for name, it in library.opened()
    )
    return Listing((*built_in(), *imported, *outside))


@cache
def built_in() -> tuple[ControllerInfo, ...]:
    """The congestion controllers of the engine itself."""
    return tuple(
        ControllerInfo(
            entry["name"],
            entry["display"],
            entry["summary"],
            entry["source"],
            described(entry["params"]),
            entry["needs"],
            entry["edition"],
            entry["ecn"],
        )
        for entry in _core.algorithms()
    )


def discipline_for(algorithm: str) -> str:
    """The queue discipline that an algorithm needs, or drop-tail.

    Examples:
        >>> discipline_for("xcp"), discipline_for("reno")
        ('xcp', 'droptail')
    """
    needs = {info.name: info.needs for info in controllers()}
    return needs.get(algorithm) or "droptail"


def described(params: Iterable[Mapping[str, Any]]) -> tuple[Parameter, ...]:
    """Parameters as the engine lists them."""
    return tuple(
        Parameter(*(param[key] for key in ("name", "default", "unit", "doc", "min", "max")))
        for param in params
    )


def _imported(base: type[Controller]) -> Iterator[ControllerInfo]:
    cls: type[Controller]
    for cls in base.__subclasses__():
        yield from _imported(cls)
        module = cls.__module__
        if module == "__main__" or getattr(sys.modules.get(module), cls.__name__, None) is not cls:
            continue
        name = f"{PREFIX}{module}.{cls.__name__}"
        summary = (inspect.getdoc(cls) or cls.__name__).partition("\n")[0]
        parameters = parameters_of(cls)[0]
        yield ControllerInfo(name, cls.__name__, summary, module, parameters, ecn=cls.ecn)


def parameters_of(cls: type) -> tuple[tuple[Parameter, ...], list[str], bool]:
    """Parameters of the constructor beside `initial`.

    And the names of those without a default, and true if it takes any others, too.
    """
    try:
        signature = list(inspect.signature(cls).parameters.values())[1:]
    except ValueError:
        return (), [], True
    kinds = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    named = [param for param in signature if param.kind in kinds]
    parameters = tuple(
        Parameter(
            param.name,
            float(param.default) if isinstance(param.default, int | float) else math.nan,
            "1",
            "",
        )
        for param in named
    )
    required = [param.name for param in named if param.default is param.empty]
    return parameters, required, any(param.kind is param.VAR_KEYWORD for param in signature)
