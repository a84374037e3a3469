"""Files that others name are read if they are files, and if they end."""

import os
from pathlib import Path

import pytest
import warm
from typer.testing import CliRunner

from mesonet.cli import app
from mesonet.system import reading
from mesonet.system.reading import read_file, read_text

PLACES = {"/dev/zero": "a device", "/dev/full": "a device", "pipe": "a pipe"}
DUMBBELL = 'kind = "dumbbell", rate = "5 Mbit/s", rtt = "20 ms", duration = "1 s"'


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    os.mkfifo("pipe")
    return tmp_path


def plan(**keys: str) -> Path:
    lines = "".join(f"{key} = {value}\n" for key, value in keys.items())
    Path("plan.toml").write_text(lines, encoding="utf-8")
    return Path("plan.toml")


USUAL = {"name": '"a"', "responses": '["utilization"]'}
NAMING = {
    "scenario": {"scenario": '"{place}"'},
    "design": {
        "scenario": f'{{ {DUMBBELL}, flows = ["reno"] }}',
        "factors": '{ rate = { path = "rate", low = "1 Mbit/s", high = "2 Mbit/s" } }',
        "design": '{ kind = "custom", file = "{place}" }',
    },
    "policy": {"scenario": f'{{ {DUMBBELL}, flows = ["policy:{{place}}"] }}'},
    "library": {"scenario": f'{{ {DUMBBELL}, flows = ["library:{{place}}:any"] }}'},
}
"""Keys of plans by what names the place."""
CODE = """
import resource, sys
# Far more than a command needs, and no danger to the machine.
resource.setrlimit(resource.RLIMIT_DATA, (4_000_000_000, 4_000_000_000))
from mesonet.cli import app
app(sys.argv[1:])
"""


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("named", NAMING)
def test_what_is_no_file_is_refused_where_a_plan_names_it(named: str, place: str) -> None:
    keys = {key: text.replace("{place}", place) for key, text in (USUAL | NAMING[named]).items()}
    done = warm.run(CODE, "plan", str(plan(**keys)), "--trust")
    assert done.returncode == 2, done.stderr[-300:]
    assert "Traceback" not in done.stderr
    assert place in done.stderr
    # Libraries and policies are not even found where there is no file.
    found = f"expected a file, got {PLACES[place]}" in done.stderr
    assert found or (named in ("library", "policy") and "no such file" in done.stderr)


@pytest.mark.parametrize("command", ["simulate", "plan"])
@pytest.mark.parametrize("place", PLACES)
def test_what_is_no_file_is_refused_where_a_command_names_it(command: str, place: str) -> None:
    done = CliRunner().invoke(app, [command, place])
    assert done.exit_code == 2
    assert f"{place}: cannot be read: expected a file, got {PLACES[place]}" in done.stderr


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    large = tmp_path / "large.toml"
    large.touch()
    os.truncate(large, 10**12)
    done = CliRunner().invoke(app, ["plan", str(large)])
    assert done.exit_code == 2
    assert "expected at most 256 MB, got 1000000 MB" in done.stderr


def test_what_grows_while_it_is_read_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"abc")
    assert read_file(file) == b"abc"
    monkeypatch.setattr(reading, "MOST", 2)
    with pytest.raises(OSError, match="at most"):
        read_file(file)


def test_lines_end_as_in_python(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xef\xbb\xbfa\r\nb\r")
    assert read_text(tmp_path / "file", "utf-8-sig") == "a\nb\n"


def test_a_manifest_larger_than_memory_is_named(tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.json"
    manifest.touch()
    os.truncate(manifest, 10**13)
    done = CliRunner().invoke(app, ["status", str(tmp_path)])
    assert done.exit_code == 1
    assert "manifest.json: has 1e+04 GB" in done.stderr
