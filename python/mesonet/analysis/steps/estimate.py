"""NIST's ten-step analysis of a two-level experiment, in one call.

NIST/SEMATECH e-Handbook of Statistical Methods, section 5.5.9, an EDA approach to experimental
design, which is what Dataplot's ten-step analysis draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from mesonet.analysis.blocks.estimate import BlockComparison, block_comparison
from mesonet.analysis.contours.estimate import Contour, contour
from mesonet.analysis.interaction.estimate import Interactions, interactions
from mesonet.analysis.ordered.estimate import (
    FactorScatter,
    OrderedData,
    factor_scatter,
    ordered_data,
)
from mesonet.analysis.terms.estimate import TermEffects, term_effects


@dataclass(frozen=True)
class TenSteps:
    """The results that the ten plots are drawn from.

    Attributes:
        response: The column that was analysed.
        ordered: Step 1, ordered data.
        scatter: Step 2, the response against each factor.
        interactions: Step 4, the interaction effects matrix; its `main` is step 3, main effects.
        blocks: Step 5, the block plot.
        terms: Step 6, the Youden plot; 7, the sizes of the effects; 8, their half-normal
            probability plot; 9, its `models`: the cumulative residual standard deviation.
        contour: Step 10, the contour plot of the two dominant factors.
        notes: Reservations that all steps share.
    """

    response: str
    ordered: OrderedData
    scatter: FactorScatter
    interactions: Interactions
    blocks: BlockComparison
    terms: TermEffects
    contour: Contour
    notes: tuple[str, ...]


def ten_steps(frame: pl.DataFrame, *, factors: Sequence[str], response: str) -> TenSteps:
    """Makes all ten steps for one response.

    The observations are condition means over replicates and alternatives; give a frame of one
    alternative for the analysis of that one.
    """
    pairs = interactions(frame, factors=factors, responses=response)
    ordered = ordered_data(frame, factors=factors, response=response)
    return TenSteps(
        response=response,
        ordered=ordered,
        scatter=factor_scatter(frame, factors=factors, response=response),
        interactions=pairs,
        blocks=block_comparison(frame, factors=factors, response=response),
        terms=term_effects(frame, factors=factors, response=response),
        contour=contour(frame, factors=factors, response=response),
        notes=ordered.notes,
    )
