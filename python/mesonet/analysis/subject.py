"""Subject of the analyses of a campaign: its frame, and what is asked about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import polars as pl

from mesonet.analysis.frames import alternatives

_KEY_RESPONSES = 12
_RANKED_RESPONSES = 30
_BASELINES = ("reno", "newreno", "tcp", "cubic")
_GOODPUT = ("goodput", "throughput")


class TwoLevelPart(NamedTuple):
    """The part of a campaign that has main effects in the sense of `main_effects`."""

    frame: pl.DataFrame
    factors: tuple[str, ...]
    notes: tuple[str, ...]
    """Factors and responses that were left out, with the reasons, as sentences."""


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Everything that the analyses of a campaign start from.

    Attributes:
        frame: One row per run.
        factors: Columns of the factors, coded from -1 to +1.
        centre: Condition that is the centre of the design; `None` without.
        responses: Columns of the responses.
        tested: Responses that the plan asks to analyse; all if empty.
        about: Identifier of a response to `name` and `better`, where they are known.
        order_by: Response that orders the conditions; `None` keeps their numbers.
        given_baseline: Alternative that the others are compared with; chosen if `None`.
    """

    frame: pl.DataFrame
    factors: Sequence[str] = ()
    centre: int | None = None
    responses: Sequence[str] = ()
    tested: Sequence[str] = ()
    about: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    order_by: str | None = None
    given_baseline: str | None = None

    @property
    def family(self) -> tuple[str, ...]:
        """Responses whose tests are corrected together: those asked for, or all."""
        return tuple(self.tested or self.responses)

    @cached_property
    def part(self) -> TwoLevelPart:
        """The part of the campaign that has main effects."""
        return two_level_part(self.frame, factors=self.factors, centre=self.centre)

    @property
    def first(self) -> str:
        """The first alternative; empty without runs."""
        labels = alternatives(self.frame)
        return labels[0] if labels else ""

    @cached_property
    def baseline(self) -> str:
        """The alternative that the others are compared with; empty without runs."""
        labels = alternatives(self.frame)
        if self.given_baseline in labels:
            return str(self.given_baseline)
        names = (name for base in _BASELINES for name in labels if base in name.lower().split())
        return next(names, self.first)

    @cached_property
    def better(self) -> dict[str, str]:
        """Better end of each response that is known: "higher", "lower" or "neither"."""
        return {
            name: str(self.about[name].get("better"))
            for name in self.responses
            if name in self.about
        }

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """Responses to draw one by one: those asked for, or the first that vary."""
        if self.tested:
            return tuple(name for name in self.tested if name in self.frame.columns)
        first = [self.order_by] if self.order_by else []
        varying = [name for name in self.responses if self._varies(name)]
        return tuple(dict.fromkeys([*first, *varying]))[:_KEY_RESPONSES]

    @cached_property
    def ranked(self) -> tuple[str, ...]:
        """Responses to rank: goodputs and throughputs, or those to draw that have a better end."""
        goodputs = [
            name
            for name in self.responses
            if self.better.get(name) == "higher" and self._varies(name)
            if any(word in str(self.about[name].get("name", name)).lower() for word in _GOODPUT)
        ]
        directed = [name for name in self.shown if self.better.get(name) in ("higher", "lower")]
        return tuple(goodputs or directed)[:_RANKED_RESPONSES]

    def _varies(self, name: str) -> bool:
        column = self.frame[name].drop_nulls() if name in self.frame.columns else pl.Series([])
        return (column.drop_nans() if column.dtype.is_float() else column).n_unique() > 1


def two_level_part(
    frame: pl.DataFrame, *, factors: Sequence[str], centre: int | None = None
) -> TwoLevelPart:
    """Leaves out what has no main effects: the centre of a design, and factors of other levels.

    Args:
        centre: Condition that was added to the design as its centre. Codes do not tell: the middle
            level of a factor with three has the code 0, too.
    """
    notes = []
    rest = frame if centre is None else frame.filter(pl.col("condition") != centre)
    if rest.height < frame.height and not rest.is_empty():
        notes.append(
            f"Condition {centre} is the centre of the design and has no part in the effects."
        )
    else:
        rest = frame
    kept = tuple(name for name in factors if set(rest[name].unique().to_list()) <= {-1, 1})
    left_out = [name for name in factors if name not in kept]
    if left_out and not kept:
        notes.append(
            "Not a two-level design, so there are no main effects: no factor has just a low and a "
            "high level. `level_means` has the means at every level."
        )
    elif left_out:
        notes.append(
            "Not of two levels, so without a main effect here, and averaged over: "
            f"{', '.join(left_out)}."
        )
    return TwoLevelPart(rest, kept, tuple(notes))
