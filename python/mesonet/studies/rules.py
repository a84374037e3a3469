"""Rules that decide whether measured figures agree with a publication.

A claim names one by its `kind`; the other keys are the arguments of its function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from inspect import Parameter, signature
from itertools import chain, pairwise, product
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_type_hints

from pydantic import BaseModel, Field, create_model

from mesonet.errors import Problem, did_you_mean
from mesonet.numbers import plain_number
from mesonet.studies.entries import StudyError, Table, read_entry

Figures = Mapping[str, float]
"""Measured figures by name; NaN where a figure is not defined, for example for want of data."""

Positive = Annotated[float, Field(ge=0)]
Limit = Annotated[float, Field(allow_inf_nan=True)]
Labels = Annotated[tuple[str, ...], Field(min_length=1)]
Margins = tuple[float, ...]


class Printed(NamedTuple):
    """A printed number, and the range around it in which a figure agrees."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Rule:
    """Decides one claim from nothing but named figures.

    Attributes:
        needs: Names of the figures it looks at; none if nothing can decide the claim.
        words: The rule for people, without names of figures.
        measured: Text of the measured values, for people.
        margins: Distances of the figures from the limits of the rule, which holds where none is
            negative; none for a rule that chance does not turn.
        test: Test of the figures where their distances alone do not say it.
        printed: The printed number that the only figure is held against, if there is one.
    """

    needs: tuple[str, ...]
    words: str
    measured: Callable[[Figures], str]
    margins: Callable[[Figures], Margins] = lambda _: ()
    test: Callable[[Figures], bool] | None = None
    printed: Printed | None = None

    def holds(self, figures: Figures) -> bool:
        """Tests the figures; all that it needs are there and numbers."""
        if self.test is not None:
            return self.test(figures)
        return all(margin >= 0 for margin in self.margins(figures))


def within(
    figure: str,
    value: float,
    *,
    relative: Positive = 0.0,
    absolute: Positive = 0.0,
    factor: Annotated[float, Field(ge=1)] = 1.0,
    unit: str = "",
) -> Rule:
    """A printed number: the figure lies within a part, a distance or a factor of it."""
    if factor > 1 and (relative or absolute):
        raise ValueError("expected either a factor, or a relative or an absolute distance")
    room = max(abs(value) * relative, absolute) * (1 + 1e-12)
    parts = [f"{plain_number(100 * relative)}%"] * bool(relative) + [plain_number(absolute)] * bool(
        absolute
    )
    words = f"within {' or '.join(parts)} of" if parts else "equal to"
    words = f"within a factor of {factor:g} of" if factor > 1 else words
    words = f"{words} {plain_number(value)} {unit}".rstrip()
    low, high = sorted((value / factor, value * factor))
    ends = low - room, high + room

    def measured(figures: Figures) -> str:
        number, shown = figures[figure], _shown(figures, figure, unit)
        exact = not value or math.isnan(number) or number == value
        return shown if exact else f"{shown} ({number / value - 1:+.1%})"

    def margins(figures: Figures) -> Margins:
        return figures[figure] - ends[0], ends[1] - figures[figure]

    return Rule((figure,), words, measured, margins, printed=Printed(value, *ends))


def occurs(figure: str) -> Rule:
    """An event is seen; the figure is 1 where it is, and 0 where not."""

    def measured(figures: Figures) -> str:
        number = figures[figure]
        return plain_number(number) if math.isnan(number) else "yes" if number == 1 else "no"

    return Rule((figure,), "yes", measured, test=lambda it: it[figure] == 1)


def between(figure: str, low: Limit = -math.inf, high: Limit = math.inf, *, unit: str = "") -> Rule:
    """The figure lies in a range, ends included; for findings in words, whose range is ours."""
    words = _ends(low, high)
    if low > -math.inf and high < math.inf:
        words = f"{plain_number(low)} to {plain_number(high)}"
    return Rule(
        (figure,),
        f"{words} {unit}".rstrip(),
        lambda figures: _shown(figures, figure, unit),
        lambda figures: _distances(figures[figure], low, high),
    )


