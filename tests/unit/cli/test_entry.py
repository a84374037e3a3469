"""The entry point of the `mesonet` command, before any command is imported."""

import os
import subprocess
import sys

import pytest

import mesonet.__main__


@pytest.mark.parametrize(("chosen", "found"), [(None, "1"), ("4", "4")])
def test_small_matrices_have_one_thread_unless_the_user_says_more(chosen, found, monkeypatch):
    """Threads of OpenBLAS cost a tenth of a second at every start."""
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    if chosen:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", chosen)
    monkeypatch.setattr(mesonet.__main__, "listen", lambda: None)
    seen = []
    monkeypatch.setattr("mesonet.cli.main", lambda: seen.append(os.environ["OPENBLAS_NUM_THREADS"]))
    mesonet.__main__.main()
    assert seen == [found]


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_output_is_no_fault(closed):
    command = f'"{sys.executable}" -m mesonet list responses {closed}'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
