"""Campaigns on a Dask cluster: real scheduler and workers, on loopback."""

import contextlib
import importlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import fakes
import pytest

from mesonet.campaign import Campaign, run_campaign
from mesonet.errors import CampaignError
from mesonet.plan import plan_from_dict

HERE = Path(__file__).parent

# Libraries warn of what is theirs to mend.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


class Cluster:
    """A scheduler and workers, each a process that can be killed."""

    def __init__(self, folder):
        self.folder = folder
        self.address = ""
        self.processes = []

    def begin(self, what, *arguments):
        path = os.pathsep.join([str(HERE), *(p for p in sys.path if p)])
        program = (
            f"import sys; sys.path.insert(0, {str(HERE)!r}); "
            f"from distributed.cli.dask_{what} import main; main()"
        )
        log = self.folder / f"{what}{len(self.processes)}.log"
        with log.open("wb") as file, pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            patch.setenv("PYTHONPATH", path)
            command = [sys.executable, "-P", "-c", program, *arguments]
            process = subprocess.Popen(command, stdout=file, stderr=file)
        self.processes.append(process)
        return process

    def scheduler(self):
        host = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        file = self.folder / "scheduler.json"
        process = self.begin("scheduler", *host, "--scheduler-file", str(file))
        while not self.address:
            assert process.poll() is None
            time.sleep(0.05)
            # There before all of it is written.
            with contextlib.suppress(OSError, json.JSONDecodeError):
                self.address = json.loads(file.read_text("utf-8"))["address"]
        return process

    def worker(self, *options):
        single = ("--nworkers", "1", "--nthreads", "1", "--no-nanny", "--no-dashboard")
        return self.begin("worker", self.address, *single, *options)

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path):
    folder = tmp_path / "cluster"
    folder.mkdir()
    cluster = Cluster(folder)
    yield cluster
    cluster.end()


@pytest.fixture(scope="module")
def standing(tmp_path_factory):
    """A scheduler and a worker that tests neither kill nor add to."""
    cluster = Cluster(tmp_path_factory.mktemp("standing"))
    cluster.scheduler()
    cluster.worker()
    yield cluster
    cluster.end()


def at(progress_when, action):
    """Calls `action` once, when the campaign is so far."""
    done = []

    def progress(now):
        if not done and progress_when(now):
            done.append(True)
            action()

    return progress, done


def test_a_worker_killed_in_mid_run(cluster, marks, whole, tmp_path):
    cluster.scheduler()
    victim, _ = cluster.worker(), cluster.worker()

    def kill_worker():
        victim.kill()
        cluster.worker()

    progress, killed = at(lambda now: now.done >= 1, kill_worker)
    campaign = run_campaign(
        fakes.plan(),
        out=tmp_path / "campaign",
        cluster=cluster.address,
        progress=progress,
        execute=fakes.traced,
    )
    assert killed
    assert campaign.status()["done"] == 8
    assert fakes.results_of(campaign.folder) == whole
    assert (campaign.timings()["wall_seconds"] >= 0.2).all()


def test_controllers_are_found_by_their_path(standing, tmp_path, look_in_folders):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "mine.py").write_text(
        "import mesonet\n"
        "class Mine(mesonet.Controller):\n"
        "    def on_ack(self, ack, flow):\n"
        "        pass\n"
        "    def on_congestion(self, event, flow):\n"
        "        pass\n",
        encoding="utf-8",
    )
    look_in_folders(tmp_path / "theirs")
    data = fakes.plan(factors={}, replicates=1).to_dict()
    data["scenario"]["flows"] = [{"algorithm": "python:mine.Mine"}]
    done = run_campaign(plan_from_dict(data), out=tmp_path / "out", cluster=standing.address)
    assert done.status()["done"] == 1


def test_a_worker_with_another_engine_ends_the_campaign(cluster, tmp_path):
    cluster.scheduler()
    cluster.worker("--preload", str(HERE / "older_engine.py"))
    with pytest.raises(CampaignError, match="older"):
        run_campaign(
            fakes.plan(), out=tmp_path / "none", cluster=cluster.address, execute=fakes.quick
        )
    assert Campaign.open(tmp_path / "none").status()["pending"] == 8


def test_what_the_cluster_cannot_import_ends_the_campaign(standing, tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text("def execute(work): ...", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    execute = importlib.import_module("only_here").execute
    with pytest.raises(CampaignError, match="only_here"):
        run_campaign(fakes.plan(), out=tmp_path / "x", cluster=standing.address, execute=execute)
    assert Campaign.open(tmp_path / "x").status()["failed"] == 0


def test_a_client_of_ones_own_and_budgets_and_failures(standing, tmp_path):
    from distributed import Client

    with Client(standing.address, set_as_default=False) as client:
        campaign = run_campaign(
            fakes.plan(),
            out=tmp_path / "campaign",
            cluster=client,
            execute=fakes.endless,
            max_seconds=0.3,
        )
        assert client.status == "running"
    assert campaign.status()["done"] == 4
    for error in campaign.failures().values():
        assert error.startswith("over its budget: took more than 0.3 s")


def test_where_there_is_no_scheduler_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr("mesonet.workers.cluster._CONNECT", 0.5)
    out = tmp_path / "out"
    for address in ("tcp://127.0.0.1:1", "what://is this"):
        with pytest.raises(CampaignError, match=address):
            run_campaign(fakes.plan(), out=out, cluster=address, execute=fakes.quick)
        assert not out.exists()


def test_while_no_worker_has_joined_progress_says_so(cluster, tmp_path):
    cluster.scheduler()
    most = []
    joined, done = at(lambda now: cluster.address in now.lonely, cluster.worker)

    def progress(now):
        joined(now)
        most.append(len(now.running))

    campaign = run_campaign(
        fakes.plan(), out=tmp_path / "campaign", cluster=cluster.address, progress=progress
    )
    assert done
    assert campaign.status()["done"] == 8
    assert max(most) <= 1


def test_without_its_scheduler_a_campaign_ends_and_resumes(cluster, marks, whole, tmp_path):
    scheduler = cluster.scheduler()
    cluster.worker()
    progress, killed = at(lambda now: now.done >= 1, scheduler.kill)
    out = tmp_path / "campaign"
    with pytest.raises(CampaignError):
        run_campaign(
            fakes.plan(),
            out=out,
            cluster=cluster.address,
            progress=progress,
            execute=fakes.traced,
        )
    assert killed
    campaign = run_campaign(fakes.plan(), out=out, workers=1, execute=fakes.traced)
    assert campaign.status()["done"] == 8
    assert fakes.results_of(out) == whole
