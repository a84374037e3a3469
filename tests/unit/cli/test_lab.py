"""The command `lab`: the extra, lessons, the address that it prints, and its end."""

import signal
import subprocess
import sys
import urllib.request

import pytest
from typer.testing import CliRunner

from mesonet.cli import app


@pytest.mark.parametrize("module", ["starlette", "uvicorn"])
def test_without_the_extra_it_says_which_it_is(module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    result = CliRunner().invoke(app, ["lab", "--no-browser"])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert 'extra "lab"' in result.stderr


def test_an_unknown_lesson_is_bad_input():
    result = CliRunner().invoke(app, ["lab", "bufferboat", "--no-browser"])
    assert result.exit_code == 2
    assert "bufferbloat" in result.stderr


def test_it_prints_an_address_with_a_token_and_ends_with_ctrl_c():
    command = [sys.executable, "-m", "mesonet", "lab", "aqm", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        page, _, fragment = address.partition("#")
        assert fragment == "lesson=aqm"
        assert len(page.split("/")[3]) >= 20
        with urllib.request.urlopen(page) as answer:
            assert b"<title>" in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(300) == 0
