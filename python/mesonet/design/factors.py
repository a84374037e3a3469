"""Factors: what a design varies, how its levels are coded, and what lies between two of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from mesonet.units import QUANTITY

Scale = Literal["linear", "log"]

# Powers differ in their last bits between platforms; twelve digits are the same everywhere.
_DIGITS = 12
_NEAR = 1e-9


class Factor(NamedTuple):
    """Something that a design varies.

    `paths` are places in the scenario, such as `think_time` or `flows[0].algorithm`. One path takes
    a level as it is; several move together, and a level has one value for each.

    Levels are coded from -1 to +1. A factor with `low` and `high` has -1 and +1 and, where numbers
    stand at both ends, everything between, on its `scale`. A factor with a list of `levels` has
    these alone, their codes equally spaced whatever their values: the code says which level in the
    list, no more. `low` and `high` are then the first and the last.
    """

    name: str
    paths: tuple[str, ...]
    low: object
    high: object
    symbol: str = ""
    label: str = ""
    levels: tuple[object, ...] = ()
    scale: Scale = "linear"
    names: tuple[str, ...] = ()
    """Names of the `levels`, for people; none if they have none."""
    bundles: bool = False
    """True if each level is a table of what it sets, by path; what it leaves out stays."""

    @property
    def continuous(self) -> bool:
        """True if there are values between low and high."""
        return not self.levels and between(self.low, self.high, 0.5, scale=self.scale) is not None

    @property
    def codes(self) -> tuple[float, ...]:
        """Codes of the levels that stand in the plan: -1 and +1, or one for each in the list."""
        last = max(len(self.levels), 2) - 1
        return tuple((2 * position - last) / last for position in range(last + 1))

    def level(self, coded: float) -> object:
        """The level of a code; `ValueError` if there is none."""
        for code, level in zip(self.codes, self.levels or (self.low, self.high), strict=True):
            if abs(code - coded) <= _NEAR:
                return level
        inside = not self.levels and -1 < coded < 1
        value = between(self.low, self.high, (coded + 1) / 2, scale=self.scale) if inside else None
        if value is None:
            raise ValueError(f"{self.name} has no level of code {coded:g}")
        return value

    def code(self, text: str) -> float | None:
        """The code of a level as people write it, or of what lies between; None if it is neither.

        Quantities are those of the plan's unit.
        """
        if text in self.names:
            return self.codes[self.names.index(text)]
        for code, level in zip(self.codes, self.levels or (self.low, self.high), strict=True):
            if _is_level(text, level):
                return code
        share = self._share(text) if self.continuous else None
        if share is None or not 0 < share < 1:
            return None
        code = float(f"{2 * share - 1:.{_DIGITS}g}")
        # Between whole numbers there are only these.
        return code if _is_level(text, self.level(code)) else None

    def _share(self, text: str) -> float | None:
        """Position of a number or a quantity between low (0) and high (1)."""
        value, low, high = (_quantity(str(end)) for end in (text, self.low, self.high))
        if value is None or low is None or high is None or not value[1] == low[1] == high[1]:
            return None
        if self.scale == "linear":
            return (value[0] - low[0]) / (high[0] - low[0])
        return math.log(value[0] / low[0]) / math.log(high[0] / low[0]) if value[0] > 0 else None

    def settings(self, coded: float) -> dict[str, object]:
        """Values that the level of a code sets, by path in the scenario."""
        level = self.level(coded)
        if self.bundles and isinstance(level, Mapping):
            return dict(level)
        values = [level] if len(self.paths) == 1 else list(level)  # type: ignore[call-overload]
        return dict(zip(self.paths, values, strict=True))

    def text(self, coded: float) -> str:
        """The level of a code as text."""
        level = self.level(coded)
        if self.names:
            return self.names[self.levels.index(level)]
        own = [level_text(it) for it in self.levels or (self.low, self.high)]
        # Results are grouped by these words.
        return level_text(level, digits=4 if len({*own}) == len(own) else _DIGITS)


def _is_level(text: str, level: object) -> bool:
    """Tests whether a text is a level as a plan or a table has it: `5.0 ms` is `5 ms`."""
    if isinstance(level, bool):
        return text.casefold() == level_text(level)
    if text in (level_text(level), str(level)):
        return True
    quantity, level_quantity = _quantity(text), _quantity(str(level))
    return (
        quantity is not None
        and level_quantity is not None
        and quantity[1] == level_quantity[1]
        and math.isclose(quantity[0], level_quantity[0], rel_tol=10.0**-_DIGITS)
    )


def level_text(level: object, *, digits: int = 4) -> str:
    """A level as people write it: lists with slashes, numbers short, a kind before its table."""
    if isinstance(level, bool):
        return str(level).lower()
    if isinstance(level, float):
        return f"{level:.{digits}g}"
    if isinstance(level, str) and (quantity := _quantity(level)) and len(level) > _DIGITS:
        return f"{quantity[0]:.{digits}g} {quantity[1]}".strip()
    if isinstance(level, Mapping):
        return _table_text(level, digits)
    if isinstance(level, Iterable) and not isinstance(level, str):
        values = list(level)
        nested = any(isinstance(value, list | tuple | Mapping) for value in values)
        return ("; " if nested else "/").join(level_text(value, digits=digits) for value in values)
    return str(level)


def _table_text(table: Mapping[object, object], digits: int) -> str:
    """A table as people write it: `codel (target 5 ms)`, `backbone droptail, access fq_codel`."""
    entries = ", ".join(
        f"{key} {level_text(value, digits=digits)}" for key, value in table.items() if key != "kind"
    )
    if "kind" not in table:
        return entries
    return f"{level_text(table['kind'])} ({entries})" if entries else level_text(table["kind"])


def between(low: object, high: object, share: float, *, scale: Scale) -> object | None:
    """Value at a share of the way between two levels, or None where there is none.

    Numbers, quantities of the same unit, and lists and tables of these, entry by entry. Between two
    whole numbers there are only whole numbers; `2.0` stands for a number that need not be whole. A
    "log" scale has equal ratios between positive ends.
    """
    if isinstance(low, bool) or isinstance(high, bool):
        return None
    if isinstance(low, int) and isinstance(high, int):
        value = _number(low, high, share, scale)
        return None if value is None else round(value)
    if isinstance(low, int | float) and isinstance(high, int | float):
        return _number(low, high, share, scale)
    if isinstance(low, str) and isinstance(high, str):
        return _between_quantities(low, high, share, scale)
    if isinstance(low, Mapping) and isinstance(high, Mapping) and set(low) == set(high):
        return _whole({key: _same_or_between(low[key], high[key], share, scale) for key in low})
    if isinstance(low, list | tuple) and isinstance(high, list | tuple) and len(low) == len(high):
        ends = enumerate(zip(low, high, strict=True))
        values = _whole({key: _same_or_between(*pair, share, scale) for key, pair in ends})
        return None if values is None else list(values.values())
    return None


def _same_or_between(low: object, high: object, share: float, scale: Scale) -> object | None:
    return low if low == high else between(low, high, share, scale=scale)


def _whole(values: dict[object, object | None]) -> dict[object, object] | None:
    return values if values and None not in values.values() else None


def _number(low: float, high: float, share: float, scale: Scale) -> float | None:
    if scale == "log" and (low <= 0 or high <= 0):
        return None
    try:
        value = low * (high / low) ** share if scale == "log" else low + (high - low) * share
    except OverflowError:
        return None
    return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None


def _between_quantities(low: str, high: str, share: float, scale: Scale) -> str | None:
    start, end = _quantity(low), _quantity(high)
    if start is None or end is None or start[1] != end[1]:
        return None
    value = _number(start[0], end[0], share, scale)
    return None if value is None else f"{value!r} {start[1]}".strip()


def _quantity(text: str) -> tuple[float, str] | None:
    match = QUANTITY.fullmatch(text)
    return (float(match[1].replace("_", "")), match[2]) if match else None
