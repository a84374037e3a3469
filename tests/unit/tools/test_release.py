"""One step turns what is unreleased into a version; all files agree on it afterwards."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
NAMES = ("Cargo.toml", "Cargo.lock", "CITATION.cff", "CHANGELOG.md")


@pytest.fixture(scope="module")
def tool(load_tool):
    return load_tool("release")


@pytest.fixture(scope="module")
def files():
    return {name: (ROOT / name).read_text("utf-8") for name in NAMES}


def later(files):
    before = tomllib.loads(files["Cargo.toml"])["workspace"]["package"]["version"]
    major, minor, _ = before.split(".")
    return f"{major}.{int(minor) + 1}.0"


def test_all_files_have_the_version(tool, files):
    version = later(files)
    after = tool.released(files, version, "2027-01-31")
    cargo = tomllib.loads(after["Cargo.toml"])
    assert cargo["workspace"]["package"]["version"] == version
    cargo["workspace"]["package"]["version"] = ""
    before = tomllib.loads(files["Cargo.toml"])
    before["workspace"]["package"]["version"] = ""
    assert cargo == before
    members = {path.parent.name for path in (ROOT / "crates").glob("*/Cargo.toml")}
    ours = [each for each in tomllib.loads(after["Cargo.lock"])["package"] if "source" not in each]
    assert len(ours) >= len(members)
    assert {each["version"] for each in ours} == {version}
    assert f"\nversion: {version}\ndate-released: 2027-01-31\n" in after["CITATION.cff"]


def test_what_was_unreleased_is_under_the_version(tool, files):
    version = later(files)
    after = tool.released(files, version, "2027-01-31")["CHANGELOG.md"]
    sections = re.split(r"^## ", after, flags=re.MULTILINE)
    assert sections[1] == "[Unreleased]\n\n### Changes results\n\n- None.\n\n"
    kept = re.split(r"^## ", files["CHANGELOG.md"], flags=re.MULTILINE)
    assert sections[2].removeprefix(f"[{version}] - 2027-01-31") == kept[1].removeprefix(
        "[Unreleased]"
    )
    assert sections[3:] == kept[2:]


def test_a_second_release_wants_something_new(tool, files):
    once = tool.released(files, later(files), "2027-01-31")
    with pytest.raises(tool.ReleaseError):
        tool.released(once, later(once), "2027-02-01")


@pytest.mark.parametrize(
    ("version", "day", "said"),
    [
        ("0.0.1", "2027-01-31", "version: .*0.0.1"),
        ("next", "2027-01-31", 'version: .*"next"'),
        ("99.0", "2027-01-31", 'version: .*"99.0"'),
        ("99.0.0", "31 January", "date: .*31 January"),
    ],
)
def test_what_cannot_be_released_is_refused(tool, files, version, day, said):
    with pytest.raises(tool.ReleaseError, match=said):
        tool.released(files, version, day)


def test_a_mistake_is_one_line_and_writes_nothing(tool, capsys, monkeypatch, tmp_path, files):
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    assert tool.main(["0.0.1", "2027-01-31"]) == 2
    assert capsys.readouterr().err.startswith("error: version: ")
    assert {name: (tmp_path / name).read_text("utf-8") for name in NAMES} == files
    assert tool.main([later(files), "2027-01-31"]) == 0
    assert (tmp_path / "Cargo.toml").read_text("utf-8") != files["Cargo.toml"]
