"""Entry of `elementary_effects`."""

from __future__ import annotations

from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import SplitOptions

ENTRIES = (
    Analysis(
        folder="elementary",
        name="elementary_effects",
        summary="elementary effects of a Morris design",
        options=SplitOptions,
        tables=(TableOf("elementary_effects", "a response and a factor"),),
        page="howto/designs.md",
        charts=(
            ChartOf(
                "elementary_effects_chart",
                (
                    "Standard deviation against mean of the effects: factors far to the right "
                    "matter, high ones act with others."
                ),
            ),
        ),
        section="elementary-effects",
        asked=True,
    ),
)
