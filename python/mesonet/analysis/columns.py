"""Columns that tables of analyses share: unit and meaning of each."""

from __future__ import annotations

from collections.abc import Mapping

from mesonet.system.datasets import About, abouts

COLUMNS: Mapping[str, About] = abouts(
    (
        ("run", "", "identifier of the run"),
        ("response", "", "identifier of the response"),
        ("condition", "", "condition of the design, from 1"),
        ("alternative", "", "label of the alternative"),
        ("baseline", "", "alternative that the others are compared with"),
        ("replicate", "", "replicate, from 1"),
        ("seed", "", "seed of all random numbers of the run"),
        ("factor", "", "factor of the design"),
        ("mean", "", "mean, in the unit of its response or measure"),
        ("sd", "", "standard deviation, in the unit of its response or measure"),
        ("low", "", "lower end of the interval, in the unit of the estimate"),
        ("high", "", "upper end of the interval, in the unit of the estimate"),
        ("p", "1", "p value"),
        ("adjusted_p", "1", "p value adjusted over the family of tests"),
        ("n", "", "number of values"),
        ("rank", "", "rank, from 1"),
        ("packets", "packets", "packets put on the network"),
        ("measure", "", "measure of the comparison"),
        ("beside", "", "algorithm beside it; empty if it is alone"),
        ("repeats", "", "number of repeats"),
    )
)
"""Columns by name, with the meaning that they have in every table."""
