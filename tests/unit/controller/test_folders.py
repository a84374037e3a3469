"""Controllers in a folder are loaded by their path; the folder is no place of other modules."""

import importlib
import os
import sys
from pathlib import Path

import numpy as np
import pytest

import mesonet
from mesonet.controller import controllers, fingerprints, load, look_in, outside_names
from mesonet.controller.names import algorithm_name
from mesonet.errors import ControllerError

MODULE = """
import mesonet
{top}


class Mine(mesonet.Controller):
    '''Its summary.'''

    value = {value}

    def on_ack(self, ack, flow):
        {ack}

    def on_congestion(self, event, flow):
        pass
"""


@pytest.fixture
def write(tmp_path, look_in_folders):
    """Writes modules into a folder in which controllers are looked for."""
    before = list(sys.path)

    def at(name, *, top="", value="1", ack="pass"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(MODULE.format(top=top, value=value, ack=ack), encoding="utf-8")
        return file

    look_in_folders(tmp_path)
    yield at
    assert sys.path == before


def test_a_class_is_found_by_its_name_and_has_it(write):
    write("mine.py")
    cls = load("python:mine.Mine")
    assert algorithm_name(cls) == "python:mine.Mine"
    assert "python:mine.Mine" in {info.name for info in controllers()}


def test_the_first_folder_that_has_it_counts_whatever_was_loaded_before(write, tmp_path):
    write("one/mine.py", value="1")
    write("two/mine.py", value="22")
    for folders, value in ((["one", "two"], 1), (["two", "one"], 22)):
        look_in(*(tmp_path / name for name in folders))
        assert load("python:mine.Mine").value == value


@pytest.mark.parametrize("name", ["numpy", "json", "wave"])
def test_a_controller_takes_the_place_of_no_library(write, name):
    """`wave` is one of Python's that nobody has imported."""
    write(f"{name}.py")
    with pytest.raises(ControllerError, match=rf"\b{name}\b"):
        load(f"python:{name}.Mine")
    assert importlib.import_module("numpy") is np
    assert importlib.import_module("json").dumps([]) == "[]"


@pytest.mark.parametrize(
    "line",
    [
        "from helper import number",
        "import helper; number = helper.number",
        "from inner.deep import number",
        "import inner.deep as deep; number = deep.number",
    ],
)
def test_modules_beside_it_can_be_imported(write, tmp_path, line):
    for name in ("helper.py", "inner/__init__.py", "inner/deep.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("number = 7\n", encoding="utf-8")
    write("mine.py", top=line, value="number")
    assert load("python:mine.Mine").value == 7


def test_a_library_comes_before_a_module_beside_it(write, tmp_path):
    (tmp_path / "fractions.py").write_text("Fraction = None\n", encoding="utf-8")
    write("mine.py", top="from fractions import Fraction", value="Fraction(1, 2)")
    assert load("python:mine.Mine").value == 0.5


@pytest.mark.parametrize("first", ["", None])
def test_packages_are_found(write, tmp_path, first):
    (tmp_path / "some").mkdir()
    if first is not None:
        (tmp_path / "some" / "__init__.py").write_text(first, encoding="utf-8")
    write("some/mine.py", top="from . import other", value="other.number")
    (tmp_path / "some" / "other.py").write_text("number = 7\n", encoding="utf-8")
    assert load("python:some.mine.Mine").value == 7
    assert list(fingerprints(["python:some.mine.Mine"])) == ["python:some.mine.Mine"]


@pytest.mark.parametrize(
    ("top", "pattern"),
    [
        ("import sys; sys.exit()", "mine .*SystemExit"),
        ("raise BaseException('no')", "mine .*BaseException: no"),
        ("import nowhere_at_all", "mine .*ModuleNotFoundError"),
        ("raise ValueError('\\ud800\\x1b[2J')", r"ValueError: \\ud800\\x1b\[2J"),
    ],
)
def test_a_module_that_ends_or_fails_is_an_error(write, top, pattern):
    write("mine.py", top=top)
    with pytest.raises(ControllerError, match=pattern):
        load("python:mine.Mine")
    assert "mine" not in sys.modules


def test_controllers_of_studies_that_come_with_mesonet_are_mesonets(write):
    for name in ("", "hcc/"):
        write(f"mesonet_studies/{name}__init__.py")
    write("mesonet_studies/hcc/lab.py")
    name = "python:mesonet_studies.hcc.lab.ConstantRate"
    assert not outside_names(name)
    file = Path(sys.modules[load(name).__module__].__file__ or "")
    assert file.is_relative_to(Path(mesonet.__file__).parents[1])


def test_reading_a_scenario_with_mistakes_loads_nothing(write, tmp_path):
    mark = tmp_path / "ran"
    write("mine.py", top=f"open({os.fspath(mark)!r}, 'w')")
    data = {"kind": "dumbbell", "flows": ["python:mine.Mine"], "nonsense": 1}
    with pytest.raises(mesonet.ScenarioError) as caught:
        mesonet.scenario_from_dict(data)
    assert "nonsense" in str(caught.value)
    assert not mark.exists()
