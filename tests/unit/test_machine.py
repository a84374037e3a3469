"""A scenario that cannot fit is refused before it starts."""

import os
import subprocess
import sys

import pytest
from refusals import refused

from mesonet.errors import ScenarioError
from mesonet.machine import available, available_cores, held, refuse_unless_fits
from mesonet.scenario.keywords import dumbbell
from mesonet.simulation import simulate


def huge():
    """A million intervals of ten thousand flows: at least 900 GB of measurements."""
    return dumbbell(
        rate="1 p/ms",
        rtt="20 ms",
        buffer="20 packets",
        flows=[{"algorithm": "reno", "count": 10000}],
        interval="1 ms",
        duration="1000 s",
    )


def test_what_cannot_fit_is_refused_with_an_estimate():
    with pytest.raises(ScenarioError) as refused:
        simulate(huge())
    (problem,) = refused.value.problems
    assert problem.loc == "memory"
    assert "longer intervals would help" in problem.message


def test_what_fits_is_not(monkeypatch):
    monkeypatch.setattr("mesonet.machine.available", lambda: 2 * 10**9)
    refuse_unless_fits({"sources": 10**9})
    with refused(ScenarioError, ("memory", "memory")) as caught:
        refuse_unless_fits({"sources": 3 * 10**9})
    assert str(caught.value).count("3 GB") == 2


@pytest.mark.parametrize("option", ["record_segments", "record_packets"])
def test_a_run_ends_before_what_it_records_takes_all_memory(monkeypatch, option):
    endless = dumbbell(
        interval="1 s",
        rate="1 Gbit/s",
        rtt="20 ms",
        flows=["reno"],
        duration="10000 s",
        **{option: True},
    )
    monkeypatch.setattr("mesonet.machine.available", lambda: 50_000_000)
    with refused(ScenarioError, ("memory", "memory")) as caught:
        simulate(endless)
    assert option in str(caught.value)


def test_what_is_recorded_and_fits_is_as_ever():
    short = dumbbell(
        rate="50 Mbit/s", rtt="20 ms", flows=["reno"], duration="20 s", record_segments=True
    )
    heard = []
    run = simulate(short, progress=heard.append)
    assert run.segments.equals(simulate(short).segments)
    assert heard == sorted(heard)


def test_this_machine_has_some():
    assert available() > 10**7


def test_a_process_holds_some_until_it_has_gone():
    assert 10**6 < held(os.getpid()) < 10**12
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    assert held(gone.pid) is None


def test_limits_of_batch_jobs_count_without_the_files_they_have_read(tmp_path, monkeypatch):
    """Documentation of cgroup v2: memory.current has the page cache, and limits hold downwards."""
    groups = {"": ("max", 0, 0), "slurm": (100, 60, 20), "slurm/job": (90, 10, 0)}
    for name, (limit, used, files) in groups.items():
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "memory.max").write_text(f"{limit}\n")
        (folder / "memory.current").write_text(f"{used}\n")
        (folder / "memory.stat").write_text(f"anon {used - files}\ninactive_file {files}\n")
    enter = groups_below(tmp_path, monkeypatch)
    enter("slurm/job")
    assert available() == 60
    enter("")
    assert available() > 100


def test_quotas_of_containers_count(tmp_path, monkeypatch):
    """Documentation of cgroup v2: cpu.max is a quota, or max, and its period, in microseconds."""
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: set(range(64)), raising=False)
    groups = {"": "max 100000", "pod": "1600000 100000", "pod/half": "350000 100000"}
    for name, text in groups.items():
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "cpu.max").write_text(f"{text}\n")
    enter = groups_below(tmp_path, monkeypatch)
    for group, cores in {"": 64, "pod": 16, "pod/half": 4}.items():
        enter(group)
        assert available_cores() == cores


def groups_below(folder, monkeypatch):
    """Control groups are in a folder; enters the named group of them."""
    monkeypatch.setattr("mesonet.machine._GROUPS", folder)
    monkeypatch.setattr("mesonet.machine._OWN_GROUP", folder / "own")
    return lambda group: (folder / "own").write_text(f"4:memory:/else\n0::/{group}\n")
