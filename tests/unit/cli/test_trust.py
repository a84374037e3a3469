"""Code that is not mesonet's runs when the user has said so, and never unasked."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from mesonet.cli import app
from mesonet.cli.trust import remember_folder

CONTROLLER = """
import mesonet

open(__file__ + ".ran", "w").close()


class Mine(mesonet.Controller):
    def on_ack(self, ack, flow):
        pass

    def on_congestion(self, event, flow):
        pass
"""
SCENARIO = """
kind = "dumbbell"
rate = "5 Mbit/s"
rtt = "20 ms"
flows = ["python:mine.Mine"]
duration = "1 s"
"""
PLAN = """
name = "tiny"
scenario = "scenario.toml"
responses = ["utilization"]
"""
SCRIPT = Path(sys.executable).with_name("mesonet")


def mesonet(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    """Nothing is trusted at first."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "mesonet" / "trust.json"


@pytest.fixture
def mail(tmp_path, monkeypatch):
    """A folder that came by mail; the user is elsewhere."""
    folder = tmp_path / "mail"
    folder.mkdir()
    (folder / "mine.py").write_text(CONTROLLER, encoding="utf-8")
    (folder / "scenario.toml").write_text(SCENARIO, encoding="utf-8")
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return folder


def ran(folder):
    mark = folder / "mine.py.ran"
    found = mark.exists()
    mark.unlink(missing_ok=True)
    return found


