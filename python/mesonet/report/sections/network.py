"""The map of the network."""

from __future__ import annotations

import polars as pl

from mesonet.figures import has_map, network_chart
from mesonet.page.charts import picture
from mesonet.page.tables import numbers, table, words
from mesonet.report.results import Results
from mesonet.report.sections.common import Context


def make(results: Results) -> Context:
    """The map and its links; empty without places."""
    geometry = results.inputs.geometry
    if not has_map(geometry):
        return {}
    links = pl.DataFrame(
        [
            (str(link["a"]), str(link["b"]), link.get("delay_ms"))
            for link in geometry.get("links", ())
        ],
        schema={"from": pl.String, "to": pl.String, "delay_ms": pl.Float64},
        orient="row",
    )
    columns = (words("from", "From"), words("to", "To"), numbers("delay_ms", "One-way delay, ms"))
    return {
        "picture": picture("network", network_chart(geometry), "Map of the backbone"),
        "table": table("links", links, columns),
        "nodes": len(geometry.get("nodes", ())),
    }
