"""The page of a run from the command line, and lists of commands."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from mesonet.cli import COMMANDS, app, load

SCENARIO = """
kind = "dumbbell"
rate = "5 Mbit/s"
rtt = "20 ms"
flows = ["reno", "cubic"]
duration = "2 s"
"""


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "scenario.toml"
    path.write_text(SCENARIO)
    return str(path)


def test_a_page_of_a_run_has_its_charts_responses_and_scenario(scenario, tmp_path):
    page = tmp_path / "run.html"
    result = CliRunner().invoke(app, ["simulate", scenario, "--html", str(page)])
    assert result.exit_code == 0
    text = page.read_text("utf-8")
    assert 'data-chart="run"' in text
    assert "utilization of the bottleneck" in text
    assert "rate = &#34;5 Mbit/s&#34;" in text
    assert CliRunner().invoke(app, ["simulate", scenario, "--html", str(page)]).exit_code == 0


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("run.svg", "expected a name that ends with .html, .htm, got"),
        ("no/run.html", "expected a file in a folder that exists"),
    ],
)
def test_pages_that_cannot_be_written_are_refused_at_once(scenario, tmp_path, name, said):
    result = CliRunner().invoke(app, ["simulate", scenario, "--html", str(tmp_path / name)])
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_they_say(name):
    said = load(name).help.split("\n\n")[0].replace("\n", " ")
    listed = COMMANDS[name][1]
    assert listed.endswith(".")
    assert said.startswith(listed[:-1]), said


def test_the_list_of_commands_imports_none_of_them():
    program = (
        "import sys\n"
        "from typer.testing import CliRunner\n"
        "from mesonet.cli import app\n"
        "assert 'compare' in CliRunner().invoke(app, ['--help']).output\n"
        "heavy = {'polars', 'pydantic', 'numpy', 'mesonet.simulation'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_mistyped_command_gets_a_suggestion():
    result = CliRunner().invoke(app, ["simulat"])
    assert result.exit_code == 2
    assert '(did you mean "simulate"?)' in result.output
