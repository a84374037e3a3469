"""Section on the congestion of each condition."""

from __future__ import annotations

from mesonet.figures import congestion_chart
from mesonet.page.charts import picture
from mesonet.page.tables import counts, numbers, table
from mesonet.report.results import Results
from mesonet.report.sections.common import Context
from mesonet.report.sections.queues import queue_management


def make(results: Results) -> Context:
    """The congestion of every condition and its queues; empty if nothing measures them."""
    queues = queue_management(results)
    return _by_condition(results) | ({"queues": queues} if queues else {})


def _by_condition(results: Results) -> Context:
    result = results.congestion
    if result is None:
        return {}
    wide = result.conditions
    by_label = result.frame.pivot("alternative", index="condition", values="value")
    wide = wide.join(by_label, on="condition", maintain_order="left")
    columns = [counts("position", "Order"), counts("condition", "Condition")]
    columns += [numbers(label, label) for label in results.look.alternatives]
    columns += [numbers("value", "Mean")]
    chart = congestion_chart(result, look=results.look, names=results.names)
    name = results.names.response(result.response)
    return {
        "name": name,
        "picture": picture("congestion", chart, f"{name} of each condition and alternative"),
        "table": table("congestion", wide, columns),
    }
