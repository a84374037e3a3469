"""The analyses, in the order in which they are listed."""

from __future__ import annotations

from mesonet.analyses.declaration import Analysis
from mesonet.analyses.entries.alternatives import ALTERNATIVES
from mesonet.analyses.entries.description import DESCRIPTION, WARM_UP
from mesonet.analyses.entries.factors import FACTORS
from mesonet.analyses.entries.reduction import REDUCTION

REGISTRY: dict[str, Analysis] = {
    analysis.name: analysis
    for analysis in (*DESCRIPTION, *FACTORS, *REDUCTION, *ALTERNATIVES, WARM_UP)
}
"""Every analysis by name."""