def _ends(low: float, high: float) -> str:
    """Finite ends of a range in words."""
    if not low <= high or low == -math.inf == -high:
        raise ValueError(f"expected a low or a high end, in this order, got {low:g} to {high:g}")
    words = [f"at least {plain_number(low)}"] if low > -math.inf else []
    words += [f"at most {plain_number(high)}"] if high < math.inf else []
    return " and ".join(words)


def _distances(number: float, low: float, high: float) -> Margins:
    """Distances from the finite ends of a range, positive inside."""
    return tuple(each for each in (number - low, high - number) if each < math.inf)


def same_sign(
    figure: str,
    sign: Literal["+", "-"],
    *,
    unit: str = "",
    relative: str = "",
    p: str = "",
    level: Annotated[float, Field(gt=0, le=1)] = 1.0,
) -> Rule:
    """An effect or a difference has the published sign; zero has none.

    The figure `relative`, the difference over what it is compared with, is shown in its place, and
    the figure `p` as stars. It has to be below `level`.
    """

    def measured(figures: Figures) -> str:
        shown = _shown(figures, figure, unit)
        if relative and not math.isnan(figures[relative]):
            shown = f"{figures[relative]:+.1%}"
        return shown + (stars(figures[p]) if p and not math.isnan(figures[p]) else "")

    factor, words = (1, "above zero") if sign == "+" else (-1, "below zero")
    words += f" with p < {level:g}" if level < 1 else ""
    return Rule(
        tuple(name for name in (figure, relative, p) if name),
        words,
        measured,
        lambda figures: (figures[figure] * factor,),
        test=lambda figures: figures[figure] * factor > 0 and (level == 1 or figures[p] < level),
    )


def stars(p: float) -> str:
    """Stars of a p, as tables of effects have them."""
    return " **" if p < 0.01 else " *" if p < 0.05 else " (p ≥ .05)"


def ordered(
    figures: Annotated[tuple[str, ...], Field(min_length=2)],
    *,
    called: tuple[str, ...] = (),
    unit: str = "",
) -> Rule:
    """Figures fall in the published order, largest first; equal ones do not.

    `called` has labels for people, in the same order.
    """
    labels = called or figures
    if len(labels) != len(figures):
        raise ValueError(f"expected {len(figures)} labels, as many as figures, got {len(called)}")

    def measured(values: Figures) -> str:
        pairs = zip(labels, figures, strict=True)
        return ", ".join(f"{label} {_shown(values, name, unit)}" for label, name in pairs)

    def margins(values: Figures) -> Margins:
        pairs = pairwise(values[name] for name in figures)
        return tuple(higher - lower for higher, lower in pairs)

    def test(values: Figures) -> bool:
        return all(margin > 0 for margin in margins(values))

    return Rule(figures, " > ".join(labels), measured, margins, test=test)


def _shown(figures: Figures, name: str, unit: str) -> str:
    number = figures[name]
    return plain_number(number) + (f" {unit}" if unit and not math.isnan(number) else "")


def spearman(first: Collection[float], second: Collection[float], *, least: int = 2) -> float:
    """Spearman's rank correlation; NaN for fewer than `least` pairs, or if either is constant."""
    if len(first) < least or len(set(first)) < 2 or len(set(second)) < 2:
        return math.nan
    # Workers know the rules of a study, too, and need not wait for scipy.
    from scipy.stats import spearmanr

    return float(spearmanr(list(first), list(second)).statistic)


def correlates(
    printed: Annotated[dict[str, float], Field(min_length=2)],
    *,
    rho: Annotated[float, Field(ge=-1, le=1)],
) -> Rule:
    """Printed values and figures of the same names have a rank correlation of at least `rho`."""

    def correlation(figures: Figures) -> float:
        return spearman(printed.values(), [figures[name] for name in printed])

    return Rule(
        tuple(printed),
        f"rank correlation with {len(printed)} printed values at least {rho:g}",
        lambda figures: f"rank correlation {plain_number(correlation(figures))}",
        lambda figures: (correlation(figures) - rho,),
    )


def not_computable(reason: str) -> Rule:
    """Rule of a claim that nothing here can decide, with the reason."""
    return Rule((), reason, lambda _: "-")


