"""The repository keeps its own rules: one version, a changelog, links that resolve, small files."""

import ast
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import version
from pathlib import Path
from urllib.parse import unquote

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
# Pages of results are built with the manual; test_kept_scorecards.py renders and checks them.
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if "results-" not in page.name),
]
SOURCES = [
    path
    for folder in ("crates", "python", "tests", "examples", "tools", "docs")
    for suffix in ("*.rs", "*.py")
    for path in sorted((ROOT / folder).rglob(suffix))
]
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


@cache
def anchors(page):
    """The fragments that GitHub and MyST give to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    kept = (re.sub(r"[^\w\- ]", "", it.replace("`", "").strip().lower()) for it in headings)
    return {it.replace(" ", "-") for it in kept}


def test_one_version():
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    wanted = cargo["workspace"]["package"]["version"]
    assert version("mesonet") == wanted
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {wanted}\n" in citation
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))
    ours = {each["name"]: each["version"] for each in lock["package"] if "source" not in each}
    assert set(ours.values()) == {wanted}
    crates = [tomllib.loads(path.read_text("utf-8")) for path in ROOT.glob("crates/*/Cargo.toml")]
    assert {each["package"]["name"] for each in crates} <= set(ours)
    assert all(each["package"]["version"] == {"workspace": True} for each in crates)
    # The newest heading with a number is the version that was released last, if any was.
    headings = re.findall(
        r"^## \[(\d[^\]]*)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert headings[:1] in ([], [wanted])


def test_one_oldest_compiler():
    """A controller of one's own is built with our crates, so it needs what they need."""
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    own = ROOT / "python" / "mesonet" / "data" / "controller" / "Cargo.toml"
    wanted = cargo["workspace"]["package"]["rust-version"]
    assert f'\nrust-version = "{wanted}"\n' in own.read_text(encoding="utf-8")


def test_what_is_imported_is_a_dependency():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    of_users = [line for name in extras.keys() - {"dev", "docs"} for line in extras[name]]
    asked = [*project["dependencies"], *of_users]
    known = {re.split(r"[<>=]", name)[0].replace("-", "_") for name in asked}
    known = {re.sub("_(python|py)$", "", name) for name in known} | sys.stdlib_module_names
    for path in (ROOT / "python" / "mesonet").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            imported = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                imported.append(node.module or "")
            unknown = {name.partition(".")[0] for name in imported} - known - {"mesonet"}
            assert not unknown, f"{path}, line {node.lineno}"


def test_every_dependency_has_a_chosen_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tables = [project["dependencies"], *project["optional-dependencies"].values()]
    lines = (ROOT / "requirements" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    chosen = {}
    for line in lines:
        if not line.startswith("#"):
            name, _, rest = line.partition("==")
            chosen.setdefault(canonicalize_name(name), []).append(rest.partition(" ")[0])
    for line in (line for table in tables for line in table):
        wanted = Requirement(line)
        versions = chosen.get(canonicalize_name(wanted.name), [])
        assert versions, f"{line}: no version is chosen; run make lock"
        fits = [it in wanted.specifier for it in versions]
        assert all(fits), f"{line}: {', '.join(versions)} is chosen; run make lock"


def test_every_version_says_what_changes_results():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    assert releases
    for release in releases:
        title, _, body = release.partition("\n")
        heading = r"\[(Unreleased|\d+\.\d+\.\d+)\]( - \d{4}-\d\d-\d\d)?"
        assert re.fullmatch(heading, title)
        assert re.search(r"^### Changes results\n\n- \S", body, re.MULTILINE), title


def broken_links(page):
    for target in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        # Pictures of the gallery are built with the manual; test_gallery.py compares their names.
        if re.match(r"[a-z]+:", target) or "images/gallery/" in target:
            continue
        name, _, fragment = unquote(target).partition("#")
        place = (page.parent / name).resolve() if name else page
        if not place.exists() or (
            fragment and place.suffix == ".md" and fragment not in anchors(place)
        ):
            yield target


def test_links_resolve():
    broken = [(str(page), target) for page in PAGES for target in broken_links(page)]
    assert broken == []


def is_in_its_index(page):
    """True if the index of its folder, the page of that name or the manual's index names it."""
    home = page.parent if page.name != "index.md" else page.parent.parent
    indices = (home / "index.md", home.with_suffix(".md"), ROOT / "docs" / "index.md")
    index = next(page for page in indices if page.exists())
    return f"({page.relative_to(index.parent)})" in index.read_text(encoding="utf-8")


def test_every_page_can_be_reached():
    pages = [page for page in PAGES if page.parent != ROOT and page != ROOT / "docs" / "index.md"]
    assert pages
    assert [page for page in pages if not is_in_its_index(page)] == []


def test_no_file_is_longer_than_600_lines():
    assert [path for path in SOURCES if len(path.read_text("utf-8").splitlines()) > 600] == []


def test_no_pickle_is_read():
    """Pickles run programs; only workers, which are begun here or by Dask, get any."""
    reads = re.compile(
        r"^\s*(?:import|from) +(?:pickle|cloudpickle|dill|joblib|shelve|marshal)\b|allow_pickle",
        re.MULTILINE,
    )
    readers = [
        path for path in (ROOT / "python").rglob("*.py") if reads.search(path.read_text("utf-8"))
    ]
    assert readers == []


def test_groups_of_rows_are_in_order():
    """Threads of polars add up rows in any order otherwise, and the last digits of means differ."""
    places = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / "python" / "mesonet").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "group_by"
        and "maintain_order" not in {keyword.arg for keyword in node.keywords}
    ]
    assert places == [], "expected maintain_order=True"


BUDGET = {
    "crates/benches": 300,
    "crates/binding": 2200,
    "crates/congestion": 20455,
    "crates/plugin": 2820,
    "crates/sim": 43881,
    "python/mesonet/adversary": 1007,
    "python/mesonet/analysis": 12534,
    "python/mesonet/campaign": 1401,
    "python/mesonet/capture": 807,
    "python/mesonet/cli": 2927,
    "python/mesonet/comparison": 1548,
    "python/mesonet/controller": 1594,
    "python/mesonet/design": 1455,
    "python/mesonet/evaluation": 2849,
    "python/mesonet/figures": 1032,
    "python/mesonet/gym": 1090,
    "python/mesonet/lab": 897,
    "python/mesonet/page": 506,
    "python/mesonet/plan": 2116,
    "python/mesonet/report": 1711,
    "python/mesonet/responses": 1593,
    "python/mesonet/scenario": 6483,
    "python/mesonet/store": 853,
    "python/mesonet/studies": 3143,
    "python/mesonet/tables": 419,
    "python/mesonet/workers": 1188,
    "python/mesonet_studies": 9940,
    "tests": 36075,
    "tools": 6953,
}
"""Most lines of Rust and Python by folder: a change that adds names what it removes."""


@pytest.mark.parametrize("folder", BUDGET)
def test_a_package_keeps_to_its_budget_of_lines(folder):
    files = [path for path in SOURCES if path.is_relative_to(ROOT / folder)]
    assert sum(len(path.read_text("utf-8").splitlines()) for path in files) <= BUDGET[folder]
