"""Revision of a working folder, read without running what its repository names.

A repository's configuration can name programs that Git runs (`core.fsmonitor`, filters, hooks), and
it comes with the folder. So its files are read here, and Git compares with a configuration of ours.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

_OBJECT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SECONDS = 10.0
_DEEPEST = 5
"""References to references that are followed; Git itself makes one."""


def revision(folder: Path) -> str | None:
    """Revision of the repository around a folder, `-dirty` with changes; None outside of any.

    Changes are those of files that Git knows, submodules left out.
    """
    for work in (folder, *folder.parents):
        try:
            own = _own_folder(work / ".git")
            if own is None:
                continue
            shared = _shared_folder(own)
            commit = _resolved("HEAD", own, shared)
            if commit is None:
                return None
            return commit + ("-dirty" if _is_changed(work, own, shared, commit) else "")
        except (OSError, UnicodeDecodeError):
            return None
    return None


def _own_folder(found: Path) -> Path | None:
    """Git's folder of a work tree; a file names it where there are several work trees."""
    if found.is_dir():
        return found
    if not found.is_file():
        return None
    named = _text(found).removeprefix("gitdir:").strip()
    return found.parent / named


def _shared_folder(own: Path) -> Path:
    """The folder with objects and branches, which several work trees share."""
    named = own / "commondir"
    return own / _text(named).strip() if named.is_file() else own


def _resolved(name: str, own: Path, shared: Path) -> str | None:
    """The commit that a reference stands for; None before the first, or if it cannot be read."""
    for _ in range(_DEEPEST):
        # References have names such as refs/heads/main; nothing else is a file to read.
        if name != "HEAD" and (not name.startswith("refs/") or ".." in name):
            return None
        place = (own if name == "HEAD" else shared) / name
        text = _text(place).strip() if place.is_file() else _packed(name, shared)
        if _OBJECT.fullmatch(text):
            return text
        name = text.removeprefix("ref:").strip()
    return None


def _packed(name: str, shared: Path) -> str:
    file = shared / "packed-refs"
    for line in _text(file).splitlines() if file.is_file() else ():
        commit, _, called = line.partition(" ")
        if called == name:
            return commit
    return ""


def _is_changed(work: Path, own: Path, shared: Path, commit: str) -> bool:
    """True if Git finds a difference to the commit; false without Git, or if it cannot tell."""
    with tempfile.TemporaryDirectory(prefix="mesonet-") as temporary:
        bare = Path(temporary)
        (bare / "refs").mkdir()
        (bare / "HEAD").write_text(f"{commit}\n", "ascii")
        (bare / "config").write_text(_configuration(commit), "ascii")
        if not (own / "index").is_file():
            return False
        shutil.copy(own / "index", bare / "index")
        # Nothing of the repository's or the user's settings reaches Git.
        environment = {name: text for name, text in os.environ.items() if name[:4] != "GIT_"}
        environment |= {
            "GIT_DIR": str(bare),
            "GIT_WORK_TREE": str(work),
            "GIT_OBJECT_DIRECTORY": str(shared / "objects"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
        }
        _git(work, environment, "update-index", "-q", "--ignore-submodules", "--refresh")
        options = ("--quiet", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
        return _git(work, environment, "diff-index", *options, commit, "--") == 1


def _configuration(commit: str) -> str:
    if len(commit) == 40:
        return "[core]\nrepositoryformatversion = 0\n"
    return "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectformat = sha256\n"


def _git(work: Path, environment: dict[str, str], *arguments: str) -> int | None:
    """Exit status of a command; None if it could not be run."""
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=work,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.returncode


def _text(file: Path) -> str:
    return file.read_text("utf-8")
