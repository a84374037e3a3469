"""Fixtures that all tests share."""

import gc
import importlib
import os
import signal
import sys
from pathlib import Path

import pytest
from here import Here
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadFileScheduling

from mesonet.controller import look_in
from mesonet.workers.local import LocalPool

TOOLS = Path(__file__).resolve().parents[1] / "tools"

# The same examples each time, however long they take; `--hypothesis-profile default` draws others.
settings.register_profile(
    "same", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("same")

# Nothing is garbage until the tests are collected, see below.
gc.disable()

# As the command line has it, for what tests start in other ways.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A shell has what it starts in the background ignore Ctrl-C; tests of Ctrl-C need it to be heard.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers():
    """A worker more than cores, for tests of campaigns and in browsers wait."""
    return (os.cpu_count() or 1) + 1


class ByFile(LoadFileScheduling):
    """Files go to workers as a whole, for their fixtures; studies share none and take longest."""

    def _split_scope(self, nodeid):
        return nodeid if "tests/studies/" in nodeid else super()._split_scope(nodeid)


def pytest_xdist_make_scheduler(config, log):
    return ByFile(config, log) if config.option.dist == "loadfile" else None


def pytest_collection_finish(session):
    """Spares the collector what lives to the end: all modules, their schemas and the tests.

    Going through them again and again takes a tenth of the processor time of tests.
    """
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(autouse=True, scope="session")
def _own_state(tmp_path_factory):
    """State that tests leave is not the user's, and is forgotten."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(autouse=True, scope="session")
def _workers_here():
    """Campaigns and studies are executed in the process of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mesonet.workers.execution.LocalPool", Here)
        yield


@pytest.fixture
def processes(monkeypatch):
    """Workers are processes, as they are outside the tests."""
    monkeypatch.setattr("mesonet.workers.execution.LocalPool", LocalPool)


@pytest.fixture
def look_in_folders():
    """Sets folders in which controllers are looked for; they and their modules are forgotten."""
    known = set(sys.modules)
    yield look_in
    look_in()
    for name in set(sys.modules) - known:
        if not name.startswith("mesonet"):
            del sys.modules[name]


@pytest.fixture(scope="session")
def load_tool():
    """Gives a program below the folder tools as a module; those of a folder import each other."""

    def load(name):
        with pytest.MonkeyPatch.context() as patch:
            for folder in sorted({path.parent for path in TOOLS.rglob("*.py")}):
                patch.syspath_prepend(str(folder))
            return importlib.import_module(name)

    return load
