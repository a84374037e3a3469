"""Folders in which controllers are looked for, beside the places of Python's own modules."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from mesonet.errors import ControllerError

OURS = ("mesonet", "mesonet_studies")
"""Packages that come with mesonet."""
_folders: tuple[Path, ...] = ()
_loaded: set[str] = set()
"""Names of the modules that were loaded from a folder."""


def look_in(*places: str | Path) -> None:
    """Sets the folders in which this process and its workers look for controllers, in order."""
    global _folders
    _folders = tuple(dict.fromkeys(Path(folder).resolve() for folder in places))


def folders() -> tuple[Path, ...]:
    """The folders in which this process looks for controllers."""
    return _folders


def find(path: str) -> Path:
    """The file that a relative path stands for: in the first folder that has it, or else here."""
    for folder in _folders:
        if (folder / path).is_file():
            return folder / path
    return Path(path).absolute()


def load_module(name: str) -> ModuleType:
    """The module of a name: in the first folder that has it, or else where Python finds it.

    While it is imported, its folder is the last place of modules, so that it can import those
    beside it, and none of them takes the place of a library.

    Raises:
        ImportError: There is none.
        ControllerError: Python has another module of this name already.
        BaseException: Whatever the module raises.
    """
    # mesonet's own studies have controllers, whatever a folder has under their names.
    for folder in () if name.partition(".")[0] in OURS else _folders:
        for file in (folder.joinpath(*name.split(".")) / "__init__.py", _file(folder, name)):
            if file.is_file():
                return _from_file(name, file, folder)
    if name not in sys.modules:
        # The file may be younger than what the import system remembers of its folder.
        importlib.invalidate_caches()
    return importlib.import_module(name)


def _file(folder: Path, name: str) -> Path:
    return folder.joinpath(*name.split(".")).with_suffix(".py")


def _from_file(name: str, file: Path, folder: Path) -> ModuleType:
    known = sys.modules.get(name)
    own = getattr(known, "__file__", None)
    if known is not None and own is not None and Path(own).resolve() == file.resolve():
        return known
    top, _, _ = name.partition(".")
    if top in sys.stdlib_module_names or (known is not None and name not in _loaded):
        message = f"Python has a module {name} already; {file} needs another name"
        raise ControllerError(f"python:{name}: {message}")
    importlib.invalidate_caches()
    with _on_path(folder):
        if parent := name.rpartition(".")[0]:
            importlib.import_module(parent)
        spec = spec_from_file_location(name, file)
        assert spec is not None, "its name ends in .py"
        assert spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    _loaded.add(name)
    return module


@contextlib.contextmanager
def _on_path(folder: Path) -> Iterator[None]:
    """Makes a folder the last place of modules for a while."""
    sys.path.append(str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
