"""The man page that wheels install is that of the command line, and groff can show it."""

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from mesonet.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def tool(load_tool):
    return load_tool("man_page")


def test_the_kept_page_is_that_of_the_commands(tool):
    assert tool.PAGE.read_text("utf-8") == tool.page(), "run make golden"


def test_every_command_and_option_is_in_it(tool):
    page = tool.page()
    for name in COMMANDS:
        assert f"\\fBmesonet {tool.escaped(name)}\\fR" in page
    assert "\\fB\\-\\-rtt\\fR" in page
    assert "\\fB\\-\\-version\\fR" in page


def test_wheels_carry_it(tool):
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["maturin"]
    assert tool.PAGE.is_relative_to(ROOT / settings["data"] / "data" / "share" / "man" / "man1")
    # Whoever builds a wheel from the archive of the sources needs the folder, too.
    assert {"path": f"{settings['data']}/**/*", "format": "sdist"} in settings["include"]


def test_text_is_no_command_of_groff(tool):
    assert tool.escaped(".5\n'a' \\ --b") == "\\&.5\n\\&'a' \\e \\-\\-b"
    assert tool.written("`a` b\nc\n\nd") == "\\fBa\\fR b c\n.PP\nd"


def test_mandoc_finds_no_fault(tool):
    if shutil.which("mandoc") is None:
        pytest.skip("mandoc is not installed")
    done = subprocess.run(
        ["mandoc", "-Tlint", "-Wwarning", str(tool.PAGE)],
        capture_output=True,
        text=True,
        check=False,
    )
    # The page has no date: it would change with every build.
    faults = [line for line in done.stdout.splitlines() if "missing date" not in line]
    assert not faults
