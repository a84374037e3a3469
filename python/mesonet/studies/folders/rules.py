"""Rules as data: one model for each kind of rule.

Its fields have the names of the arguments of the function in `mesonet.studies.rules` for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, ValidationError, model_validator

from mesonet.errors import Problem, ProblemsError, did_you_mean, from_pydantic
from mesonet.studies import rules
from mesonet.studies.folders.entries import Table
from mesonet.studies.folders.sources import StudyError
from mesonet.studies.rules import Rule


class _Table(Table):
    model_config = ConfigDict(allow_inf_nan=False)


class _Range(_Table):
    low: float = Field(-math.inf, allow_inf_nan=True)
    high: float = Field(math.inf, allow_inf_nan=True)

    @model_validator(mode="after")
    def _ends(self) -> Self:
        unknown = [name for name in ("low", "high") if math.isnan(getattr(self, name))]
        if unknown:
            message = "expected a number, got nan"
            raise ProblemsError([Problem(name, "range", message) for name in unknown])
        if math.isinf(self.low) and math.isinf(self.high):
            message = "missing, and so is high; a range has at least one of them"
            raise ProblemsError([Problem("low", "missing", message)])
        if self.low > self.high:
            message = f"expected at least {self.low:g}, which is low, got {self.high:g}"
            raise ProblemsError([Problem("high", "range", message)])
        return self


class Within(_Table):
    """The figure lies within a part of a printed number, or an absolute distance of it."""

    kind: Literal["within"]
    figure: str
    value: float
    relative: float = Field(0.0, ge=0)
    absolute: float = Field(0.0, ge=0)
    unit: str = ""


class Between(_Range):
    """The figure lies in a range, ends included."""

    kind: Literal["between"]
    figure: str
    unit: str = ""


class Occurs(_Table):
    """An event is seen: the figure is 1."""

    kind: Literal["occurs"]
    figure: str


class Sign(_Table):
    """A difference has the published sign; zero has none."""

    kind: Literal["sign"]
    figure: str
    sign: Literal["+", "-"]
    unit: str = ""
    relative: str = ""
    p: str = ""


class Ordered(_Table):
    """Figures fall in the published order, largest first."""

    kind: Literal["ordered"]
    figures: tuple[str, ...] = Field(min_length=2)
    called: tuple[str, ...] = ()
    slack: float = Field(0.0, ge=0)
    unit: str = ""

    @model_validator(mode="after")
    def _labels(self) -> Self:
        if self.called and len(self.called) != len(self.figures):
            message = f"expected {len(self.figures)} labels, as many as figures, got "
            raise ProblemsError([Problem("called", "length", f"{message}{len(self.called)}")])
        return self


class Each(_Range):
    """Every one of several figures, `prefix` and a label, lies in a range, ends included."""

    kind: Literal["each"]
    prefix: str
    labels: tuple[str, ...] = Field(min_length=1)


class Above(_Table):
    """Every one of some lies above every one of others, or as little below as `slack`."""

    kind: Literal["above"]
    prefix: str
    higher: tuple[str, ...] = Field(min_length=1)
    lower: tuple[str, ...] = Field(min_length=1)
    slack: float = Field(0.0, ge=0)


class Placed(_Table):
    """One of several has a place, in descending order, in a range; the highest has the first."""

    kind: Literal["placed"]
    prefix: str
    label: str
    labels: tuple[str, ...] = Field(min_length=1)
    first: int = Field(ge=1)
    last: int = Field(ge=1)

    @model_validator(mode="after")
    def _place(self) -> Self:
        problems = []
        if self.label not in self.labels:
            hint = did_you_mean(self.label, self.labels)
            message = f'expected one of the labels, got "{self.label}"{hint}'
            problems.append(Problem("label", "unknown_label", message))
        if self.last < self.first:
            message = f"expected at least {self.first}, the first place, got {self.last}"
            problems.append(Problem("last", "range", message))
        if problems:
            raise ProblemsError(problems)
        return self


class Correlates(_Table):
    """Printed values and figures of the same names have a rank correlation of at least `rho`."""

    kind: Literal["correlates"]
    printed: dict[str, float] = Field(min_length=2)
    rho: float = Field(ge=-1, le=1)


class NotComputable(_Table):
    """Nothing here can decide the claim, for a reason."""

    kind: Literal["not_computable"]
    reason: str


KINDS: dict[str, tuple[type[Table], Callable[..., Rule]]] = {
    "within": (Within, rules.within),
    "between": (Between, rules.between),
    "occurs": (Occurs, rules.occurs),
    "sign": (Sign, rules.same_sign),
    "ordered": (Ordered, rules.ordered),
    "each": (Each, rules.each),
    "above": (Above, rules.above),
    "placed": (Placed, rules.placed),
    "correlates": (Correlates, rules.correlates),
    "not_computable": (NotComputable, rules.not_computable),
}
"""Models of rules, and the functions that make them, by their kind."""


def read_rule(table: Mapping[str, Any]) -> Rule:
    """The rule that a table describes.

    Raises:
        StudyError: every problem, with the path below the table.
    """
    kind = table.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        what = "missing" if kind is None else f'no rule "{kind}"{did_you_mean(kind, KINDS)}'
        message = f"{what}; there are {', '.join(KINDS)}"
        raise StudyError([Problem("kind", "missing" if kind is None else "unknown_rule", message)])
    model, make = KINDS[kind]
    try:
        read = model.model_validate(table)
    except ValidationError as error:
        raise from_pydantic(error, StudyError, data=table) from None
    return make(**{name: getattr(read, name) for name in model.model_fields if name != "kind"})
