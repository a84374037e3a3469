"""Signed products of factors: generators, words and effects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Product(NamedTuple):
    """A signed product of factors: a generator, a word of the defining relation or an effect."""

    factors: tuple[str, ...]
    sign: int = 1

    def __str__(self) -> str:
        return ("-" if self.sign < 0 else "") + "*".join(self.factors)


def parse_product(text: str | Sequence[str]) -> Product:
    """Reads `"a*b"`, `"-a*b"` or a list of names."""
    names = text.split("*") if isinstance(text, str) else list(text)
    names = [name.strip() for name in names]
    sign = 1
    if names and names[0].startswith("-"):
        sign, names[0] = -1, names[0][1:].strip()
    return Product(tuple(name for name in names if name), sign)
