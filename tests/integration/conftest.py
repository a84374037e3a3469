"""Results of a campaign that nothing disturbed, simulated once for all tests of this folder."""

import sys
from pathlib import Path

import pytest

from mesonet.campaign import run_campaign

sys.path.insert(0, str(Path(__file__).parent))
import fakes


@pytest.fixture(scope="session")
def undisturbed_campaign(tmp_path_factory):
    """The plan of all tests, executed in peace; tests read it and change nothing."""
    folder = tmp_path_factory.mktemp("undisturbed")
    return run_campaign(fakes.plan(), out=folder, workers=1, execute=fakes.quick)


@pytest.fixture(scope="session")
def undisturbed(undisturbed_campaign):
    """Its results as a frame."""
    return undisturbed_campaign.results()


@pytest.fixture(scope="session")
def whole(undisturbed_campaign):
    """The bytes of its results, by file."""
    return fakes.results_of(undisturbed_campaign.folder)


@pytest.fixture
def marks(tmp_path_factory, monkeypatch):
    """Folder in which runs leave marks for each other."""
    folder = tmp_path_factory.mktemp("marks")
    (folder / "pids").mkdir()
    monkeypatch.setenv(fakes.MARKS, str(folder))
    return folder
