"""Two flows of every algorithm: what kept runs decide is what pages have."""

import math
from pathlib import Path

import kept_runs
import pytest

from mesonet.studies import Options, find_study
from mesonet_studies.two_flow.charts import facts

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.fixture(scope="module")
def results():
    """Kept runs of the published setting without jitter of hosts, by name."""
    kept = kept_runs.read(kept_runs.KEPT / "two-flow.parquet")
    cell = find_study("two-flow").prepare(Options("pocket", variants=("host-jitter",))).cells[-1]
    return {
        name.removesuffix("-1"): kept[kept_runs.ITEMS, item.file]
        for name, item in cell.items.items()
        if name.endswith("-inf-1") and "dublin" not in name
    }


def named(results):
    """Algorithms of the runs."""
    return [name.removesuffix("-162ms-sst-inf") for name in results]


def test_rows_of_two_flows_are_those_of_kept_runs(load_tool, results):
    tool = load_tool("every_algorithm_tables")
    head, rule, *rows = tool.figures_table(results, named(results), 162, math.inf).splitlines()
    assert len(rows) == 8
    text = (DOCS / "studies" / "two-flow" / "every-setting.md").read_text("utf-8")
    shown = text[text.index("<!-- table two-flow-162-inf -->") :].partition("<!-- end -->")[0]
    assert [row for row in (head, rule, *rows) if f"{row}\n" not in shown] == []


def test_figures_on_pages_of_models_are_those_of_kept_runs(results):
    pages = "".join(page.read_text("utf-8") for page in sorted((DOCS / "models").glob("*.md")))
    drawn = [name for name in named(results) if f"![{name}. " in pages]
    assert len(drawn) >= 7
    for name, result in zip(named(results), results.values(), strict=True):
        if name in drawn:
            assert f"![{name}. Two flows, 162 ms: {facts(result['figures'])}]" in pages
