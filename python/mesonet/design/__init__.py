"""Designs: which combinations of factor levels to simulate.

A design is a matrix of codes from -1 to +1, one row per condition. A two-level design has only -1
and +1: a full factorial has every combination, in standard order with the first factor fastest; a
fractional factorial 2^(p-k) has a fraction 2^-k of them, in which k factors are set to products of
the others. The products are its generators; what they confound is its alias table.

Examples:
    >>> from mesonet.design import best_fraction
    >>> design = best_fraction(["speed", "delay", "buffer", "load", "size"], runs=16)
    >>> design.name, design.resolution, str(design.generators["size"])
    ('2^(5-1)', 5, 'speed*delay*buffer*load')
"""

from mesonet.design.augment import fold_over, with_centre
from mesonet.design.custom import custom_design
from mesonet.design.design import Design
from mesonet.design.factors import Factor, Scale, between, level_text
from mesonet.design.filling import latin_hypercube, sobol
from mesonet.design.reading import read_design
from mesonet.design.regular import (
    NAMED,
    best_fraction,
    fractional_factorial,
    full_factorial,
    named_fraction,
    roman,
)
from mesonet.design.screening import one_at_a_time, plackett_burman
from mesonet.design.words import Product, parse_product

__all__ = [
    "KINDS",
    "NAMED",
    "Design",
    "Factor",
    "Product",
    "Scale",
    "best_fraction",
    "between",
    "custom_design",
    "fold_over",
    "fractional_factorial",
    "full_factorial",
    "latin_hypercube",
    "level_text",
    "named_fraction",
    "one_at_a_time",
    "parse_product",
    "plackett_burman",
    "read_design",
    "roman",
    "sobol",
    "with_centre",
]

KINDS = {
    "full_factorial": "all combinations of the levels of all factors",
    "fractional_factorial": "2^(p-k) conditions, from generators, runs or a wanted resolution",
    "nist-2^(6-1)": "the MesoNet study's half fraction of six factors, resolution VI",
    "nist-2^(9-4)": "the MesoNet study's 32 conditions of nine factors, resolution IV",
    "nist-2^(20-12)": "256 conditions of twenty factors, resolution IV, for the study's screening",
    "plackett_burman": "two levels in a multiple of four conditions; main effects alone",
    "one_at_a_time": "a base condition and each factor moved alone; for contrast",
    "latin_hypercube": "points that cover every part of every factor's range once",
    "sobol": "a power of two points of a scrambled Sobol sequence",
    "custom": "the rows of a CSV file",
}
"""Kinds of design that a plan can name."""
