"""The study of applications beside bulk flows: its runs, and figures of hand-made numbers."""

import csv
import tomllib

import pytest

from mesonet.simulation import simulate
from mesonet.studies import Options, RunResults, find_study
from mesonet_studies.applications import measure

FOLDER = find_study("applications").folder
VALUES = tomllib.loads((FOLDER / "study.toml").read_text("utf-8"))["values"]


def test_sizes_of_short_flows_are_those_of_the_source():
    """64 KiB and 2 MiB at the percentiles 5 and 95; a mean of 645,683 bytes every 200 ms."""
    scenario = measure._short_flows(20, "none", VALUES | {"short_duration": "150 s"})
    requests = simulate(scenario).requests
    sizes = 1460 * requests["size"]
    assert sizes.mean() == pytest.approx(646e3, rel=0.1)
    assert sizes.quantile(0.05) == pytest.approx(65_536, rel=0.2)
    assert sizes.quantile(0.95) == pytest.approx(2_097_152, rel=0.2)
    assert requests["asked"].min() > 20
    assert len(requests) == pytest.approx(650, rel=0.15)


def test_a_household_has_its_users_and_a_bulk_flow():
    items = {it.name: it for it in measure.runs(Options(values=VALUES, chosen=("cubic",)))}
    assert len(items) == (4 * 2 * 5 + 5 * 3) * 3
    alone, beside = (items[f"dsl-fq_codel-{bulk}-0"].scenario for bulk in ("none", "bbr3"))
    assert [it.name for it in alone.flows] == ["page", "film", "call", "requests"]
    assert beside.flows[:-1] == alone.flows
    assert (beside.flows[-1].algorithm, beside.queue.kind) == ("bbr3", "fq_codel")
    assert {it.algorithm for it in alone.flows} == {"cubic"}


def test_harm_is_the_part_that_the_long_flow_adds(tmp_path):
    """(315 - 154) / 315 and (1132 - 154) / 1132, as printed."""
    with (FOLDER / "short.csv").open() as file:
        rows = list(csv.DictReader(file))
    results = {
        f"short-{row['rtt']}-{row['bulk']}-0": {"median": float(row["printed"]) / 1000}
        for row in rows
    }
    seen = dict.fromkeys(measure.SEEN, 1.0)
    results |= {"lte-droptail-reno-0": seen, "lte-droptail-reno-1": seen | {"page": 3.0}}
    options = Options(values=VALUES, chosen=("cubic",))
    figures = measure.figures(RunResults(results, {}, {}, tmp_path, options=options))
    printed = {10: (0.510, 0.864), 20: (0.399, 0.847), 40: (0.250, 0.806), 80: (0.345, 0.751)}
    for rtt, harms in printed.items():
        measured = [figures[f"harm.{rtt}.{bulk}"] for bulk in ("cubic", "prague")]
        assert measured == pytest.approx(harms, abs=2e-3)
    assert figures["lte.droptail.reno.page"] == pytest.approx(2.0)
    for claim in find_study("applications").claims:
        assert claim.rule.holds(figures), claim.id
