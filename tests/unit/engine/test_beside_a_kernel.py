"""The profile of Linux 6.18 beside figures of that kernel, and the script that measures kernels."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "validation" / "linux.md"
TOOLS = Path(__file__).resolve().parents[3] / "tools" / "peers" / "linux"


@pytest.fixture(scope="module")
def page(load_tool):
    return load_tool("page")


@pytest.fixture(scope="module")
def worlds(load_tool):
    return load_tool("worlds")


@pytest.fixture(scope="module")
def measure(load_tool):
    return load_tool("measure")


@pytest.mark.parametrize(("config", "world"), [("a1_A", "short"), ("a1_B1", "long")])
@pytest.mark.parametrize("algorithm", ["reno", "cubic", "bbr"])
def test_one_flow_does_what_a_kernel_does(page, config, world, algorithm):
    """Window, queue and saw-tooth within 2 %, the start within 10 %; BBR 5 and 10 %."""
    kernel = page.reference()
    ours = page.repeated(page.WORLDS[world], page.NAMES[algorithm], "linux-6.18", 1)
    compared = 0
    for figure in page.METRICS:
        theirs = page.theirs(kernel, f"{config}_{algorithm}", figure)
        if theirs is None or figure == "start_time":
            continue
        compared += 1
        assert page.agrees(config, algorithm, figure, theirs, ours[figure]), (figure, theirs, ours)
    assert compared >= (4 if algorithm == "bbr" else 10)


def test_the_page_has_what_the_program_writes(page):
    """A figure of the page that the simulator no longer gives would be a false claim."""
    text = PAGE.read_text("utf-8")
    ours = page.repeated(page.WORLDS["short"], "cubic:linux", "linux-6.18", 1)
    kernel = page.reference()
    for figure in ("goodput", "queue", "period", "first_losses"):
        theirs = page.theirs(kernel, "a1_A_cubic", figure)
        cells = f"| {page.FIGURES[figure]} | {theirs.mean:.4g} | {ours[figure].mean:.4g} |"
        assert f"| `cubic:linux` {cells}" in text
    assert "| no |" not in text


def test_the_old_edition_is_far_from_a_kernels_start(worlds):
    old = worlds.ours(worlds.WORLDS["long"], "cubic:linux", "linux-4.18")
    assert old["first_losses"] > 10 * 17


def test_figures_of_a_made_up_run(worlds):
    """Losses up to a round trip apart are one epoch, and a mean rate is of the time measured."""
    world = worlds.World(12e6, 0.1, 100, 0.0, (0.0,), 20.0, 10.0)
    time = np.arange(0.01, 20.001, 0.01)
    flow = worlds.Flow(
        time=time,
        cwnd=np.where(time % 4 < 2, 150.0, 100.0),
        ssthresh=np.where(time < 1, 0.0, 80.0),
        retransmitted=np.floor(time),
        acked=time * 1e6,
        start=0.0,
        marks={100_000: 0.1},
    )
    drops = np.array([2.0, 2.1, 12.0, 12.1, 16.0])
    figures = worlds.figures(world, [flow], drops, 7.0)
    assert figures["goodput"] == pytest.approx(8.0)
    assert figures["period"] == pytest.approx(4.0)
    assert figures["first_losses"] == 2
    assert figures["first_loss_time"] == 2.0
    assert figures["start_time"] == pytest.approx(1.0)
    assert figures["wmin"] == 80
    assert figures["queue"] == 7.0
    assert figures["time_100kB"] == 0.1


def test_a_busy_machine_is_not_believed(measure):
    calm = {"late_share": 0.0001, "late_mean_us": 20.0}
    assert measure.Kernel({}, calm).doubts() == []
    assert len(measure.Kernel({}, {"late_share": 0.01, "late_mean_us": 500.0}).doubts()) == 2


def test_all_that_is_missing_is_said_at_once(measure, monkeypatch):
    monkeypatch.setattr(measure.sys, "platform", "linux")
    monkeypatch.setattr(measure.os, "geteuid", lambda: 1000, raising=False)
    monkeypatch.setattr(measure.shutil, "which", lambda _: None)
    lacks = measure.missing()
    assert [word for word in ("root", "`ip`", "`cc`") if any(word in each for each in lacks)] == [
        "root",
        "`ip`",
        "`cc`",
    ]
    monkeypatch.setattr(measure.sys, "platform", "darwin")
    assert measure.missing() == ["expected Linux, found darwin"]


def test_worlds_are_listed_without_root():
    done = subprocess.run(
        [sys.executable, str(TOOLS / "measure.py"), "--list"], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert {line.split()[0] for line in done.stdout.splitlines()} >= {"short", "long", "loss"}


@pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="needs Linux and a C compiler"
)
def test_the_emulator_compiles_and_refuses_what_it_cannot_honour(tmp_path):
    program = tmp_path / "link"
    subprocess.run(["cc", "-Wall", "-Werror", "-o", program, TOOLS / "link.c"], check=True)
    few = subprocess.run([program], capture_output=True, text=True)
    assert (few.returncode, few.stderr) == (2, "link: expected 9 arguments, got 0\n")
    command = [program, "a", "b", "1e6", "1000", "0", "0", "1", "0", "1"]
    wrong = subprocess.run(command, capture_output=True, text=True)
    assert (wrong.returncode, wrong.stderr) == (2, "link: an argument is out of range\n")