def test_a_plan_runs_code_when_it_is_trusted_and_again_when_it_has_changed(mail, state):
    for command in (
        ("simulate", mail / "scenario.toml"),
        ("plan", mail / "plan.toml"),
        ("run", mail / "plan.toml", "--out", "out"),
    ):
        refused = mesonet(*command)
        assert refused.exit_code == 2
        assert str(mail / "mine.py") in refused.stderr
        assert re.search("SHA-256 [0-9a-f]{64}", refused.stderr)
        assert "--trust" in refused.stderr
    assert not ran(mail)
    assert list(Path().iterdir()) == []
    assert not state.exists()

    done = mesonet("simulate", mail / "scenario.toml", "--trust", "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["utilization"] > 0
    assert "is code; it runs in a process of its own, for 1 h and with" in done.stderr
    assert ran(mail)
    assert state.stat().st_mode & 0o077 == 0

    assert mesonet("plan", mail / "plan.toml").exit_code == 0
    assert ran(mail)

    with (mail / "mine.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert mesonet("plan", mail / "plan.toml").exit_code == 2
    assert not ran(mail)


def test_code_that_the_command_names_is_not_asked_for(mail, monkeypatch):
    monkeypatch.chdir(mail)
    done = mesonet("check-controller", "python:mine.Mine", "--no-response", "--steps", 10)
    assert "is code; it runs in a process of its own, for 10 min" in done.stderr
    assert "checks" in done.stdout
    assert ran(mail)


def test_everything_in_a_trusted_folder_is_trusted(mail):
    remember_folder(mail)
    (mail / "mine.py").write_text(CONTROLLER + "# changed\n", encoding="utf-8")
    done = mesonet("plan", mail / "plan.toml")
    assert done.exit_code == 0, done.stderr


@pytest.mark.parametrize("content", ["", "[]", '{"files": 1}', "\x00"])
def test_trust_that_cannot_be_read_is_asked_for_again(mail, state, content):
    state.parent.mkdir(parents=True)
    state.write_text(content, encoding="utf-8")
    refused = mesonet("plan", mail / "plan.toml")
    assert refused.exit_code == 2
    assert "trust given before cannot be read" in refused.stderr
    assert not ran(mail)


def in_terminal(answer, *arguments):
    """Exit status and output of a command whose terminal says this."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(SCRIPT, [str(SCRIPT), *map(str, arguments)])
    shown = b""
    asked = False
    while True:
        try:
            more = os.read(terminal, 65536)
        except OSError:
            break
        if not more:
            break
        shown += more
        if not asked and b"[N] no: " in shown:
            asked = True
            os.write(terminal, answer.encode() + b"\n")
    os.close(terminal)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return status, shown.decode("utf-8", "replace").replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("answer", "status", "again"), [("y", 0, 2), ("a", 0, 0), ("n", 2, 2), ("", 2, 2)]
)
def test_a_terminal_is_asked(mail, answer, status, again):
    found, shown = in_terminal(answer, "plan", mail / "plan.toml")
    assert found == status, shown
    assert f"python:mine.Mine: {mail / 'mine.py'}" in shown
    assert re.search("SHA-256 [0-9a-f]{64}", shown)
    assert "it can do whatever you can do" in shown
    assert ran(mail) == (status == 0)
    (mail / "mine.py").write_text(CONTROLLER + "# changed\n", encoding="utf-8")
    assert mesonet("plan", mail / "plan.toml").exit_code == again


def test_ctrl_c_at_the_question_is_no(mail):
    found, shown = in_terminal("\x03", "plan", mail / "plan.toml")
    assert found == 130
    assert shown.rpartition("[N] no: ")[2].replace("^C", "").split() == ["interrupted"]
    assert not ran(mail)


def test_a_folder_by_mail_can_be_looked_at_and_replayed_once_it_is_trusted(mail, tmp_path):
    results = mail / "results"
    done = mesonet("run", mail / "plan.toml", "--out", results, "--trust", "--workers", 1)
    assert done.exit_code == 0, done.stderr
    ran(mail)
    # To another user, on another machine.
    arrived = tmp_path / "arrived"
    shutil.move(mail, arrived)
    shutil.rmtree(tmp_path / "state")
    results = arrived / "results"
    run = pl.read_parquet(results / "cells.parquet")["run"][0]
    look(results, run)
    assert not ran(arrived)

    refused = mesonet("replay", results, run)
    assert refused.exit_code == 2
    assert str(arrived / "mine.py") in refused.stderr
    assert not ran(arrived)
    replayed = mesonet("replay", results, run, "--trust")
    assert replayed.exit_code == 0, replayed.stderr
    assert "all 2 responses are as recorded" in replayed.stderr
    assert ran(arrived)

    # A manifest with any mistake was once a reason to import what it names.
    manifest = json.loads((results / "manifest.json").read_text("utf-8"))
    manifest["plan"]["scenario"]["nonsense"] = 1
    (results / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    look(results, run)
    mesonet("replay", results, run, "--trust")
    assert not ran(arrived)


def test_a_folder_by_mail_is_verified_with_its_code_once_that_is_trusted(mail, tmp_path):
    done = mesonet("run", mail / "plan.toml", "--out", mail / "results", "--trust", "--workers", 1)
    assert done.exit_code == 0, done.stderr
    ran(mail)
    arrived = tmp_path / "arrived"
    shutil.move(mail, arrived)
    shutil.rmtree(tmp_path / "state")
    read = mesonet("verify", arrived / "results")
    assert read.exit_code == 0, read.stderr
    assert "`mesonet verify --trust`" in read.stdout
    assert not ran(arrived)
    again = mesonet("verify", arrived / "results", "--trust")
    assert again.exit_code == 0, again.stderr
    assert "1 of 1 finished runs give what is recorded, bit for bit" in again.stdout
    assert "--max-time" in again.stderr
    assert ran(arrived)

    assert again.stdout.count("manifest.json ") == 1

    # With other code, it is that which is named.
    code = (arrived / "mine.py").read_text("utf-8")
    changed = code.replace("pass", "raise ValueError('no more')", 1)
    (arrived / "mine.py").write_text(changed, encoding="utf-8")
    other = mesonet("verify", arrived / "results", "--trust")
    assert other.exit_code == 1
    assert other.stdout.count("python:mine.Mine has changed since (mine.py)") == 2
    assert "has a result and now fails" in other.stdout
    assert "no more" in other.stdout
    assert "mesonet repair" not in other.stderr

    # Without its code, it says so and is not damaged.
    (arrived / "mine.py").unlink()
    gone = mesonet("verify", arrived / "results", "--trust")
    assert gone.exit_code == 2
    assert "python:mine.Mine" in gone.stderr
    assert "damaged" not in gone.stdout + gone.stderr


@pytest.mark.parametrize("code", ["missing", "import os; os._exit(3)\n", "1 / 0\n"])
def test_damage_is_named_whatever_becomes_of_the_code(mail, code):
    done = mesonet("run", mail / "plan.toml", "--out", mail / "results", "--trust", "--workers", 1)
    assert done.exit_code == 0, done.stderr
    (part,) = (mail / "results" / "results").iterdir()
    part.write_bytes(b"PAR1")
    if code == "missing":
        (mail / "mine.py").unlink()
    else:
        (mail / "mine.py").write_text(code, encoding="utf-8")
    for trust in ((), ("--trust",)):
        found = mesonet("verify", mail / "results", *trust)
        assert found.exit_code == (2 if "_exit" in code and trust else 1), found.stderr
        assert f"results/{part.name} damaged" in found.stdout
        assert found.stdout.count("manifest.json ") == 1
        assert "python:mine.Mine" in found.stdout + found.stderr


@pytest.mark.parametrize("code", ["import os; os._exit(3)\n", "import time; time.sleep(1000)\n"])
def test_what_was_found_is_printed_as_json_when_the_code_ends_its_process(mail, code):
    done = mesonet("run", mail / "plan.toml", "--out", mail / "results", "--trust", "--workers", 1)
    assert done.exit_code == 0, done.stderr
    verify = ("verify", mail / "results", "--json")
    whole = json.loads(mesonet(*verify).stdout)
    assert whole["sound"] is True
    (mail / "mine.py").write_text(code, encoding="utf-8")
    ended = mesonet(*verify, "--trust", "--max-time", "1 s")
    assert ended.exit_code == 2
    assert "python:mine.Mine" in ended.stderr
    said = json.loads(ended.stdout)
    assert said["sound"] is None
    files = [each for each in whole["findings"] if each["place"] not in ("ids", "replays")]
    assert said["findings"] == files
    (part,) = (mail / "results" / "results").iterdir()
    part.write_bytes(b"PAR1")
    damaged = json.loads(mesonet(*verify, "--trust", "--max-time", "1 s").stdout)
    assert damaged["sound"] is False
    assert any("damaged" in each["state"] for each in damaged["findings"])


def look(results, run):
    """Everything that looks at a campaign from inside its folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(results.parent)
        for command in (
            ("status", results),
            ("watch", results),
            ("analyze", results),
            ("report", results, "--out", results.parent / "page.html"),
            ("sql", results, "from results"),
            ("export", results, "--out", results.parent / "results.csv"),
            ("replay", results, run, "--show"),
        ):
            mesonet(*command)


def test_what_was_recorded_is_shown_without_the_code(mail):
    done = mesonet("run", mail / "plan.toml", "--out", "out", "--trust", "--workers", 1)
    assert done.exit_code == 0, done.stderr
    run = pl.read_parquet("out/cells.parquet")["run"][0]
    (mail / "mine.py").unlink()
    shown = mesonet("replay", "out", run, "--show", "--json")
    assert shown.exit_code == 0, shown.stderr
    recorded = pl.read_parquet("out/results/*.parquet")["utilization"][0]
    assert json.loads(shown.stdout)["utilization"] == recorded
    assert mesonet("replay", "out", run, "--show", "--out", "new").exit_code == 2


def test_a_studys_code_is_asked_for(mail):
    mesonet("new-study", mail / "study")
    folder = mail / "study"
    (folder / "measure.py").write_text("open(__file__ + '.ran', 'w')\n", encoding="utf-8")
    # Other code than mesonet made there.
    shutil.move(folder, mail / "other")
    folder = mail / "other"
    refused = mesonet("study", folder, "--out", "out")
    assert refused.exit_code == 2
    assert str(folder / "measure.py") in refused.stderr
    assert not (folder / "measure.py.ran").exists()


def test_no_module_of_the_current_folder_is_imported(tmp_path):
    (tmp_path / "scenario.toml").write_text(
        SCENARIO.replace("python:mine.Mine", "reno"), encoding="utf-8"
    )
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    (tmp_path / "mine.py").write_text(CONTROLLER, encoding="utf-8")
    (tmp_path / "code.toml").write_text(SCENARIO, encoding="utf-8")
    # What libraries and Python itself import where it is there, what children of ours begin with,
    # and what nobody has.
    for name in (
        *("cython", "org", "msvcrt", "json", "struct", "multiprocessing", "pickle", "abc"),
        *("uarray", "pytz", "pyarrow", "lz4"),
    ):
        (tmp_path / f"{name}.py").write_text(
            f"open({str(tmp_path)!r} + '/ran-{name}', 'w')\n", encoding="utf-8"
        )
    outside = {key: text for key, text in os.environ.items() if key != "PYTHONPATH"}
    package = str(Path(__file__).parents[3] / "python")
    for command in (
        (SCRIPT, "run", "plan.toml", "--out", "out", "--workers", "1"),
        (sys.executable, "-m", "mesonet", "analyze", "out"),
        (SCRIPT, "sql", "out", "from results"),
        (SCRIPT, "simulate", "code.toml", "--trust"),
    ):
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=outside | {"PYTHONPATH": package},
            capture_output=True,
            text=True,
            check=False,
        )
        assert list(tmp_path.glob("ran-*")) == [], done.stderr
        assert done.returncode == 0, done.stderr
        # Tables that are not known to be harmless are read by a process first.
        shutil.rmtree(tmp_path / "state")


def test_a_run_id_names_no_place_to_write_to(mail, tmp_path):
    (mail / "scenario.toml").write_text(
        SCENARIO.replace("python:mine.Mine", "reno"), encoding="utf-8"
    )
    assert mesonet("run", mail / "plan.toml", "--out", "out", "--workers", 1).exit_code == 0
    before = sorted(tmp_path.rglob("*"))
    for crafted in ("../../escaped", str(tmp_path / "escaped"), "..", "a/b", ""):
        cells = pl.read_parquet("out/cells.parquet").with_columns(run=pl.lit(crafted))
        cells.write_parquet("out/cells.parquet")
        found = mesonet("replay", "out", crafted, "--trace", "cwnd")
        assert found.exit_code != 0, crafted
        assert sorted(tmp_path.rglob("*")) == before
