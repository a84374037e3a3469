"""Code that a file names runs when the user has said so; that of the command line always does."""

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from mesonet.campaign import Campaign
from mesonet.cli import app
from mesonet.report import ReportInputs

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
    # A command is a process of its own elsewhere.
    sys.modules.pop("mine", None)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


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
    executed = mark.exists()
    mark.unlink(missing_ok=True)
    return executed


COMMANDS = [
    ("simulate", "scenario.toml"),
    ("plan", "plan.toml"),
    ("run", "plan.toml", "--out", "out", "--workers", 1),
]


@pytest.mark.parametrize(("command", "file", "options"), [(c, f, o) for c, f, *o in COMMANDS])
def test_code_that_a_file_names_is_run_when_the_user_says_so(
    mail, monkeypatch, command, file, options
):
    refused = mesonet(command, mail / file, *options)
    assert refused.exit_code == 2
    assert refused.stderr.startswith(f"error: {mail / file}: python:mine.Mine is a program")
    assert "--trust" in refused.stderr
    assert not ran(mail)
    assert list(Path().iterdir()) == []
    for trust in (["--trust"], []):
        done = mesonet(command, mail / file, *options, *trust)
        assert done.exit_code == 0, done.stderr
        assert ran(mail)
        monkeypatch.setenv("MESONET_TRUST", "1")


@pytest.mark.parametrize(
    "command",
    [
        ("check-controller", "python:mine.Mine", "--no-response", "--steps", 10),
        ("compare", "python:mine.Mine", "--replicates", 1, "--duration", "1 s"),
        ("ladder", "python:mine.Mine", "--probability", 0.1),
    ],
)
def test_code_that_the_command_names_is_run(mail, monkeypatch, command):
    monkeypatch.chdir(mail)
    done = mesonet(*command, "--json")
    json.loads(done.stdout)
    assert ran(mail)


@pytest.mark.parametrize("name", ["a,python:mine.Mine,b", "python:mine.Mine"])
def test_the_name_of_a_folder_is_no_word_of_the_user(mail, name):
    folder = mail.rename(mail.parent / name)
    for command, file, *options in COMMANDS:
        assert mesonet(command, folder / file, *options).exit_code == 2
    assert not ran(folder)


def test_code_that_ends_its_process_costs_a_campaign_its_run_alone(mail, processes):
    text = (mail / "plan.toml").read_text("utf-8")
    faults = {
        "bad": "raise SystemExit(0)",
        "end": "__import__('os')._exit(0)",
        "text": r"raise ValueError('\ud800\x1b[2J')",
    }
    for label in ("reno", *faults):
        name = f"python:{label}.Mine" if label in faults else label
        text += (
            f'[[alternatives]]\nlabel = "{label}"\nset = {{ "flows[0].algorithm" = "{name}" }}\n'
        )
    (mail / "plan.toml").write_text(text, encoding="utf-8")
    for label, line in faults.items():
        code = CONTROLLER.replace("pass", line, 1)
        (mail / f"{label}.py").write_text(code, encoding="utf-8")
    done = mesonet("run", mail / "plan.toml", "--out", "out", "--trust", "--workers", 1)
    assert done.exit_code == 1, done.stderr
    status = json.loads(mesonet("status", "out", "--json").stdout)
    assert (status["done"], status["failed"]) == (1, 3)
    reasons = "\n".join(sorted(status["failures"].values()))
    assert "python:end.Mine: the worker process exited with status 0, 3 times" in reasons
    assert "on_ack raised SystemExit: 0" in reasons
    assert r"ValueError: \ud800\x1b[2J" in reasons


@pytest.mark.parametrize(
    "command",
    [
        ("simulate", "scenario.toml", "--trust"),
        # One demand after another would go on; its runs are in threads, which no signal reaches.
        ("check-controller", "python:mine.Mine"),
    ],
)
def test_ctrl_c_ends_a_controller_that_loops(mail, command):
    line = "open(__file__ + '.looping', 'w').close()\n        while True: pass"
    (mail / "mine.py").write_text(CONTROLLER.replace("pass", line, 1), encoding="utf-8")
    started = [SCRIPT, *command]
    with subprocess.Popen(started, cwd=mail, stderr=subprocess.PIPE, text=True) as process:
        while not (mail / "mine.py.looping").exists():
            assert process.poll() is None
            time.sleep(0.05)
        # Two that come before the first is taken care of are one.
        for _ in range(10):
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(1)
                break
        assert process.wait(300) == 130
        assert "Traceback" not in process.stderr.read()


