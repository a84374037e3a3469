"""Section on the responses that were measured."""

from __future__ import annotations

from mesonet.figures import describe_chart
from mesonet.page.charts import picture
from mesonet.page.tables import counts, numbers, table, words
from mesonet.report.results import Results
from mesonet.report.sections.common import Context, response_names, symbol_text, with_code


def make(results: Results) -> Context:
    """Definitions, and values by algorithm."""
    names = response_names(results)
    listed = [
        {
            "id": name,
            "name": str(about.get("name") or name),
            "unit": str(about.get("unit") or ""),
            "symbol": symbol_text(about.get("symbol")),
            "definition": with_code(str(about.get("definition") or "")),
            "source": str(about.get("source") or ""),
            "better": str(about.get("better") or "neither"),
        }
        for name, about in results.inputs.responses.items()
    ]
    columns = (
        words("response", "Response", names),
        words("alternative", "Alternative"),
        counts("conditions", "Conditions"),
        numbers("mean", "Mean"),
        numbers("sd", "sd"),
        numbers("minimum", "Minimum"),
        numbers("median", "Median"),
        numbers("maximum", "Maximum"),
    )
    chart = describe_chart(
        results.description,
        look=results.look,
        names=results.names,
        only=results.inputs.subject.shown,
    )
    return {
        "listed": listed,
        "table": table("responses", results.description.frame, columns),
        "picture": picture("responses", chart, "Range, median and mean of responses"),
    }
