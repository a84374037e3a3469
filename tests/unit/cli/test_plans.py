"""Commands that read a plan file."""

import json
from pathlib import Path

from typer.testing import CliRunner

from mesonet.campaign import Campaign
from mesonet.cli import app

SECTIONS = """
name = "small"
responses = ["utilization"]

[scenario]
kind = "dumbbell"
rate = "2 Mbit/s"
rtt = "20 ms"
flows = ["reno"]
duration = "1 s"

[report]
sections = ["runs", "desing"]
"""


def test_sections_that_no_report_has_are_refused_before_anything_runs(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(SECTIONS, encoding="utf-8")
    for command in (["plan", str(plan)], ["run", str(plan), "--out", str(tmp_path / "c")]):
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 2
        assert "report.sections[1]: expected " in result.stderr
        assert ', got "desing" (did you mean "design"?)' in result.stderr
    assert not (tmp_path / "c").exists()


def test_a_section_that_no_report_has_is_told_beside_other_faults(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(f'replicates = 0\n{SECTIONS}[analysis.paired_differences]\nbaseline = "x"\n')
    result = CliRunner().invoke(app, ["plan", str(plan)])
    assert result.exit_code == 2
    places = [line.split(": ")[1] for line in result.stderr.splitlines()]
    assert places == ["replicates", "analysis.paired_differences.baseline", "report.sections[1]"]


REPEATED = """
[factors.window]
path = "initial_window"
low = 2
high = 3

[design]
kind = "latin_hypercube"
points = 8
"""


def test_a_plan_says_how_many_of_its_runs_differ(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(SECTIONS.replace(', "desing"', "") + REPEATED, encoding="utf-8")
    result = CliRunner().invoke(app, ["plan", str(plan)])
    assert result.exit_code == 0
    assert (
        "8 conditions x 1 alternatives x 1 replicates = 8 runs\nnote: 2 of these runs differ; "
        in result.stdout
    )
    plan.write_text(SECTIONS.replace(', "desing"', ""), encoding="utf-8")
    assert "differ;" not in CliRunner().invoke(app, ["plan", str(plan)]).stdout


SCREENED = """
name = "small"
responses = ["utilization"]

[scenario]
kind = "dumbbell"
rate = "20 Mbit/s"
rtt = "40 ms"
flows = ["reno"]
duration = "2 s"

[factors.buffer]
path = "buffer"
levels = ["0.5 bdp", "1 bdp", "30 bdp"]

[factors.loss]
path = "loss"
levels = [0, 0.0001, 0.0002, 0.0003, 0.0005, 0.0007, 0.001, 0.002]

[[alternatives]]
label = "reno"

[[alternatives]]
label = "delay-based"
set = { flows = ["copa"] }
"""


def test_a_screen_of_a_plan_has_effects_and_cells_in_80_columns(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(SCREENED, encoding="utf-8")
    result = CliRunner().invoke(app, ["plan", str(plan), "--screen"])
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    first = [line.split()[:2] for line in lines]
    assert ["buffer", "reno"] in first
    assert ["loss", "reno"] in first
    assert ["20", "reno"] in first
    assert ["21", "reno"] not in first
    assert "left out: delay-based, all conditions" in result.stdout
    # No buffer of thirty products was measured.
    (known,) = [line for line in lines if line.split()[:2] == ["1", "reno"]]
    (unknown,) = [line for line in lines if line.split()[:2] == ["3", "reno"]]
    assert (known.count("±"), unknown.count("?")) == (3, 3)
    whole = CliRunner().invoke(app, ["plan", str(plan), "--screen", "--runs"]).stdout
    assert ["24", "reno"] in [line.split()[:2] for line in whole.splitlines()]


def test_a_screen_is_data_with_json(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(SCREENED, encoding="utf-8")
    result = CliRunner().invoke(app, ["plan", str(plan), "--screen", "--json"])
    screened = json.loads(result.stdout)
    assert len(screened["cells"]) == 24
    assert {it["factor"] for it in screened["effects"]} == {"buffer", "loss"}
    assert screened["cells"][-1]["share_error"] is None
    ((_, where),) = screened["left_out"].items()
    assert where == {"delay-based": list(range(1, 25))}


def test_a_screen_without_a_cell_is_refused(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(SCREENED.replace('"reno"', '"copa"'), encoding="utf-8")
    result = CliRunner().invoke(app, ["plan", str(plan), "--screen"])
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: --screen: ")


def test_a_plan_with_one_more_level_runs_only_what_is_new(tmp_path):
    def run(levels, *options):
        factor = f'[factors]\nrtt = {{ path = "rtt", levels = {levels} }}\n'
        (tmp_path / "plan.toml").write_text(SECTIONS.split("[report]")[0] + factor)
        return CliRunner().invoke(app, ["run", str(tmp_path / "plan.toml"), "--out", *options])

    first, second = str(tmp_path / "first"), str(tmp_path / "second")
    two, three = ["10 ms", "20 ms"], ["10 ms", "20 ms", "40 ms"]
    assert run(two, first).exit_code == 0
    assert "--reuse" in run(three, first).stderr
    assert run(three, second, "--reuse", str(tmp_path / "no")).exit_code == 2
    assert not (tmp_path / "second").exists()
    assert run(three, second, "--reuse", first).exit_code == 0
    old, new = (Campaign.open(folder).timings() for folder in (first, second))
    assert (new.height, old.join(new, on=["run", "finished"]).height) == (3, 2)


def test_runs_that_lack_a_response_are_not_reused_and_it_is_said(tmp_path):
    plan, first, second = (str(tmp_path / name) for name in ("plan.toml", "first", "second"))
    text = SECTIONS.split("[report]")[0]
    Path(plan).write_text(text, encoding="utf-8")
    assert CliRunner().invoke(app, ["run", plan, "--out", first]).exit_code == 0
    longer = text.replace('["utilization"]', '["utilization", "mean_queue"]')
    Path(plan).write_text(longer, encoding="utf-8")
    result = CliRunner().invoke(app, ["run", plan, "--out", second, "--reuse", first])
    assert f"{first} has no mean_queue; none of its runs are taken" in result.stderr
