"""Entry of `interactions`."""

from __future__ import annotations

from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import SplitOptions

ENTRIES = (
    Analysis(
        folder="interaction",
        name="interactions",
        summary="two-factor interactions and what they are confounded with",
        options=SplitOptions,
        tables=(TableOf("interactions", "a response and a pair of factors"),),
        section="main-effects",
        page="howto/main-effects.md",
        charts=(
            ChartOf(
                "interactions_chart",
                (
                    "On the diagonal the main effects; elsewhere pairs of factors. Parallel "
                    "lines: each factor acts by itself. Lines that cross or spread: what one "
                    "does depends on the other, or the design cannot tell (see what is "
                    "confounded under The experiment)."
                ),
            ),
        ),
        needs="factors",
    ),
)