def test_a_folder_by_mail_is_looked_at_without_its_code_and_replayed_with_trust(mail, tmp_path):
    results = mail / "results"
    done = mesonet("run", mail / "plan.toml", "--out", results, "--trust", "--workers", 1)
    assert done.exit_code == 0, done.stderr
    ran(mail)
    # To another user, on another machine.
    arrived = tmp_path / "has arrived"
    shutil.move(mail, arrived)
    results = arrived / "results"
    run = pl.read_parquet(results / "cells.parquet")["run"][0]
    look(results, run)
    assert not ran(arrived)

    refused = mesonet("replay", results, run)
    assert refused.exit_code == 2
    assert "python:mine.Mine is a program" in refused.stderr
    command = ReportInputs.from_campaign(Campaign.open(results)).commands[run]
    assert command == shlex.join(["mesonet", "replay", str(results), run, "--trust"])
    assert not ran(arrived)
    replayed = mesonet("replay", results, run, "--trust")
    assert replayed.exit_code == 0, replayed.stderr
    assert "all 2 responses are as recorded" in replayed.stderr
    assert ran(arrived)


def test_a_folder_by_mail_is_verified_with_its_code_if_that_is_trusted(mail, tmp_path):
    done = mesonet("run", mail / "plan.toml", "--out", mail / "results", "--trust", "--workers", 1)
    assert done.exit_code == 0, done.stderr
    ran(mail)
    arrived = tmp_path / "arrived"
    shutil.move(mail, arrived)
    read = mesonet("verify", arrived / "results")
    assert read.exit_code == 0, read.stderr
    assert "`mesonet verify --trust`" in read.stdout
    assert not ran(arrived)
    again = mesonet("verify", arrived / "results", "--trust")
    assert again.exit_code == 0, again.stderr
    assert "1 of 1 finished runs give what is recorded, bit for bit" in again.stdout
    assert ran(arrived)

    # With other code, it is that which is named.
    code = (arrived / "mine.py").read_text("utf-8")
    changed = code.replace("pass", "raise ValueError('no more')", 1)
    (arrived / "mine.py").write_text(changed, encoding="utf-8")
    other = mesonet("verify", arrived / "results", "--trust")
    assert other.exit_code == 1
    assert other.stdout.count("python:mine.Mine has changed since (mine.py)") == 2
    assert "has a result and now fails" in other.stdout
    assert "no more" in other.stdout

    # Without its code, it says so and is not damaged.
    (arrived / "mine.py").unlink()
    gone = mesonet("verify", arrived / "results", "--trust")
    assert gone.exit_code == 2
    assert "python:mine.Mine" in gone.stderr
    assert "damaged" not in gone.stdout + gone.stderr


@pytest.mark.parametrize("code", ["missing", "1 / 0\n"])
@pytest.mark.parametrize(("trust", "status"), [((), 1), (("--trust",), 2)])
def test_damage_is_named_whatever_becomes_of_the_code(mail, code, trust, status):
    done = mesonet("run", mail / "plan.toml", "--out", mail / "results", "--trust", "--workers", 1)
    assert done.exit_code == 0, done.stderr
    (part,) = (mail / "results" / "results").iterdir()
    part.write_bytes(b"PAR1")
    if code == "missing":
        (mail / "mine.py").unlink()
    else:
        (mail / "mine.py").write_text(code, encoding="utf-8")
    read = mesonet("verify", mail / "results", *trust)
    assert read.exit_code == status, read.stderr
    assert f"results/{part.name} damaged" in read.stdout
    assert "python:mine.Mine" in read.stdout + read.stderr


def look(results, run):
    """Everything that looks at a campaign from inside its folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(results.parent)
        for command in (
            ("status", results),
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


def test_a_studys_code_is_run_when_the_user_says_so(mail):
    folder = mail / "study"
    mesonet("new-study", folder)
    for file in (folder / "plan.toml", folder / "study.toml"):
        file.write_text(file.read_text("utf-8").replace('"60 s"', '"2 s"'), "utf-8")
    measure = folder / "measure.py"
    before = measure.read_text("utf-8") if measure.exists() else ""
    measure.write_text(f"open(__file__ + '.ran', 'w').close()\n{before}", encoding="utf-8")
    refused = mesonet("study", folder, "--out", "out")
    assert refused.exit_code == 2
    assert f"error: {folder}: measure.py is a program" in refused.stderr
    assert not (folder / "measure.py.ran").exists()
    assert not Path("out").exists()
    done = mesonet("study", folder, "--out", "out", "--trust", "--workers", 1)
    assert (folder / "measure.py.ran").exists(), done.stderr


def test_controllers_that_a_studys_files_name_are_run_when_the_user_says_so(mail):
    folder = mail / "study"
    mesonet("new-study", folder)
    plan = folder / "plan.toml"
    plan.write_text(plan.read_text("utf-8").replace('"cubic"', '"python:mine.Mine"'), "utf-8")
    refused = mesonet("study", folder, "--out", "out")
    assert refused.exit_code == 2
    assert f"error: {folder}: python:mine.Mine is a program" in refused.stderr
    assert not ran(mail)


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
        (sys.executable, "-m", "mesonet", "simulate", "code.toml", "--trust"),
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
