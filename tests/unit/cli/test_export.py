"""Names and formats of the files that `mesonet export` writes."""

import csv

import pytest
from typer.testing import CliRunner

from mesonet.campaign import run_campaign
from mesonet.cli import app
from mesonet.plan import plan_from_dict


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    folder = tmp_path_factory.mktemp("campaign") / "out"
    plan = plan_from_dict(
        {
            "name": "labels",
            "replicates": 2,
            "responses": ["utilization"],
            "scenario": {
                "kind": "dumbbell",
                "rate": "5 Mbit/s",
                "rtt": "20 ms",
                "flows": ["reno"],
                "duration": "1 s",
            },
        }
    )
    run_campaign(plan, out=folder, workers=1)
    return folder


def exported(campaign, out, table, *options):
    command = ["export", str(campaign), "--table", table, "--out", str(out), *options]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.stderr
    with out.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--out", "t.xyz"), "--out: expected a name that ends with .csv, .arrow, .parquet"),
        (("--out", "t"), "--out: expected a name that ends with .csv, .arrow, .parquet"),
    ],
)
def test_names_without_a_format_are_refused(campaign, tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["export", str(campaign), *options])
    assert done.exit_code == 2
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_the_user_has_not_named_is_not_replaced(campaign, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results.csv").write_text("precious", encoding="utf-8")
    done = CliRunner().invoke(app, ["export", str(campaign)])
    assert (done.exit_code, done.stderr.split(": ")[1]) == (2, "--out")
    assert (tmp_path / "results.csv").read_text("utf-8") == "precious"
