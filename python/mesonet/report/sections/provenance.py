"""Section on the provenance of the results."""

from __future__ import annotations

from mesonet.analysis import digest
from mesonet.report.results import Results
from mesonet.report.sections.common import Context


def make(results: Results) -> Context:
    """The origin of the results, their fingerprint, and the plan."""
    measured = [name for name in results.inputs.responses if name in results.inputs.frame.columns]
    return {
        "about": results.inputs.provenance,
        "digest": digest(results.inputs.frame, responses=measured),
        "plan": results.inputs.plan,
    }
