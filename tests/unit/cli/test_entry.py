"""The entry point of the `mesonet` command, before any command is imported."""

import json
import os
import subprocess
import sys
from importlib.metadata import version

import pytest
from typer.testing import CliRunner

import mesonet.__main__
from mesonet.cli import COMMANDS, app


@pytest.mark.parametrize(("chosen", "threads"), [(None, "1"), ("4", "4")])
def test_small_matrices_have_one_thread_unless_the_user_says_more(chosen, threads, monkeypatch):
    """Threads of OpenBLAS cost a tenth of a second at every start."""
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    if chosen:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", chosen)
    monkeypatch.setattr(mesonet.__main__, "listen", lambda: None)
    seen = []
    monkeypatch.setattr("mesonet.cli.main", lambda: seen.append(os.environ["OPENBLAS_NUM_THREADS"]))
    mesonet.__main__.main()
    assert seen == [threads]


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_output_is_no_fault(closed):
    command = f'"{sys.executable}" -m mesonet list responses {closed}'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", [["compare", "-h"], ["help", "compare"]])
def test_help_of_a_command_has_a_short_form_and_one_in_words(words):
    long = CliRunner().invoke(app, ["compare", "--help"])
    short = CliRunner().invoke(app, words)
    assert (short.exit_code, short.stdout) == (0, long.stdout)
    assert "--ecn" in short.stdout


def test_help_alone_lists_the_commands():
    result = CliRunner().invoke(app, ["help"])
    assert result.exit_code == 0
    listed = [line.split()[0] for line in result.stdout.splitlines() if line.startswith("  ")]
    assert sorted(set(COMMANDS) & set(listed)) == sorted(COMMANDS)


def test_algorithms_may_have_commas_between_them():
    words = ["compare", "reno,cubic", "bic", "--replicates", "1", "--duration", "1 s", "--json"]
    result = CliRunner().invoke(app, words)
    means = json.loads(result.stdout)["means"]
    assert {row["algorithm"] for row in means} == {"reno", "cubic", "bic"}


def test_the_version_is_that_of_the_package():
    result = CliRunner().invoke(app, ["--version"])
    assert result.exit_code == 0
    assert result.stdout == f"mesonet {version('mesonet')}\n"
