"""Two-level fractions of minimum aberration: the standard choices, as data.

Up to eleven factors the generators are those that textbooks and the NIST/SEMATECH e-Handbook of
Statistical Methods, section 5.3.3.4.7, print. The others were found by
`mesonet.design.aberration.search` with 40 to 500 starts. In 8 and 16 conditions exhaustive search
finds nothing better; word-length patterns in 32 and 64 conditions are compared with those of J.
Chen, D. X. Sun and C. F. J. Wu, "A catalogue of two-level and three-level fractional factorial
designs with small runs", International Statistical Review 61 (1993). The rest are the best that was
found, which need not be the best there is.
"""

from functools import cache
from importlib import resources


@cache
def catalogue() -> dict[tuple[int, int], tuple[int, ...]]:
    """Columns of the further factors by (factors, basic factors); bit j is basic factor j.

    A line of the file has the two numbers, and for each further factor the product of basic ones,
    `a` the fastest.
    """
    text = (resources.files("mesonet") / "data" / "fractions.txt").read_text("ascii")
    entries = [line.split(":") for line in text.splitlines()]
    return {
        (int(factors), int(basic)): tuple(map(_column, words.split()))
        for head, words in entries
        for factors, basic in [head.split()]
    }


def _column(word: str) -> int:
    return sum(1 << "abcdefgh".index(letter) for letter in word)
