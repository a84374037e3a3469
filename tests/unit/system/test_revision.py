"""The revision of a working folder, without running what its repository names."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from mesonet.system.revision import revision

GIT = shutil.which("git")
pytestmark = pytest.mark.skipif(GIT is None, reason="git is not installed")


def git(folder: Path, *arguments: str) -> str:
    assert GIT is not None
    environment = {
        **{name: text for name, text in os.environ.items() if not name.startswith("GIT_")},
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    who = ("-c", "user.name=A", "-c", "user.email=a@b.invalid")
    command = [GIT, "-C", str(folder), *who, *arguments]
    return subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "inner").mkdir(parents=True)
    (folder / "a.txt").write_text("one\n", encoding="utf-8")
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "one")
    return folder


def test_the_commit_and_changes_are_told(repository: Path) -> None:
    commit = git(repository, "rev-parse", "HEAD")
    assert revision(repository / "inner") == commit
    (repository / "new.txt").write_text("unknown to Git", encoding="utf-8")
    os.utime(repository / "a.txt", (1, 1))
    assert revision(repository) == commit
    (repository / "a.txt").write_text("two\n", encoding="utf-8")
    assert revision(repository) == f"{commit}-dirty"
    git(repository, "add", ".")
    assert revision(repository) == f"{commit}-dirty"


def test_packed_references_and_further_work_trees_are_read(repository: Path) -> None:
    commit = git(repository, "rev-parse", "HEAD")
    git(repository, "pack-refs", "--all")
    assert revision(repository) == commit
    git(repository, "worktree", "add", "--quiet", "../other")
    assert revision(repository.parent / "other") == commit
    git(repository, "checkout", "--quiet", "--detach")
    assert revision(repository) == commit


def test_no_program_of_the_repository_is_run(repository: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho $0 >> {ran}\ncat\n", encoding="utf-8")
    program.chmod(0o755)
    (repository / ".gitattributes").write_text("* filter=bad diff=bad\n", encoding="utf-8")
    hooks = repository / ".git" / "hooks"
    for name in ("post-index-change", "fsmonitor-watchman", "pre-commit"):
        shutil.copy(program, hooks / name)
    for key in (
        "core.fsmonitor",
        "filter.bad.clean",
        "filter.bad.process",
        "diff.external",
        "diff.bad.textconv",
        "diff.bad.command",
        "core.pager",
        "core.sshCommand",
        "core.alternateRefsCommand",
    ):
        git(repository, "config", key, str(program))
    (repository / "a.txt").write_text("longer than before\n", encoding="utf-8")
    # The trap works: Git itself runs it.
    git(repository, "describe", "--always", "--dirty")
    assert ran.exists()
    ran.unlink()
    found = revision(repository)
    assert found is not None
    assert found.endswith("-dirty")
    assert not ran.exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("HEAD", "ref: ../../secret\n"),
        ("HEAD", "ref: refs/../../../secret\n"),
        ("HEAD", "ref: HEAD\n"),
        ("HEAD", "\xff\xfe"),
        ("HEAD", ""),
        ("index", "damaged"),
        ("index", None),
    ],
)
def test_a_damaged_repository_is_no_error(repository: Path, name: str, content: str | None) -> None:
    commit = git(repository, "rev-parse", "HEAD")
    (repository.parent / "secret").write_text("f" * 40, encoding="utf-8")
    file = repository / ".git" / name
    if content is None:
        file.unlink()
    else:
        file.write_text(content, encoding="latin-1")
    assert revision(repository) == (commit if name == "index" else None)


def test_outside_of_a_repository_there_is_none(tmp_path: Path) -> None:
    assert revision(tmp_path) is None
