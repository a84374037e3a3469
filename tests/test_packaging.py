"""Rules of what is built and released: actions by commit, known versions, permissive licences."""

import re
import subprocess
import sys
import tarfile
import tomllib
from importlib.metadata import PackageNotFoundError, metadata, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONSTRAINTS = (ROOT / "requirements" / "constraints.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_named_by_commit(workflow):
    """A tag can be moved to other code; a commit cannot."""
    used = re.findall(r"^\s*(?:- )?uses: *(.*)$", workflow.read_text("utf-8"), re.MULTILINE)
    assert used
    for action in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # (v\d+\.\d+\.\d+|master)", action), action


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_have_few_permissions(workflow):
    text = workflow.read_text("utf-8")
    # At the top nothing is granted but reading; a job that writes says what and why.
    top = re.search(r"^permissions:(.*\n(?:  .*\n)*)", text, re.MULTILINE)
    assert top
    assert top[1].split() in (["{}"], ["contents:", "read"])
    granted = re.findall(r"^ +([\w-]+): write(.*)$", text, re.MULTILINE)
    assert {name for name, _ in granted} <= {"id-token", "attestations"}
    assert all("# " in reason for _, reason in granted)
    assert "secrets." not in text


def test_one_tag_of_an_action_everywhere():
    pins = {}
    for workflow in WORKFLOWS:
        for name, commit in re.findall(r"uses: (\S+)@(.*)", workflow.read_text("utf-8")):
            pins.setdefault(name, set()).add(commit)
    assert not {name for name, commits in pins.items() if len(commits) > 1}


def test_the_archive_of_the_sources_has_what_a_build_needs(tmp_path):
    """The rule of the Makefile makes it, without touching the environment."""
    tools = [f"BIN={Path(sys.executable).parent}", f"DIST={tmp_path}"]
    old = ["--old-file", ".venv/.stamp-environment"]
    done = subprocess.run(
        ["make", "-C", ROOT, *old, "sdist", *tools], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (archive,) = tmp_path.glob("mesonet-*.tar.gz")
    with tarfile.open(archive) as packed:
        inside = {name.partition("/")[2] for name in packed.getnames()}
    assert {
        "Cargo.lock",
        "Cargo.toml",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "PKG-INFO",
        "crates/binding/src/lib.rs",
        "pyproject.toml",
        "python/mesonet/__init__.py",
        "python/mesonet_studies/pocket/study.toml",
    } <= inside
    assert not [name for name in inside if name.endswith((".so", ".pyc"))]


def test_the_image_is_built_from_what_its_build_needs():
    """Docker sees nothing of the repository but what the list of exceptions names."""
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert lines[0] == "*"
    sent = {line[1:] for line in lines if line.startswith("!")}
    about = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    maturin = about["tool"]["maturin"]
    paths = [maturin["manifest-path"], maturin["python-source"], maturin["data"], "Cargo.lock"]
    paths += ["Cargo.toml", "pyproject.toml", PROJECT["readme"]]
    copied = re.findall(r"requirements/\S+", (ROOT / "Dockerfile").read_text("utf-8"))
    assert {Path(path).parts[0] for path in [*paths, *copied]} <= sent
    assert all((ROOT / name).exists() for name in sent if "*" not in name)


def test_constraints_name_packages_and_versions_alone():
    """Neither the registry nor the folders of a machine that chose them belong there."""
    for line in CONSTRAINTS.splitlines():
        assert re.fullmatch(r"[\w.-]+==[\w.]+( ; [\w .<>!*='()]+)?", line), line


def closure(roots):
    """The distributions that requirements lead to, of those that are installed."""
    seen = set()
    todo = [Requirement(line) for line in roots]
    while todo:
        wanted = todo.pop()
        extras = wanted.extras or {""}
        name = canonicalize_name(wanted.name)
        if name in seen:
            continue
        if wanted.marker and not any(wanted.marker.evaluate({"extra": it}) for it in extras):
            continue
        try:
            further = requires(name) or []
        except PackageNotFoundError:
            continue
        seen.add(name)
        for line in further:
            asked = Requirement(line)
            if not asked.marker or any(asked.marker.evaluate({"extra": it}) for it in extras):
                todo.append(asked)
    return seen


def licences(name):
    """The licences that a distribution offers, one of which its users may choose."""
    said = metadata(name)
    expression = said.get("License-Expression")
    if expression:
        return re.split(r" +OR +", expression.strip("()"))
    classified = [
        line.rpartition(" :: ")[2]
        for line in said.get_all("Classifier") or []
        if line.startswith("License :: ") and not line.endswith(":: OSI Approved")
    ]
    return classified or [line for line in [said.get("License")] if line]


def test_no_dependency_is_under_the_gpl():
    extras = PROJECT["optional-dependencies"].values()
    packages = closure([*PROJECT["dependencies"], *(line for table in extras for line in table)])
    assert {"numpy", "polars", "narwhals", "jsonschema"} <= packages
    for name in sorted(packages):
        offered = licences(name)
        assert offered, f"{name}: no licence is named"
        free = [it for it in offered if not re.search(r"\b[AL]?GPL|General Public", it)]
        assert free, f"{name}: {', '.join(offered)}"
