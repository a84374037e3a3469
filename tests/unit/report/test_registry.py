"""Everything that the registry names exists, and nothing that exists is left out of it."""

import pkgutil
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
import synthetic
from tabled import tabled

import mesonet.analysis
from mesonet import figures
from mesonet.analysis import REGISTRY, SECTIONS
from mesonet.report.fold import NEEDS

DOCS = Path(__file__).parents[3] / "docs"
EACH = pytest.mark.parametrize("analysis", REGISTRY.values(), ids=list(REGISTRY))


@EACH
def test_an_analysis_makes_the_tables_that_it_declares(analysis):
    tables = tabled(
        synthetic.campaign(),
        factors=synthetic.FACTORS,
        responses=["loss_rate", "queueing_delay"],
        kinds=[analysis.name],
    )
    assert list(tables) == [table.name for table in analysis.tables]
    assert analysis.tables[0].name == analysis.name


@EACH
def test_its_charts_section_and_page_exist(analysis):
    assert all(callable(getattr(figures, chart.function)) for chart in analysis.charts)
    assert analysis.section in {section.identifier for section in SECTIONS}
    assert analysis.needs in NEEDS
    assert not analysis.page or (DOCS / analysis.page).is_file()


def test_no_analysis_is_left_out():
    entries = {
        entry.name
        for folder in pkgutil.iter_modules(mesonet.analysis.__path__)
        if folder.ispkg and find_spec(f"mesonet.analysis.{folder.name}.entry")
        for entry in import_module(f"mesonet.analysis.{folder.name}.entry").ENTRIES
    }
    assert entries == set(REGISTRY)


def test_no_two_tables_have_one_name():
    names = [table.name for analysis in REGISTRY.values() for table in analysis.tables]
    assert len(names) == len(set(names))
