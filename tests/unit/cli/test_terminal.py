"""Bad input of commands is one error each."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mesonet.cli import app

SCENARIO = """
kind = "dumbbell"
rate = "5 Mbit/s"
rtt = "20 ms"
flows = ["reno", "cubic"]
duration = "1 s"
"""


BAD = [
    (["compare", "cubik", "reno"], r'got "cubik" \(did you mean "cubic"\?\)'),
    (["compare", "reno", "--rate", "5 parsecs"], r"rate: .*5 parsecs"),
    (["compare", "reno", "--rate", "0 Mbit/s"], r"rate: "),
    (["compare", "reno", "--rtt", "-4 ms"], r"rtt: "),
    (["compare", "reno", "--buffer", "much"], r"buffer: .*much"),
    (["compare", "reno", "--loss", "2"], r"loss: .*2"),
    (["compare", "reno", "--loss", "often"], r'loss: expected a number, got "often"'),
    (["compare", "reno", "--queue", "codle"], r'queue: .*codle.*"codel"'),
    (["compare", "reno", "--replicates", "0"], r"replicates: "),
    (["compare", "reno", "--flows", "-1"], r"flows: "),
    (["compare", "reno", "--duration", "soon"], r"duration: .*soon"),
    (["compare", "reno", "--seed", "-1"], r"seed: "),
    (["compare", "reno", "--with", "vega"], r'got "vega" \(did you mean "vegas"\?\)'),
    (["compare", "reno", "--out", "no/page.html"], r'--out: .*there is no "no"'),
    (["compare", "reno", "--out", "page.docx"], r"--out: .*\.html.*page\.docx"),
    (["compare", "reno", "--out", "folder.html"], r"--out: .*folder"),
    (["simulate", "none.toml"], r"none\.toml: "),
    (["simulate", "."], r"folder|directory"),
    (["simulate", "mine.html"], r"mine\.html"),
    (["simulate", "s.toml", "--html", "page.txt"], r"--html: .*page\.txt"),
    (["simulate", "s.toml", "--html", "no/page.html"], r"--html: .*no"),
    (["simulate", "s.toml", "--html", "folder.html"], r"--html: .*folder"),
    (["report", "none"], r"none"),
    (["report", "folder.html"], r"folder\.html"),
    (["export", "none"], r"none"),
    (["export", "folder.html", "--out", "mine.html"], r"--out: .*\.csv.*mine\.html"),
    (["ladder", "renno"], r'"renno".*"reno"'),
    (["compare", "reno", "--seed", "few"], r'--seed: expected a whole number, got "few"'),
    (["run"], r"missing argument 'file'"),
    (["list", "queue"], r'did you mean "queues"'),
    (["sarch"], r'did you mean "search"'),
    (["help", "nothing"], r'no command "nothing"'),
    (["compare", "reno", "--trace", "none"], r"trace: none: "),
    (["search", "reno", "--budget", "60"], r"budget: expected at least 198 "),
    (["report", "folder", "extra"], r"extra"),
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
    assert len(errors) == 1, result.stderr


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="no device here is always full")
@pytest.mark.parametrize("words", [["--help"], ["list", "queues"]])
def test_output_that_cannot_be_written_is_one_error(words):
    with FULL.open("w", encoding="utf-8") as full:
        command = [sys.executable, "-m", "mesonet", *words]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["error: [Errno 28] No space left on device"]
