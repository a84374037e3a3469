"""Names that `import mesonet` offers."""

import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest

import mesonet
import mesonet.report
import mesonet.studies


@pytest.mark.parametrize("name", mesonet.__all__)
def test_every_public_name_exists_and_is_documented(name):
    assert getattr(mesonet, name).__doc__


def test_names_that_are_also_modules_are_functions():
    """Importing a module must hide no function of its package, such as `simulate`."""
    modules = [
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(mesonet.__path__, "mesonet.")
        if not module.name.endswith("__main__")
    ]
    names = {
        f"{package.__name__}.{name}": getattr(package, name)
        for package in (mesonet, *modules)
        for name in getattr(package, "__all__", ())
    }
    assert not {name for name, value in names.items() if inspect.ismodule(value)}


@pytest.mark.parametrize(
    "imported",
    ["mesonet", "mesonet.campaign.work", "mesonet.studies.bench", "mesonet_studies.hcc.measure"],
)
def test_a_process_that_only_simulates_loads_no_statistics_and_no_plots(imported):
    """Workers of campaigns and studies import these modules, once per process."""
    program = (
        f"import sys, {imported}\n"
        "heavy = {'scipy', 'pandas', 'altair', 'vl_convert', 'jinja2'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


SIMULATION = """
import mesonet
run = mesonet.simulate(
    mesonet.dumbbell(rate="1 Mbit/s", rtt="20 ms", flows=["reno"], duration="1 s"), seed=1
)
assert run.totals["delivered"] > 0
"""
FIRST_RUN = f"{SIMULATION}assert run.responses['utilization'] > 0"
COMPARISON = """
import mesonet
print(mesonet.compare("reno", "cubic", rate="1 Mbit/s", duration="2 s", replicates=2))
"""
HELP = """
from mesonet.cli import app
try:
    app(["--help"])
except SystemExit:
    pass
"""
PLAN = """
import mesonet
plan = mesonet.plan_from_dict({
    "name": "fraction", "responses": ["utilization"],
    "scenario": {"kind": "dumbbell", "rate": "1 Mbit/s", "rtt": "20 ms", "flows": ["reno"]},
    "factors": {
        "rate": {"path": "rate", "low": "1 Mbit/s", "high": "2 Mbit/s"},
        "rtt": {"path": "rtt", "low": "10 ms", "high": "20 ms"},
        "duration": {"path": "duration", "low": "1 s", "high": "2 s"},
    },
    "design": {"kind": "fractional_factorial", "generators": {"duration": "rate*rtt"}},
})
assert len(plan.runs()) == 4
"""
EFFECTS = """
import mesonet
import polars as pl
from mesonet.analysis.terms.estimate import term_effects
frame = pl.DataFrame({
    "a": [-1, 1, -1, 1], "b": [-1, -1, 1, 1], "y": [1.0, 2.0, 3.0, 5.0],
    "run": ["1", "2", "3", "4"], "condition": [1, 2, 3, 4], "replicate": 1, "alternative": "reno",
})
effects = mesonet.main_effects(frame, factors=["a", "b"], responses=["y"])
assert effects.to_frame()["p"].is_not_nan().all()
assert term_effects(frame, factors=["a", "b"], response="y").to_frame().height == 3
"""
HEAVY = "altair jinja2 markdown_it networkx pydoe typer vl_convert mesonet.scenario.internet"


@pytest.mark.parametrize(
    ("program", "late"),
    [
        ("import mesonet", "typing importlib.metadata numpy polars pydantic"),
        ("import mesonet.__main__", "typing typer rich numpy polars pydantic"),
        (HELP, "mesonet._core mesonet.errors numpy polars pydantic rich markdown_it"),
        (SIMULATION, f"{HEAVY} polars scipy mesonet.responses"),
        (
            FIRST_RUN,
            f"{HEAVY} multiprocessing psutil rich scipy mesonet.analysis mesonet.scenario.topology",
        ),
        (PLAN, "altair networkx pydoe scipy typer mesonet.figures mesonet.analysis.frames"),
        (COMPARISON, f"{HEAVY} scipy.cluster scipy.optimize scipy.stats mesonet.figures"),
        (EFFECTS, "altair scipy.cluster scipy.optimize scipy.stats mesonet.figures"),
    ],
    ids=["import", "entry", "help", "simulation", "first run", "plan", "comparison", "effects"],
)
def test_what_is_imported_when_it_is_used(program, late):
    """Imports are most of the time of whatever is small."""
    loaded = f"{program}\nimport sys\nloaded = {late.split()!r}\n"
    check = "assert not (loaded := [name for name in loaded if name in sys.modules]), loaded"
    ended = subprocess.run(
        [sys.executable, "-c", loaded + check], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr


def test_a_name_that_is_nearly_one_is_suggested():
    with pytest.raises(AttributeError, match="simulate"):
        _ = mesonet.Simulate


@pytest.mark.parametrize("package", [mesonet, mesonet.report, mesonet.studies])
def test_unknown_names_are_attribute_errors(package):
    with pytest.raises(AttributeError):
        _ = package.simulat


@pytest.mark.parametrize("package", [mesonet.report, mesonet.studies])
def test_names_that_are_imported_late_can_be_had(package):
    assert all(getattr(package, name) is not None for name in package.__all__)
