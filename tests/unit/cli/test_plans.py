"""Commands that read a plan file."""

from typer.testing import CliRunner

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
        assert (
            'report.sections[1]: "desing" is no section (did you mean "design"?)' in result.stderr
        )
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
