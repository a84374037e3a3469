"""The three two-level fractions of the MesoNet study, by name.

K. L. Mills et al., NIST Special Publication 500-282. The rows of the 2^(9-4) are printed in the
study's slides ("Sample 2^(9-4) design") and its generators follow from them. Of the other two no
rows are printed in the sources at hand. The half fraction of six factors has one choice of highest
resolution, which is taken. The generators of the 2^(20-12) are ours: of resolution IV like the
study's, with words of even length only.
"""

from __future__ import annotations

from collections.abc import Sequence

from mesonet.design.design import Design
from mesonet.design.regular import fractional_factorial
from mesonet.errors import PlanError, Problem

_SENSITIVITY = "CDEFH ABEFG ABCFH BCE BFG ABCEG ADF ACDFG DEG ACDEG BCDFG ABDEH"

NAMED: dict[str, tuple[int, tuple[str, ...]]] = {
    "nist-2^(6-1)": (6, ("ABCDE",)),
    "nist-2^(9-4)": (9, ("BCDE", "ACDE", "ABDE", "ABCE")),
    "nist-2^(20-12)": (20, tuple(_SENSITIVITY.split())),
}
"""Number of factors, and for each after the basic ones the product of basic ones it is set to."""


def named_fraction(name: str, factors: Sequence[str]) -> Design:
    """A fraction of the MesoNet study, with the plan's factors in its columns, in order."""
    expected, products = NAMED[name]
    if len(factors) != expected:
        message = f"{name} has {expected} factors, the plan {len(factors)}"
        raise PlanError([Problem("design.kind", "factors", message)])
    basic = expected - len(products)
    generators = {
        factor: [factors["ABCDEFGH".index(letter)] for letter in product]
        for factor, product in zip(factors[basic:], products, strict=True)
    }
    return fractional_factorial(factors, generators)
