"""Names and formats of the files that `mesonet export` writes."""

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


@pytest.mark.parametrize("name", ["t.xyz", "t"])
def test_names_without_a_format_are_refused(campaign, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["export", str(campaign), "--out", name])
    assert done.exit_code == 2
    assert "--out: expected a name that ends with .csv, .arrow, .parquet" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_the_user_has_not_named_is_not_replaced(campaign, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results.csv").write_text("precious", encoding="utf-8")
    done = CliRunner().invoke(app, ["export", str(campaign)])
    assert (done.exit_code, done.stderr.split(": ")[1]) == (2, "--out")
    assert (tmp_path / "results.csv").read_text("utf-8") == "precious"
