"""Numbers for people, in typography for pages and plain characters for files, and exact ones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any


def number(value: float | None, *, digits: int = 4, signed: bool = False) -> str:
    """A number for people: `digits` significant digits, thousands apart, a true minus.

    `None` and NaN are "–".
    """
    if value is None or math.isnan(value):
        return "–"
    sign = "+" if signed and value > 0 else ""
    if math.isinf(value):
        return f"{sign}∞" if value > 0 else "−∞"
    size = abs(value)
    if size == 0.0:
        return "0"
    # What rounds to one digit more than `digits` is written out, too.
    if size >= 10.0**digits - 0.5 and size < 1e7:
        text = f"{value:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}")
    elif size >= 1e7 or size < 1e-4:
        mantissa, exponent = f"{value:.{max(digits - 2, 0)}e}".split("e")
        power = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        text = f"{mantissa}×10{power}"
    else:
        text = f"{value:.{digits}g}"
    return sign + text.replace("-", "−")


def percent(value: float | None, *, digits: int = 2, signed: bool = True) -> str:
    """A fraction as a percentage with `digits` significant digits."""
    if value is None or math.isnan(value) or math.isinf(value):
        return "–"
    scaled = 100.0 * value
    whole = f"{scaled:.0f}" if abs(scaled) >= 10.0**digits - 0.5 else f"{scaled:.{digits}g}"
    if abs(scaled) < 1e-3:
        whole = "0"
    sign = "+" if signed and scaled > 0 and whole != "0" else ""
    return f"{sign}{whole}\N{NARROW NO-BREAK SPACE}%".replace("-", "−")


def probability(value: float | None) -> str:
    """A p value: two significant digits down to 0.0001."""
    if value is None or math.isnan(value):
        return "–"
    return "< 0.0001" if value < 1e-4 else f"{value:.2g}" if value < 0.1 else f"{value:.2f}"


def plain_number(value: float) -> str:
    """A number to four digits, in characters that every terminal and file has.

    Examples:
        >>> plain_number(2615.6), plain_number(0.04812), plain_number(float("nan"))
        ('2616', '0.04812', 'not computable')
    """
    if math.isnan(value):
        return "not computable"
    if value != 0 and (abs(value) >= 1e6 or abs(value) < 1e-3):
        return f"{value:.3g}"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def exact(value: float) -> Fraction:
    """The decimal number that `value` is written as: 0.1 is one tenth."""
    return Fraction(repr(value))


def plain(data: Any) -> Any:
    """Data in which numbers and arrays of numpy are those of Python, as files hold them."""
    if isinstance(data, Mapping):
        return {key: plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [plain(value) for value in data]
    return data.tolist() if type(data).__module__ == "numpy" and hasattr(data, "tolist") else data


def finite(data: Any) -> Any:
    """Data as JSON can hold it: NaN and infinities become null."""
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, Mapping):
        return {str(key): finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [finite(value) for value in data]
    return data
