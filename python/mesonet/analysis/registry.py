"""The analyses, in the order in which they are listed."""

from __future__ import annotations

from mesonet.analysis.components.entry import ENTRIES as COMPONENTS
from mesonet.analysis.conditions.entry import ENTRIES as CONDITIONS
from mesonet.analysis.correlation.entry import ENTRIES as CORRELATION
from mesonet.analysis.declaration import Analysis
from mesonet.analysis.dendrograms.entry import ENTRIES as DENDROGRAMS
from mesonet.analysis.description.entry import ENTRIES as DESCRIPTION
from mesonet.analysis.effects.entry import ENTRIES as EFFECTS
from mesonet.analysis.elementary.entry import ENTRIES as ELEMENTARY
from mesonet.analysis.fairness.entry import ENTRIES as FAIRNESS
from mesonet.analysis.flows.entry import ENTRIES as FLOWS
from mesonet.analysis.interaction.entry import ENTRIES as INTERACTION
from mesonet.analysis.outliers.entry import ENTRIES as OUTLIERS
from mesonet.analysis.paired.entry import ENTRIES as PAIRED
from mesonet.analysis.ranks.entry import ENTRIES as RANKS
from mesonet.analysis.response_groups.entry import ENTRIES as RESPONSE_GROUPS
from mesonet.analysis.significant.entry import ENTRIES as SIGNIFICANT
from mesonet.analysis.terms.entry import ENTRIES as TERMS
from mesonet.analysis.warmup.entry import ENTRIES as WARMUP

REGISTRY: dict[str, Analysis] = {
    analysis.name: analysis
    for analysis in (
        *DESCRIPTION,
        *EFFECTS,
        *SIGNIFICANT,
        *INTERACTION,
        *TERMS,
        *ELEMENTARY,
        *CORRELATION,
        *RESPONSE_GROUPS,
        *COMPONENTS,
        *DENDROGRAMS,
        *CONDITIONS,
        *OUTLIERS,
        *RANKS,
        *PAIRED,
        *FLOWS,
        *FAIRNESS,
        *WARMUP,
    )
}
"""Every analysis by name."""

COLUMNS = {table.name: table.columns for analysis in REGISTRY.values() for table in analysis.tables}
"""Columns of every table by its name."""
