"""More seeds of some conditions say which statements chance could turn."""

from types import SimpleNamespace

import polars as pl
import pytest

from mesonet.studies import Options, find_study
from mesonet.studies.rules import between
from mesonet.studies.scorecard import Claim


@pytest.fixture(scope="module")
def tool(load_tool):
    return load_tool("chance")


def frame(values):
    """Seeds of condition 2, and one of condition 1."""
    rows = [(1, 1, 9.0), *((2, seed, value) for seed, value in enumerate(values, start=1))]
    return pl.DataFrame(rows, schema=["condition", "replicate", "y"], orient="row")


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([2.0, 2.1, 1.9], "agrees"),
        ([-2.0, -2.1, -1.9], "disagrees"),
        ([0.5, -0.4, 0.2], "undecided at this size"),
    ],
)
def test_seeds_of_some_conditions_decide_or_do_not(tool, values, verdict):
    def figures(run):
        rows = run.campaigns[""].results()
        # The other condition is there whichever seed is left out.
        assert rows.filter(condition=1).height == 1
        return {"y": float(rows.filter(condition=2)["y"].mean())}

    options = Options("pocket")
    claim = Claim("severe-fast", "A", "1", "here", between("y", low=0))
    study = SimpleNamespace(
        name="nist-2a",
        claims=[claim, Claim("other", "B", "1", "here", between("z", low=0))],
        code=SimpleNamespace(figures=figures),
        prepare=lambda _: SimpleNamespace(cells=[SimpleNamespace(plans=[""], options=options)]),
    )
    table = tool.judged(study, frame(values), SimpleNamespace(plan=None))
    assert {name: row[0] for name, row in table["verdicts"].items()} == {"severe-fast": verdict}
    assert (table["seeds"], table["conditions"]) == (3, [2])


def test_kept_seeds_are_of_statements_of_their_study(tool):
    for name, table in tool.kept_seeds().items():
        assert set(table["verdicts"]) <= {claim.id for claim in find_study(name).claims}
        assert table["seeds"] >= 3
