"""Folders in which controllers are looked for, beside the places of Python's own modules.

A module from such a folder is loaded by its path, as a part of a package that has no name outside:
no folder is put on `sys.path`, so that nothing in it takes the place of another module. Inside the
package, a module can import those beside it, by `from .helper import f` and by `import helper`.
"""

from __future__ import annotations

import builtins
import functools
import hashlib
import re
import sys
from collections.abc import Mapping, Sequence
from importlib import machinery, util
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

_PACKAGE = "_mesonet_"
_PRIVATE = re.compile(rf"{_PACKAGE}[0-9a-f]{{16}}\.")

_folders: tuple[Path, ...] = ()


def look_in(*folders: str | Path) -> None:
    """Sets the folders in which this process and its workers look for controllers, in order."""
    global _folders
    _folders = tuple(dict.fromkeys(Path(folder).resolve() for folder in folders))


def folders() -> tuple[Path, ...]:
    """The folders in which this process looks for controllers."""
    return _folders


def find(path: str) -> Path:
    """The file that a relative path stands for: in the first folder that has it, or else here."""
    for folder in _folders:
        if (folder / path).is_file():
            return folder / path
    return Path(path).absolute()


def importable(module: str) -> str:
    """Name under which Python imports a module: its own, or one of ours for a file in a folder."""
    for folder in _folders:
        if _sources_in(folder, module):
            return f"{_package(folder)}.{module}"
    return module


def public(text: str) -> str:
    """A text with the names of modules as scenarios say them."""
    return _PRIVATE.sub("", text)


def sources(module: str) -> tuple[Path, ...]:
    """Files that are executed to import a module, its own last; none if there is none.

    Nothing is imported to find them.
    """
    for folder in _folders:
        if found := _sources_in(folder, module):
            return found
    top, *inner = module.split(".")
    try:
        spec = util.find_spec(top)
        files = [_origin(spec)]
        for here in range(len(inner)):
            if spec is None or spec.submodule_search_locations is None:
                return ()
            name = ".".join((top, *inner[: here + 1]))
            spec = machinery.PathFinder.find_spec(name, list(spec.submodule_search_locations))
            files.append(_origin(spec))
    except (ImportError, ValueError):
        return ()
    return tuple(file for file in files if file is not None) if spec is not None else ()


def _origin(spec: machinery.ModuleSpec | None) -> Path | None:
    return Path(spec.origin) if spec is not None and spec.has_location and spec.origin else None


def _sources_in(folder: Path, module: str) -> tuple[Path, ...]:
    *packages, last = module.split(".")
    files = []
    for part in packages:
        folder /= part
        if (folder / "__init__.py").is_file():
            files.append(folder / "__init__.py")
    for own in (folder / last / "__init__.py", folder / f"{last}.py"):
        if own.is_file():
            return (*files, own)
    return ()


def _package(folder: Path) -> str:
    """The package that stands for a folder, made if need be."""
    name = _PACKAGE + hashlib.sha256(str(folder).encode(errors="surrogateescape")).hexdigest()[:16]
    if name not in sys.modules:
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
        if _FINDER not in sys.meta_path:
            sys.meta_path.insert(0, _FINDER)
    return name


class _Finder(MetaPathFinder):
    """Finds modules of our packages, and of no other."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,  # noqa: ARG002 - the signature is Python's
    ) -> machinery.ModuleSpec | None:
        """The place of a module; None for one that is not in our packages."""
        if _PRIVATE.match(fullname):
            for folder in path or ():
                finder = machinery.FileFinder(folder, (_Loader, machinery.SOURCE_SUFFIXES))
                if found := finder.find_spec(fullname):
                    return found
        return None


class _Loader(machinery.SourceFileLoader):
    """Executes the text of a file, and never bytecode that lies beside it.

    Bytecode that comes with a folder need not be that of the file that a reader looks at.
    """

    def get_code(self, fullname: str) -> CodeType:
        """The file, compiled."""
        file = self.get_filename(fullname)
        compiled: CodeType = self.source_to_code(self.get_data(file), file)
        return compiled

    def exec_module(self, module: ModuleType) -> None:
        """Executes it, with an `import` that finds the modules beside it."""
        package = module.__name__.partition(".")[0]
        own_import = functools.partial(_import, package)
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": own_import}
        super().exec_module(module)


def _import(
    package: str,
    name: str,
    globals: Mapping[str, Any] | None = None,  # noqa: A002 - the names are Python's
    locals: Mapping[str, Any] | None = None,  # noqa: A002
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    """Imports what Python finds, and else what lies in the folder of the package."""
    try:
        return builtins.__import__(name, globals, locals, fromlist or (), level)
    except ModuleNotFoundError as error:
        top = name.partition(".")[0]
        if level or error.name != top or not _lies_beside(package, top):
            raise
    found = builtins.__import__(f"{package}.{name}", globals, locals, fromlist or (), 0)
    return found if fromlist else sys.modules[f"{package}.{top}"]


def _lies_beside(package: str, top: str) -> bool:
    (folder,) = sys.modules[package].__path__
    return Path(folder, f"{top}.py").is_file() or Path(folder, top).is_dir()


_FINDER = _Finder()
