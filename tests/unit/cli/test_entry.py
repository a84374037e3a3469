"""The entry point of the `mesonet` command, before any command is imported."""

import importlib.util
import os
import py_compile
import subprocess
import sys
from pathlib import Path

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


@pytest.mark.parametrize("content", ["cut", "other"])
@pytest.mark.parametrize("module", ["cli.names", "responses.markdown"])
def test_a_damaged_compiled_file_is_named(module, content, tmp_path):
    """A copy that ended early leaves one; Click said "Aborted!" and no more."""
    whole = Path(importlib.util.find_spec(f"mesonet.{module}").origin)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "pycache_prefix", str(tmp_path))
        compiled = Path(importlib.util.cache_from_source(str(whole)))
    py_compile.compile(str(whole), cfile=str(compiled))
    data = compiled.read_bytes()
    compiled.write_bytes(data[:200] if content == "cut" else data[:16] + b"?" * 200)
    command = [sys.executable, "-m", "mesonet", "list", "responses", "--markdown"]
    environment = os.environ | {"PYTHONPYCACHEPREFIX": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        f"error: {compiled}: this compiled file is damaged; remove it, and Python makes it anew\n"
    )