def each(prefix: str, labels: Labels, low: Limit = -math.inf, high: Limit = math.inf) -> Rule:
    """Every one lies in a range, ends included."""
    names = tuple(prefix + label for label in labels)

    def margins(figures: Figures) -> Margins:
        return tuple(chain(*(_distances(figures[name], low, high) for name in names)))

    return Rule(names, f"each {_ends(low, high)}", _descending(prefix, labels), margins)


def above(prefix: str, higher: Labels, lower: Labels, *, slack: Positive = 0.0) -> Rule:
    """Every one of some lies above every one of others, or as little below as `slack`."""
    words = f"{', '.join(higher)} above {', '.join(lower)}"
    words += f", within {plain_number(slack)}" if slack else ""
    names, others = ([prefix + label for label in labels] for labels in (higher, lower))

    def margins(figures: Figures) -> Margins:
        return tuple(figures[it] - figures[low] + slack for it, low in product(names, others))

    def test(figures: Figures) -> bool:
        return all(margin > 0 or (slack > 0 and margin == 0) for margin in margins(figures))

    measured = _descending(prefix, (*higher, *lower))
    return Rule((*names, *others), words, measured, margins, test=test)


def placed(prefix: str, label: str, labels: Labels, first: int, last: int) -> Rule:
    """One has a place, in descending order, in a range; the highest has the first."""
    if label not in labels or not 1 <= first <= last:
        raise ValueError(f'expected one of the labels, and places from 1 in order, got "{label}"')
    others = [prefix + other for other in labels if other != label]

    def test(figures: Figures) -> bool:
        own = figures[prefix + label]
        return first <= 1 + sum(figures[name] > own for name in others) <= last

    def margins(figures: Figures) -> Margins:
        own = figures[prefix + label]
        ranked = sorted((figures[name] for name in others), reverse=True)
        # One of the others has to be above for each place before the first, and the next below.
        before = (ranked[first - 2] - own,) if first > 1 else ()
        return before + ((own - ranked[last - 1],) if last <= len(ranked) else ())

    words = f"place {first}" if first == last else f"place {first} to {last}"
    words = f"{label} in {words} of {len(labels)}"
    needs = tuple(prefix + it for it in labels)
    return Rule(needs, words, _descending(prefix, labels), margins, test=test)


def _descending(prefix: str, labels: Sequence[str]) -> Callable[[Figures], str]:
    """Text of figures by labels behind a prefix, in descending order."""

    def listed(figures: Figures) -> str:
        values = {label: figures[prefix + label] for label in labels}
        order = sorted(labels, key=lambda label: (math.isnan(values[label]), -values[label]))
        return ", ".join(f"{label} {plain_number(values[label])}" for label in order)

    return listed


_RULES = (within, between, occurs, ordered, each, above, placed, correlates, not_computable)
KINDS: Mapping[str, Callable[..., Rule]] = {
    **{function.__name__: function for function in _RULES},
    "sign": same_sign,
}
"""Functions that make rules, by their kind."""


def read_rule(table: Mapping[str, Any], path: Path, loc: str) -> Rule:
    """The rule that a table at a path in a file describes by its kind and arguments."""
    kind = str(table.get("kind", ""))
    if kind not in KINDS:
        message = f'no rule "{kind}"{did_you_mean(kind, KINDS)}; there are {", ".join(KINDS)}'
        raise StudyError([Problem(f"{path}: {loc}.kind", "unknown_rule", message)])
    arguments = {name: value for name, value in table.items() if name != "kind"}
    entry = read_entry(_model(kind), arguments, path, loc)
    try:
        return KINDS[kind](**dict(entry))
    except ValueError as error:
        raise StudyError([Problem(f"{path}: {loc}", "range", str(error))]) from None


@cache
def _model(kind: str) -> type[BaseModel]:
    """Model of the arguments of a rule."""
    hints = get_type_hints(KINDS[kind], include_extras=True)
    fields: dict[str, Any] = {
        name: (hints[name], ... if each.default is Parameter.empty else each.default)
        for name, each in signature(KINDS[kind]).parameters.items()
    }
    return create_model(kind, __base__=Table, **fields)
