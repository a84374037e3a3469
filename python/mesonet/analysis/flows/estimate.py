"""Comparison of two kinds of flows in the same network, for a campaign."""

from __future__ import annotations

from typing import Any

from mesonet.analysis.flows.comparison import FlowComparison, compare_flows
from mesonet.analysis.subject import Subject


def tabled_flow_comparison(subject: Subject, options: dict[str, Any]) -> FlowComparison:
    """Compares flows on all responses that are kept for the standard flows."""
    tail = f":{options.get('standard', 'reno')}"
    kept = [name.removesuffix(tail) for name in subject.responses if name.endswith(tail)]
    return compare_flows(subject.frame, **{"groups": kept, "order_by": subject.order_by} | options)
