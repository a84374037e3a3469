"""Rules as data: one model for each kind, which makes the rule of `mesonet.studies.rules`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from mesonet.errors import Problem, ProblemsError, did_you_mean, from_pydantic
from mesonet.studies import rules
from mesonet.studies.folders.sources import StudyError
from mesonet.studies.rules import Rule


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    def rule(self) -> Rule:
        """The rule."""
        raise NotImplementedError


class Within(_Table):
    """The figure lies within a part of a printed number, or an absolute distance of it."""

    kind: Literal["within"]
    figure: str
    value: float
    relative: float = Field(0.0, ge=0)
    absolute: float = Field(0.0, ge=0)
    unit: str = ""

    def rule(self) -> Rule:
        """The rule."""
        room = {"relative": self.relative, "absolute": self.absolute}
        return rules.within(self.figure, self.value, **room, unit=self.unit)


class Between(_Table):
    """The figure lies in a range, ends included."""

    kind: Literal["between"]
    figure: str
    low: float = -math.inf
    high: float = math.inf
    unit: str = ""

    @model_validator(mode="after")
    def _range(self) -> Between:
        _require_range(self.low, self.high)
        return self

    def rule(self) -> Rule:
        """The rule."""
        return rules.between(self.figure, self.low, self.high, unit=self.unit)


class Occurs(_Table):
    """An event is seen: the figure is 1."""

    kind: Literal["occurs"]
    figure: str

    def rule(self) -> Rule:
        """The rule."""
        return rules.occurs(self.figure)


class Sign(_Table):
    """A difference has the published sign; zero has none."""

    kind: Literal["sign"]
    figure: str
    sign: Literal["+", "-"]
    unit: str = ""
    relative: str = ""
    p: str = ""

    def rule(self) -> Rule:
        """The rule."""
        shown = {"unit": self.unit, "relative": self.relative, "p": self.p}
        return rules.same_sign(self.figure, 1 if self.sign == "+" else -1, **shown)


class Ordered(_Table):
    """Figures fall in the published order, largest first."""

    kind: Literal["ordered"]
    figures: tuple[str, ...] = Field(min_length=2)
    called: tuple[str, ...] = ()
    slack: float = Field(0.0, ge=0)
    unit: str = ""

    @model_validator(mode="after")
    def _labels(self) -> Ordered:
        if self.called and len(self.called) != len(self.figures):
            message = f"expected {len(self.figures)} labels, as many as figures, got "
            raise ProblemsError([Problem("called", "length", f"{message}{len(self.called)}")])
        return self

    def rule(self) -> Rule:
        """The rule."""
        return rules.ordered(*self.figures, slack=self.slack, called=self.called, unit=self.unit)


class Each(_Table):
    """Every one of several figures, `prefix` and a label, lies in a range, ends included."""

    kind: Literal["each"]
    prefix: str
    labels: tuple[str, ...] = Field(min_length=1)
    low: float = -math.inf
    high: float = math.inf

    @model_validator(mode="after")
    def _range(self) -> Each:
        _require_range(self.low, self.high)
        return self

    def rule(self) -> Rule:
        """The rule."""
        return rules.each(self.prefix, self.labels, self.low, self.high)


class Above(_Table):
    """Every one of some lies above every one of others, or as little below as `slack`."""

    kind: Literal["above"]
    prefix: str
    higher: tuple[str, ...] = Field(min_length=1)
    lower: tuple[str, ...] = Field(min_length=1)
    slack: float = Field(0.0, ge=0)

    def rule(self) -> Rule:
        """The rule."""
        return rules.above(self.prefix, self.higher, self.lower, slack=self.slack)


class Placed(_Table):
    """One of several has a place, in descending order, in a range; the highest has the first."""

    kind: Literal["placed"]
    prefix: str
    label: str
    labels: tuple[str, ...] = Field(min_length=1)
    first: int = Field(ge=1)
    last: int = Field(ge=1)

    @model_validator(mode="after")
    def _place(self) -> Placed:
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

    def rule(self) -> Rule:
        """The rule."""
        return rules.placed(self.prefix, self.label, self.labels, self.first, self.last)


class Correlates(_Table):
    """Printed values and figures of the same names have a rank correlation of at least `rho`."""

    kind: Literal["correlates"]
    printed: dict[str, float] = Field(min_length=2)
    rho: float = Field(ge=-1, le=1)

    def rule(self) -> Rule:
        """The rule."""
        return rules.correlates(self.printed, rho=self.rho)


class NotComputable(_Table):
    """Nothing here can decide the claim, for a reason."""

    kind: Literal["not_computable"]
    reason: str

    def rule(self) -> Rule:
        """The rule."""
        return rules.not_computable(self.reason)


KINDS: dict[str, type[_Table]] = {
    "within": Within,
    "between": Between,
    "occurs": Occurs,
    "sign": Sign,
    "ordered": Ordered,
    "each": Each,
    "above": Above,
    "placed": Placed,
    "correlates": Correlates,
    "not_computable": NotComputable,
}
"""Models of rules by their kind."""


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
    try:
        return KINDS[kind].model_validate(table).rule()
    except ValidationError as error:
        raise from_pydantic(error, StudyError) from None


def _require_range(low: float, high: float) -> None:
    if math.isinf(low) and math.isinf(high):
        message = "missing, and so is high; a range has at least one of them"
        raise ProblemsError([Problem("low", "missing", message)])
    if low > high:
        message = f"expected at least {low:g}, which is low, got {high:g}"
        raise ProblemsError([Problem("high", "range", message)])
