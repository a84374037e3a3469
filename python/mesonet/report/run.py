"""The page of one run: its flows and queues over time, its responses, its scenario."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from mesonet.analysis import queue_records, trace
from mesonet.controller import short
from mesonet.figures import has_links, laboratory_chart, number, queues_chart, run_chart
from mesonet.page.blocks import ZOOM, Block, CaptionedChart, Notes, Paragraph, TitledTable
from mesonet.page.charts import picture
from mesonet.page.layout import Fact
from mesonet.page.simple import Part, simple_page
from mesonet.page.tables import Column, Table
from mesonet.report.headlines import flow_rows, headlines
from mesonet.responses import lookup
from mesonet.run import Run
from mesonet.tables import result_version


def render_run(run: Run) -> str:
    """The page as HTML. It loads nothing, and the same run gives the same text."""
    fates = run.conservation
    return simple_page(
        kind="mesonet run",
        title=", ".join(map(short, run.scenario.algorithm_places())),
        question="What did flows and queues do over time?",
        facts=[
            Fact("Duration", run.length),
            Fact("Seed", str(run.seed)),
            Fact("Packets", f"{fates['injected']:,}"),
            Fact("Dropped", f"{fates['dropped']:,}"),
        ],
        parts=[
            Part("summary", "First numbers", tuple(_first(run))),
            Part("time", "Over time", tuple(_over_time(run))),
            *_network(run),
            Part("responses", "Responses", (TitledTable("", _responses(run)),)),
        ],
        settings={"Scenario": run.scenario.to_toml(), "Result version": result_version()},
    )


def _first(run: Run) -> Iterator[Block]:
    """The numbers that the terminal prints, too."""
    rows = headlines(run.scenario, {"": run.responses})
    yield TitledTable("", _written("numbers", ["Measure", "Value", "Unit"], rows))
    if flows := flow_rows(run):
        yield TitledTable("", _written("flows", flows[0], flows[1:]))


def _written(identifier: str, headings: list[str], rows: list[list[str]]) -> Table:
    """A table of texts, of which the first of a row says what it is of."""
    frame = pl.DataFrame(rows, schema=headings, orient="row")
    columns = (Column(it, it, numeric=it not in ("Measure", "Unit", "flow")) for it in headings)
    return Table(identifier, tuple(columns), frame)


def _network(run: Run) -> Iterator[Part]:
    """The network, where there is more of it than one link."""
    if has_links(run.scenario):
        chart = picture("network", laboratory_chart(run.scenario), "Hosts, routers and links")
        caption = "Rate, delay, queue and room of each link, and the flows that send over it."
        yield Part("network", "Network", (CaptionedChart(chart, caption),))


def _over_time(run: Run) -> list[Block]:
    caption = "Flows and the bottleneck over the same time, in panels below one another."
    chart = picture("run", run_chart(run), "Flows and queues over time")
    blocks: list[Block] = [ZOOM, CaptionedChart(chart, caption)]
    if not run.queue_states.is_empty():
        records = queue_records(run)
        beside = queues_chart(records, flows=trace(run).flows)
        drawn = picture("queues", beside, "Queue management over time")
        blocks.append(CaptionedChart(drawn, "Queue management at the recorded stations."))
    notes = trace(run).notes
    if notes:
        blocks.append(Notes(tuple(Paragraph(text, text) for text in notes)))
    return blocks


def _responses(run: Run) -> Table:
    defined = {name: value for name, value in run.responses.items() if value == value}
    variants = [lookup(name) for name in defined]
    frame = pl.DataFrame(
        {
            "response": list(defined),
            "name": [variant.name for variant in variants],
            "value": list(defined.values()),
            "unit": [variant.response.unit for variant in variants],
        }
    )
    columns = (
        Column("name", "Response", numeric=False),
        Column("value", "Value", form=number),
        Column("unit", "Unit", form=lambda unit: "–" if unit == "1" else unit, numeric=False),
        Column("response", "Identifier", numeric=False),
    )
    return Table("responses", columns, frame)
