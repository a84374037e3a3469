"""Tables of the comparison of two kinds of flows in the same network."""

from __future__ import annotations

from typing import Any

from mesonet.analysis.flows.comparison import compare_flows
from mesonet.analysis.flows.histogram import difference_histogram
from mesonet.analysis.flows.ranks import flow_ranks
from mesonet.analysis.subject import Subject
from mesonet.analysis.tabled import Tabled


def tabled_flow_comparison(subject: Subject, options: dict[str, Any]) -> Tabled:
    """Compares flows on all responses that are kept for the standard flows."""
    tail = f":{options.get('standard', 'reno')}"
    kept = [name.removesuffix(tail) for name in subject.responses if name.endswith(tail)]
    result = compare_flows(
        subject.frame, **{"groups": kept, "order_by": subject.order_by} | options
    )
    frames = {
        "flow_comparison": result.frame,
        "flow_summary": result.summary,
        "flow_histogram": difference_histogram(result).frame,
        "flow_ranks": flow_ranks(result).frame,
    }
    return Tabled(result, frames, result.notes)
