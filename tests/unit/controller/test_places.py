"""Controllers in a folder are loaded by their path; the folder is no place of other modules."""

import importlib
import py_compile
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import mesonet
from mesonet.controller import Code, Guard, controllers, fingerprints, guarded
from mesonet.controller.loading import code_of, load
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

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, look_in_folders: Callable[..., None]) -> Iterator[Write]:
    """Writes modules into a folder in which controllers are looked for."""
    before = list(sys.path)

    def at(name: str, *, top: str = "", value: str = "1", ack: str = "pass") -> Path:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(MODULE.format(top=top, value=value, ack=ack), encoding="utf-8")
        return file

    look_in_folders(tmp_path)
    yield at
    assert sys.path == before


def test_a_class_is_found_by_its_name_and_has_it(write: Write) -> None:
    file = write("mine.py")
    cls = load("python:mine.Mine")
    assert code_of("python:mine.Mine") == Code("python:mine.Mine", (file,))
    assert algorithm_name(cls) == "python:mine.Mine"
    assert "python:mine.Mine" in {info.name for info in controllers()}
    assert "mine" not in sys.modules
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("mine")


def test_errors_say_the_name_that_scenarios_say(write: Write) -> None:
    write("mine.py", ack="raise type('Odd', (Exception,), {'__module__': __name__})")
    scenario = mesonet.dumbbell(
        rate="1 Mbit/s", rtt="20 ms", flows=["python:mine.Mine"], duration="1 s"
    )
    with pytest.raises(ControllerError, match=r"on_ack raised mine\.Odd"):
        mesonet.simulate(scenario)


def test_a_controller_takes_the_place_of_no_library(write: Write) -> None:
    write("numpy.py")
    write("json.py")
    assert load("python:numpy.Mine").__name__ == "Mine"
    assert load("python:json.Mine").__name__ == "Mine"
    assert importlib.import_module("numpy") is np
    assert importlib.import_module("json").dumps([]) == "[]"


@pytest.mark.parametrize(
    "line",
    [
        "from helper import number",
        "from .helper import number",
        "import helper; number = helper.number",
        "from inner.deep import number",
        "import inner.deep; number = inner.deep.number",
        "import inner.deep as deep; number = deep.number",
        "from . import helper; number = helper.number",
    ],
)
def test_modules_beside_it_can_be_imported(write: Write, tmp_path: Path, line: str) -> None:
    for name in ("helper.py", "inner/__init__.py", "inner/deep.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("number = 7\n", encoding="utf-8")
    write("mine.py", top=line, value="number")
    assert load("python:mine.Mine").value == 7  # type: ignore[attr-defined]
    assert "helper" not in sys.modules
    assert "inner" not in sys.modules


def test_a_library_comes_before_a_module_beside_it(write: Write, tmp_path: Path) -> None:
    (tmp_path / "fractions.py").write_text("Fraction = None\n", encoding="utf-8")
    write("mine.py", top="from fractions import Fraction", value="Fraction(1, 2)")
    assert load("python:mine.Mine").value == 0.5  # type: ignore[attr-defined]


def test_packages_are_found_with_all_the_files_that_run(write: Write, tmp_path: Path) -> None:
    (tmp_path / "some").mkdir()
    first = tmp_path / "some" / "__init__.py"
    first.write_text("", encoding="utf-8")
    file = write("some/mine.py", top="from . import other", value="other.number")
    (tmp_path / "some" / "other.py").write_text("number = 7\n", encoding="utf-8")
    assert code_of("python:some.mine.Mine") == Code("python:some.mine.Mine", (first, file))
    assert load("python:some.mine.Mine").value == 7  # type: ignore[attr-defined]
    assert list(fingerprints(["python:some.mine.Mine"])) == ["python:some.mine.Mine"]


def test_bytecode_that_lies_beside_a_file_is_not_run(write: Write, tmp_path: Path) -> None:
    file = write("mine.py", value="'another'")
    # Python runs this without looking at the file.
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(file), doraise=True, invalidation_mode=unchecked)
    assert list((tmp_path / "__pycache__").iterdir())
    write("mine.py", value="'read'")
    assert load("python:mine.Mine").value == "read"  # type: ignore[attr-defined]
    py_compile.compile(str(file), cfile=str(tmp_path / "bare.pyc"), doraise=True)
    with pytest.raises(ControllerError, match="no module bare in "):
        load("python:bare.Mine")


@pytest.mark.parametrize(
    ("top", "found"),
    [
        ("import sys; sys.exit()", "importing mine failed: SystemExit"),
        ("raise BaseException('no')", "importing mine failed: BaseException: no"),
        ("import nowhere_at_all", "importing mine failed: ModuleNotFoundError"),
        ("raise ValueError('\\ud800\\x1b[2J')", r"ValueError: \\ud800\\x1b\[2J"),
    ],
)
def test_a_module_that_ends_or_fails_is_an_error(write: Write, top: str, found: str) -> None:
    write("mine.py", top=top)
    with pytest.raises(ControllerError, match=found):
        load("python:mine.Mine")


class Closed(Guard):
    """Admits nothing, and remembers what was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def admit(self, code: object) -> None:
        """See `Guard`."""
        assert isinstance(code, list)
        self.asked += [each.name for each in code]
        if code:
            raise PermissionError


def test_nothing_is_loaded_that_the_guard_does_not_admit(write: Write, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    write("mine.py", top=f"open({str(mark)!r}, 'w')")
    (tmp_path / "lib.so").write_bytes(b"no library")
    guard = Closed()
    scenario = mesonet.dumbbell(
        rate="1 Mbit/s",
        rtt="20 ms",
        flows=["python:mine.Mine", "library:lib.so:a"],
        duration="1 s",
    )
    with guarded(guard), pytest.raises(PermissionError):
        mesonet.simulate(scenario)
    assert guard.asked == ["library:lib.so:a", "python:mine.Mine"]
    assert not mark.exists()


def test_controllers_of_studies_that_come_with_mesonet_need_no_asking(write: Write) -> None:
    name = "python:mesonet.studies.hcc.lab.ConstantRate"
    assert code_of(name) == Code(name, ())
    guard = Closed()
    with guarded(guard):
        load(name)
    assert not guard.asked
    # The same name from a folder of the user's is another's code.
    first = write("mesonet/__init__.py")
    others = [
        write(f"mesonet/studies/{each}.py") for each in ("__init__", "hcc/__init__", "hcc/lab")
    ]
    assert code_of(name) == Code(name, (first, *others))


def test_reading_a_scenario_with_mistakes_loads_nothing(write: Write, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    write("mine.py", top=f"open({str(mark)!r}, 'w')")
    data = {"kind": "dumbbell", "flows": ["python:mine.Mine"], "nonsense": 1}
    with pytest.raises(mesonet.ScenarioError) as found:
        mesonet.scenario_from_dict(data)
    assert "nonsense" in str(found.value)
    assert not mark.exists()
