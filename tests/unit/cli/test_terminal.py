"""Names in files cannot command the terminal, and bad input of commands is one error each."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from mesonet.cli import app, common

ESCAPES = "\x1b]0;owned\x07 \x1b[2J\x9b31m \u202eevil\u202c \x08\x7f"
SCENARIO = """
kind = "dumbbell"
rate = "5 Mbit/s"
rtt = "20 ms"
flows = ["reno", "cubic"]
duration = "1 s"
"""


def test_messages_have_no_escapes_but_those_of_the_console():
    file = io.StringIO()
    console = type(common.stderr)(file=file, force_terminal=True, markup=False, highlight=False)
    assert isinstance(console, Console)
    console.print(f"name {ESCAPES}", style="red")
    shown = file.getvalue()
    assert "\\x1b[2J" in shown
    assert "\\u202e" in shown
    assert re.findall(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", shown) == ["\x1b", "\x1b"]


def test_output_on_a_terminal_has_no_escapes(tmp_path):
    plan = tmp_path / "plan.toml"
    title = "".join(f"\\u{ord(letter):04x}" for letter in ESCAPES)
    plan.write_text(f'name = "p"\ntitle = "{title}"\n[scenario]\n{SCENARIO}')
    command = "from mesonet.cli import app; app()"
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", command, "plan", str(plan)], stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    said = b""
    try:
        while chunk := os.read(ours, 65536):
            said += chunk
    except OSError:
        pass
    os.close(ours)
    assert done.returncode == 0, said
    assert b"owned" in said
    assert b"\x1b]0" not in said
    assert b"\x1b[2J" not in said
    assert "\u202e".encode() not in said


BAD = [
    (["compare", "cubik", "reno"], r'got "cubik" \(did you mean "cubic"\?\)'),
    (["compare", "reno", "--rate", "5 parsecs"], r"rate: .*5 parsecs"),
    (["compare", "reno", "--rate", "0 Mbit/s"], r"rate: "),
    (["compare", "reno", "--rtt", "-4 ms"], r"rtt: "),
    (["compare", "reno", "--buffer", "much"], r"buffer: .*much"),
    (["compare", "reno", "--loss", "2"], r"loss: .*2"),
    (["compare", "reno", "--loss", "often"], r'loss: expected a number, got "often"'),
    (["compare", "reno", "--queue", "codle"], r'queue: .*codle.*"codel"'),
    (["compare", "reno", "--repeat", "0"], r"repeats?: "),
    (["compare", "reno", "--flows", "-1"], r"flows: "),
    (["compare", "reno", "--duration", "soon"], r"duration: .*soon"),
    (["compare", "reno", "--seed", "-1"], r"seed: "),
    (["compare", "reno", "--with", "vega"], r'got "vega" \(did you mean "vegas"\?\)'),
    (["compare", "reno", "--out", "no/page.html"], r'--out: .*there is no "no"'),
    (["compare", "reno", "--out", "page.docx"], r"--out: .*\.html.*page\.docx"),
    (["compare", "reno", "--out", "folder.html"], r"folder\.html: .*got a folder"),
    (["compare", "reno", "--out", "mine.html"], r"mine\.html: .*--force"),
    (["compare", "reno", "--out", "mine.svg"], r"mine\.svg: .*--force"),
    (["compare", "reno", "--open"], r"--open: .*--out"),
    (["simulate", "none.toml"], r"none\.toml: "),
    (["simulate", "."], r"folder|directory"),
    (["simulate", "mine.html"], r"mine\.html"),
    (["simulate", "s.toml", "--html", "page.txt"], r"--html: .*page\.txt"),
    (["simulate", "s.toml", "--html", "no/page.html"], r"--html: .*no"),
    (["simulate", "s.toml", "--html", "mine.html"], r"mine\.html: .*--force"),
    (["simulate", "s.toml", "--html", "folder.html"], r"folder\.html: .*folder"),
    (["report", "none"], r"none"),
    (["report", "folder.html"], r"folder\.html"),
    (["export", "none"], r"none"),
    (["export", "folder.html", "--out", "mine.html"], r"--out mine\.html: .*\.csv"),
    (["export", "folder.html", "--out", "mine.csv"], r"mine\.csv: .*--force"),
    (["ladder", "renno"], r'"renno".*"reno"'),
    (["ladder", "reno", "--figure", "mine.svg"], r"mine\.svg: .*--force"),
    (["tuor"], r'did you mean "tour"'),
    (["tour", "extra"], r"extra"),
]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(SCENARIO)
    for name in ("mine.csv", "mine.html", "mine.svg"):
        (tmp_path / name).write_text("mine")
    (tmp_path / "folder.html").mkdir()
    return tmp_path


@pytest.mark.parametrize(("words", "said"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_bad_input_is_one_clear_error_and_writes_nothing(here, words, said):
    before = sorted(here.rglob("*"))
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2, (result.output, result.exception)
    assert re.search(said, result.stderr), result.stderr
    assert "Traceback" not in result.output
    assert isinstance(result.exception, SystemExit)
    assert sorted(here.rglob("*")) == before
    assert (here / "mine.html").read_text() == "mine"
    assert (here / "mine.svg").read_text() == "mine"
    errors = [line for line in result.stderr.splitlines() if line.startswith("error:")]
    assert len(errors) == 1 or words[0] in ("tuor", "tour"), result.stderr


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="no device here is always full")
@pytest.mark.parametrize("words", [["--help"], ["list", "queues"]])
def test_output_that_cannot_be_written_is_one_error(words):
    with FULL.open("w", encoding="utf-8") as full:
        command = [sys.executable, "-m", "mesonet", *words]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["error: [Errno 28] No space left on device"]
