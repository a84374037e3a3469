"""Names that `import mesonet` offers."""

import subprocess
import sys

import pytest

import mesonet


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


def test_a_process_that_only_simulates_loads_no_statistics_and_no_plots() -> None:
    program = (
        "import sys, mesonet\n"
        "heavy = {'scipy', 'statsmodels', 'sklearn', 'matplotlib', 'altair'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        _ = mesonet.simulat
