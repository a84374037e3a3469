"""`mesonet analyze` and the report print the same numbers, over one family of tests."""

import json

import polars as pl
import pytest
from typer.testing import CliRunner

from mesonet import Campaign
from mesonet.analysis import REGISTRY, Analyses, Subject, paired_differences
from mesonet.campaign import run_campaign
from mesonet.cli import app
from mesonet.plan import plan_from_dict
from mesonet.report import ReportInputs, build

ASKED = ["loss_rate", "utilization", "flow_goodput:reno"]
KEPT = [*ASKED, "flow_goodput:scalable", "flow_goodput:ctcp", "queueing_delay_p99", "jain_index"]
PLAN = {
    "name": "agreement",
    "scenario": {
        "kind": "dumbbell",
        "rate": "4 Mbit/s",
        "rtt": "20 ms",
        "flows": ["reno", "reno"],
        "duration": "4 s",
        "buffer": "1 bdp",
    },
    "factors": {
        "rtt": {"path": "rtt", "low": "20 ms", "high": "40 ms"},
        "loss": {"path": "loss", "low": 1e-4, "high": 1e-2},
    },
    "alternatives": [
        {"label": "Scalable", "set": {"flows[1].algorithm": "scalable"}},
        {"label": "Reno", "set": {}},
        {"label": "CTCP", "set": {"flows[1].algorithm": "ctcp"}},
    ],
    "replicates": 2,
}


@pytest.fixture(scope="module", params=["asked", "all"])
def outputs(request, tmp_path_factory):
    """Tables of `analyze`, tables of the report by identifier, and the subject."""
    out = tmp_path_factory.mktemp("campaign") / "out"
    analysis = {name: {} for name in REGISTRY}
    if request.param == "asked":
        analysis |= {
            "responses": ASKED,
            "condition_summary": {"adjust": "holm"},
            "harm": {"solo": "Reno", "own": "CTCP"},
        }
    plan = plan_from_dict({**PLAN, "responses": KEPT, "analysis": analysis})
    run_campaign(plan, out=out, workers=1)
    printed = CliRunner().invoke(app, ["analyze", str(out), "--json"])
    assert printed.exit_code == 0, printed.output
    inputs = ReportInputs.from_campaign(Campaign.open(out))
    page = build(inputs, out / "page.html")
    shown = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    tables = {
        name: table
        for section in shown["sections"].values()
        for name, table in section["tables"].items()
    }
    return json.loads(printed.stdout), tables, inputs.subject


def rows(columns):
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]


@pytest.mark.parametrize(
    "name",
    [table.name for analysis in REGISTRY.values() for table in analysis.tables],
)
def test_a_table_of_the_report_has_the_numbers_of_analyze(outputs, name):
    analysed, report, _ = outputs
    assert rows(report[name.replace("_", "-")]) == analysed[name] != []


def test_the_family_is_what_the_plan_asks_for(outputs):
    analysed, report, subject = outputs
    assert subject.family == tuple(subject.tested or KEPT)
    tested = {row["response"] for row in analysed["paired_differences"]}
    assert tested == set(subject.family)
    alone = paired_differences(subject.frame, response=subject.family, baseline="Reno")
    for table in (analysed["paired_differences"], rows(report["paired-differences"])):
        assert [row["p_holm"] for row in table] == alone.frame["p_holm"].fill_nan(None).to_list()


def test_the_verdicts_of_the_front_page_count_the_same_family(outputs):
    analysed, report, subject = outputs
    directed = {name for name in subject.family if subject.better[name] != "neither"}
    for row in rows(report["verdicts"]):
        judged = [
            difference
            for difference in analysed["paired_differences"]
            if difference["alternative"] == row["alternative"]
            and difference["response"] in directed
            and difference["p_holm"] is not None
        ]
        assert row["judged"] == len(judged)
        assert row["open"] == sum(difference["p_holm"] >= 0.05 for difference in judged)


def test_choosing_what_to_test_changes_the_correction_and_nothing_else():
    frame = pl.DataFrame(
        {
            "run": [f"{c}{a}" for c in range(6) for a in "xy"],
            "condition": [c for c in range(6) for _ in "xy"],
            "alternative": ["x", "y"] * 6,
            "replicate": [1] * 12,
            **{
                name: [c + (a == "y") * (1 + scale * c) for c in range(6) for a in "xy"]
                for name, scale in (("one", 0.1), ("two", 0.7), ("three", 2.0))
            },
        }
    )
    responses = ("one", "two", "three")
    few = Analyses(Subject(frame=frame, responses=responses, tested=("one",)))
    all_ = Analyses(Subject(frame=frame, responses=responses))
    mine = few.tables("paired_differences")["paired_differences"]
    theirs = all_.tables("paired_differences")["paired_differences"].filter(response="one")
    assert mine["p"].item() == theirs["p"].item()
    assert mine["p_holm"].item() < theirs["p_holm"].item()
