"""Names that `import mesonet` offers."""

import subprocess
import sys
from types import ModuleType

import pytest

import mesonet
import mesonet.report
import mesonet.studies


@pytest.mark.parametrize("name", mesonet.__all__)
def test_every_public_name_exists_and_is_documented(name: str) -> None:
    assert getattr(mesonet, name).__doc__


def test_names_that_are_also_modules_are_functions() -> None:
    """Importing modules afterwards must hide no function, such as `simulate`."""
    program = (
        "import importlib, inspect, pkgutil, mesonet\n"
        "for module in pkgutil.iter_modules(mesonet.__path__, 'mesonet.'):\n"
        "    importlib.import_module(module.name)\n"
        "hidden = [n for n in mesonet.__all__ if inspect.ismodule(getattr(mesonet, n))]\n"
        "assert not hidden, hidden"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    "imported",
    ["mesonet", "mesonet.campaign.work", "mesonet.studies.bench", "mesonet.studies.hcc.measure"],
)
def test_a_process_that_only_simulates_loads_no_statistics_and_no_plots(imported: str) -> None:
    """Workers of campaigns and studies import these modules, once per process."""
    program = (
        f"import sys, {imported}\n"
        "heavy = {'scipy', 'pandas', 'altair', 'vl_convert', 'jinja2'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("package", [mesonet, mesonet.report, mesonet.studies])
def test_unknown_names_are_attribute_errors(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        _ = package.simulat


@pytest.mark.parametrize("package", [mesonet.report, mesonet.studies])
def test_names_that_are_imported_late_can_be_had(package: ModuleType) -> None:
    assert all(getattr(package, name) is not None for name in package.__all__)
