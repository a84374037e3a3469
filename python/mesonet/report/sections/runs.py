"""Every run with its command."""

from __future__ import annotations

from mesonet.page.tables import table
from mesonet.report.results import Results
from mesonet.report.sections.common import Context


def make(results: Results) -> Context:
    """Every run, and all results to download."""
    commands = results.inputs.commands
    frame = results.inputs.frame
    named = [
        {**row, "command": commands.get(row["run"], "")}
        for row in frame.select("run", "condition", "alternative", "replicate", "seed").iter_rows(
            named=True
        )
    ]
    return {"runs": named, "table": table("results", frame, ()) if frame.height else None}
