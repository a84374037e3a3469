"""The only parser of units: `"100 Mbit/s"`, `"40 ms"`, `"1 bdp"`, `"1200 p/ms"`.

Text with a unit stands in files and at the public interface; inside, everything is a float in SI
units. Arithmetic on the way in and out is decimal, so that what `format_time` writes parses back to
the very same float.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Literal

from mesonet.errors import did_you_mean, show

QUANTITY = re.compile(
    r"\s*([+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*(.*?)\s*", re.DOTALL
)
"""A number and what stands behind it, perhaps a unit."""
_DECIMAL = Context(prec=60)
_BYTE_RATE, _BITS = re.compile(r"([kMGT]?)B(?:/s|ps)"), re.compile(r"([kMGT]?)(?:b|bits?)")

_TIMES = {
    "ps": Decimal("1e-12"),
    "ns": Decimal("1e-9"),
    "us": Decimal("1e-6"),
    "\N{MICRO SIGN}s": Decimal("1e-6"),
    "\N{GREEK SMALL LETTER MU}s": Decimal("1e-6"),
    "ms": Decimal("1e-3"),
    "s": Decimal(1),
    "min": Decimal(60),
    "h": Decimal(3600),
}
_PREFIXES = {
    "": Decimal(1),
    "k": Decimal(10**3),
    "M": Decimal(10**6),
    "G": Decimal(10**9),
    "T": Decimal(10**12),
}
_BIT_RATES = {
    f"{prefix}{unit}": factor for prefix, factor in _PREFIXES.items() for unit in ("bit/s", "bps")
}
_PACKET_RATES = {
    f"{packets}/{time}": 1 / _TIMES[time]
    for packets in ("p", "packets", "segments")
    for time in ("us", "ms", "s")
}
_PACKETS = {name: Decimal(1) for name in ("packets", "packet", "p", "segments", "segment")}
_BYTES = {
    **{f"{prefix}B": factor for prefix, factor in _PREFIXES.items()},
    "KiB": Decimal(2**10),
    "MiB": Decimal(2**20),
    "GiB": Decimal(2**30),
}


PACKET_BITS = 12_000
"""Size of a full packet of 1500 bytes [bit]."""


class UnitError(ValueError):
    """Text that is not a quantity of the kind asked for; the message says what would be right."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A service rate: `value` per second of `of`."""

    value: float
    of: Literal["bits", "packets"]

    @property
    def packet_time(self) -> float:
        """Time that a full packet takes [s]."""
        return (PACKET_BITS if self.of == "bits" else 1) / self.value

    def __str__(self) -> str:
        return format_rate(self)


@dataclass(frozen=True, slots=True)
class Size:
    """An amount of data or of room: `value` packets, bytes or bandwidth-delay products."""

    value: float
    of: Literal["packets", "bytes", "bdp"]

    def __str__(self) -> str:
        return format_size(self)


def parse_time(text: object, *, unit: str = "s") -> float:
    """Seconds in a text such as `"40 ms"`; `UnitError` if it is anything else.

    For a number alone the error proposes `unit`; for a fraction seconds, as other tools have it.
    """
    expected = 'a time such as "40 ms" or "2 s"'
    alone = _alone(text)
    if alone is not None and 0 < alone < 1:
        unit = "s"
    number, symbol = _split(text, expected, _TIMES, plain=f'"{{}} {unit}"')
    return _scale(number, _TIMES[symbol], text, expected)


def parse_rate(text: object, *, of: Literal["bits", "packets"] | None = None) -> Rate:
    """The rate in a text such as `"100 Mbit/s"` or `"1200 p/ms"`, `of` one kind; or `UnitError`."""
    examples = {
        "bits": 'a rate in bits such as "100 Mbit/s"',
        "packets": 'a rate in packets such as "1200 p/ms"',
        None: 'a rate such as "100 Mbit/s" or "1200 p/ms"',
    }
    expected = examples[of]
    alone, plain = _alone(text), '"{} p/ms"' if of == "packets" else None
    if of != "packets" and alone is not None and alone > 0:
        # Nobody means ten bits in a second, nor ten million megabits.
        plain = f'"{format_rate(Rate(alone if alone >= 1000 else alone * 1e6, "bits"))}"'
    units = {"bits": _BIT_RATES, "packets": _PACKET_RATES, None: _BIT_RATES | _PACKET_RATES}[of]
    number, unit = _split(text, expected, units, plain=plain)
    kind: Literal["bits", "packets"] = "bits" if unit in _BIT_RATES else "packets"
    return Rate(_scale(number, units[unit], text, expected), kind)


