"""Folders in which controllers are looked for, beside the places of Python's own modules."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from mesonet.errors import ControllerError

T = TypeVar("T")
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


def read_once(kept: dict[Path, tuple[Any, T]], name: str, make: Callable[[bytes], T]) -> T:
    """What is made of the content of a file to be found, again only when it was written since."""
    path = find(name)
    try:
        status = path.stat()
        stamp = status.st_mtime_ns, status.st_size, status.st_ino
        if path in kept and kept[path][0] == stamp:
            return kept[path][1]
        content = path.read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        looked = ", ".join(dict.fromkeys(map(str, (*_folders, Path.cwd()))))
        where = "" if Path(name).is_absolute() else f" in {looked}"
        raise ControllerError(f"{name}: no such file{where}") from None
    except OSError as error:
        raise ControllerError(f"{name}: cannot be read: {error.strerror}") from None
    kept[path] = stamp, make(content)
    return kept[path][1]


def load_module(name: str) -> ModuleType:
    """The module of a name: in the first folder that has it, or else where Python finds it.

    While it is imported, its folder is the last place of modules, so that it can import those
    beside it, and none of them takes the place of a library. Raises whatever the module raises.
    """
    # mesonet's own studies have controllers, whatever a folder has under their names.
    for folder in () if name.partition(".")[0] in OURS else _folders:
        place = folder.joinpath(*name.split("."))
        for file in (place / "__init__.py", place.with_suffix(".py")):
            if file.is_file():
                return _from_file(name, file, folder)
    if name not in sys.modules:
        # The file may be younger than what the import system remembers of its folder.
        importlib.invalidate_caches()
    return importlib.import_module(name)


def _from_file(name: str, file: Path, folder: Path) -> ModuleType:
    imported = sys.modules.get(name)
    source = getattr(imported, "__file__", None)
    if imported is not None and source is not None and Path(source).resolve() == file.resolve():
        return imported
    top, _, _ = name.partition(".")
    if top in sys.stdlib_module_names or (imported is not None and name not in _loaded):
        message = f"Python has a module {name} already; {file} needs another name"
        raise ControllerError(f"python:{name}: {message}")
    importlib.invalidate_caches()
    sys.path.append(str(folder))
    try:
        if parent := name.rpartition(".")[0]:
            importlib.import_module(parent)
        spec = spec_from_file_location(name, file)
        assert spec is not None, "its name ends in .py"
        assert spec.loader is not None
        module = sys.modules[name] = module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    finally:
        sys.path.remove(str(folder))
    _loaded.add(name)
    return module
