"""A wheel in an empty environment: no compiler, no Rust, nothing of this repository."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILT = (ROOT / "target" / "release" / "lib_core.d").exists()

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not BUILT, reason="the engine is not built here; run make setup"),
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel of this working tree; the engine is the one that `make setup` built."""
    folder = tmp_path_factory.mktemp("dist")
    maturin = Path(sysconfig.get_path("scripts")) / "maturin"
    command = [maturin, "build", "--release", "--locked", "--quiet", "--out", folder]
    environment = os.environ | {"PYO3_PYTHON": sys.executable}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    (path,) = folder.glob("mesonet-*.whl")
    return path


@pytest.fixture(scope="module")
def clean(wheel, tmp_path_factory):
    """An environment with the wheel; what it depends on is that of the tests' environment."""
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet"]
    subprocess.run([*install, "--no-index", "--no-deps", wheel], check=True)
    # A path alone: what lies there is found, but its editable installs are not followed.
    packages = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    shared = Path(packages.stdout.strip()) / "dependencies.pth"
    shared.write_text(f"{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n")
    return folder


def alone(clean, *command, folder):
    """A command of the environment, with nothing else on the path."""
    environment = {"PATH": str(clean / "bin"), "HOME": str(folder), "LANG": "C.UTF-8"}
    for tool in ("cargo", "rustc", "cc", "gcc", "clang"):
        assert shutil.which(tool, path=environment["PATH"]) is None
    return subprocess.run(
        [str(clean / "bin" / command[0]), *command[1:]],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_wheel_is_for_every_python_and_carries_what_is_used(wheel):
    assert "-cp311-abi3-" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    wanted = (
        "mesonet/py.typed",
        "mesonet/_core.abi3.so",
        "mesonet/data/abilene.json",
        "mesonet/page/templates/base.html.j2",
        "mesonet/data/rust/",
        "mesonet_studies/pocket/study.toml",
    )
    for name in wanted:
        assert any(it.startswith(name) for it in names), name
    assert any(it.endswith("licenses/LICENSE-MIT") for it in names)
    assert not [it for it in names if "__pycache__" in it or it.startswith("tests")]


def test_algorithms_are_compared_to_a_page_with_nothing_but_the_wheel(clean, tmp_path):
    where = alone(clean, "python", "-c", "import mesonet; print(mesonet.__file__)", folder=tmp_path)
    assert Path(where.stdout.strip()).is_relative_to(clean)
    asked = ("compare", "cubic", "bbr3", "--replicates", "1", "--duration", "2 s")
    ended = alone(clean, "mesonet", *asked, "--out", "page.html", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "bbr3" in ended.stdout
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "cubic" in page
    assert page.rstrip().endswith("</html>")