def parse_size(text: object, *, bdp: bool = False, unit: str = "packets") -> Size:
    """The size in a text such as `"100 packets"` or `"1 MB"`; `UnitError` otherwise.

    With `bdp`, also multiples of the bandwidth-delay product, `"1 bdp"`. For a number alone the
    error proposes `unit`.
    """
    units = {**_PACKETS, **_BYTES, **({"bdp": Decimal(1)} if bdp else {})}
    expected = 'a size such as "100 packets", "64 kB"' + (' or "1 bdp"' if bdp else "")
    number, symbol = _split(text, expected, units, plain=f'"{{}} {unit}"')
    value = _scale(number, units[symbol], text, expected)
    return Size(value, "bdp" if symbol == "bdp" else "packets" if symbol in _PACKETS else "bytes")


def format_time(seconds: float) -> str:
    """`0.04` as `"40 ms"`; parses back to the same float."""
    for unit in ("s", "ms", "us", "ns"):
        if abs(seconds) >= float(_TIMES[unit]):
            return _format(seconds, _TIMES[unit], unit)
    return _format(seconds, _TIMES["s" if seconds == 0 else "ps"], "s" if seconds == 0 else "ps")


def format_rate(rate: Rate) -> str:
    """`Rate(1e8, "bits")` as `"100 Mbit/s"`; parses back to the same rate."""
    if rate.of == "packets":
        unit = "p/ms" if rate.value >= 1000 else "p/s"
        return _format(rate.value, _PACKET_RATES[unit], unit)
    unit = _largest(rate.value, [f"{prefix}bit/s" for prefix in _PREFIXES], _BIT_RATES)
    return _format(rate.value, _BIT_RATES[unit], unit)


def format_size(size: Size) -> str:
    """`Size(1e6, "bytes")` as `"1 MB"`; parses back to the same size."""
    if size.of != "bytes":
        return _format(size.value, Decimal(1), size.of)
    unit = _largest(size.value, [f"{prefix}B" for prefix in _PREFIXES], _BYTES)
    return _format(size.value, _BYTES[unit], unit)


def _split(
    text: object, expected: str, units: dict[str, Decimal], plain: str | None = None
) -> tuple[Decimal, str]:
    match = QUANTITY.fullmatch(text) if isinstance(text, str) else None
    if match and match[2] in units:
        return Decimal(match[1].replace("_", "")), match[2]
    hint, alone = "", _alone(text)
    if match and match[2]:
        known = did_you_mean(match[2], units) or f"; known units are {', '.join(units)}"
        hint = _confused(match[2], units) or known
    elif alone is not None:
        number = match[1] if match else show(text)
        # What is proposed would be taken.
        example = f", for instance {plain.format(number)}" if plain and alone >= 0 else ""
        hint = f"; say the unit{example}"
    raise UnitError(f"expected {expected}, got {show(text)}{hint}")


def _confused(unit: str, units: Collection[str]) -> str:
    """A hint for a comma in a number, bytes where rates are, bits where sizes are; else nothing."""
    if unit[0] == ",":
        return "; decimals have a point"
    if "bit/s" in units and (kind := _BYTE_RATE.fullmatch(unit)):
        return f'; a byte has 8 bits: say "{kind[1]}bit/s"'
    if "kB" in units and (kind := _BITS.fullmatch(unit)):
        return f'; a byte has 8 bits: say "{kind[1]}B"'
    return ""


def _alone(text: object) -> float | None:
    """The number where nothing else is given, as a number or a text; None if it is not finite."""
    if isinstance(text, str):
        match = QUANTITY.fullmatch(text)
        if match is None or match[2]:
            return None
        text = float(match[1].replace("_", ""))
    if isinstance(text, bool) or not isinstance(text, int | float):
        return None
    return float(text) if -math.inf < text < math.inf and abs(text) < 1e300 else None


def _scale(number: Decimal, factor: Decimal, text: object, expected: str) -> float:
    if number < 0:
        raise UnitError(f"expected {expected}, not negative, got {show(text)}")
    value = float(_DECIMAL.multiply(number, factor))
    if not math.isfinite(value) or (value == 0 and number != 0):
        size = "small" if value == 0 else "large"
        why = f"which is too {size} to compute with"
        raise UnitError(f"expected {expected}, got {show(text)}, {why}")
    return value


def _format(value: float, factor: Decimal, unit: str) -> str:
    # repr is the shortest text that is the same float; in decimal, dividing it stays exact.
    quotient = _DECIMAL.divide(Decimal(repr(value)), factor).normalize(_DECIMAL)
    exponent = quotient.as_tuple().exponent
    plain = isinstance(exponent, int) and -20 < exponent < 16
    return f"{format(quotient, 'f') if plain else quotient} {unit}"


def _largest(value: float, names: list[str], units: dict[str, Decimal]) -> str:
    fitting = [name for name in names if value >= units[name]]
    return fitting[-1] if fitting else names[0]
