"""The code of a study, `measure.py`: functions under fixed names, charts, tables and values."""

from __future__ import annotations

import hashlib
import importlib
import math
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from mesonet.controller import untrusted
from mesonet.errors import MesonetError, Problem
from mesonet.run import Run
from mesonet.studies.bench import Item
from mesonet.studies.entries import StudyError
from mesonet.studies.study import KIND, Options, RunResults

Function = Callable[..., Any]

HOOKS = ["runs", "plans", "with_algorithms", "figures", "settings", "facts", "compared"]
"""Functions that the engine calls, if `measure.py` has them."""


@cache
def study_packages() -> dict[str, Path]:
    """Folders of the packages of studies that entry points `mesonet.studies` name, by package."""
    specs = {entry.value: find_spec(entry.value) for entry in entry_points(group="mesonet.studies")}
    return {
        name: Path(folder).resolve()
        for name, spec in specs.items()
        if spec is not None
        for folder in spec.submodule_search_locations or ()
    }


def _module_name(path: Path) -> str | None:
    """Name of the module of a file in a package of studies; None for a file outside of them."""
    for package, folder in study_packages().items():
        if path.is_relative_to(folder):
            return ".".join((package, *path.relative_to(folder).with_suffix("").parts))
    return None


@dataclass
class Code:
    """The code of a study: the module of a file, and its text if it belongs to no package."""

    module: ModuleType | None = None
    path: Path = Path()
    text: str | None = None

    @classmethod
    def read(cls, path: Path, *, trust: bool = True) -> Code:
        """Loads a file: one of a package of studies as its module, another by its path alone."""
        path = path.resolve()
        if not path.exists():
            return cls()
        name, text = _module_name(path), None
        if name is None and not trust:
            raise StudyError(untrusted(path.parent, [path.name]))
        try:
            if name:
                return cls(importlib.import_module(name), path)
            text = path.read_text("utf-8")
            return cls(load(str(path), text), path, text)
        except (Exception, SystemExit) as error:
            raise StudyError([failure(path, error)]) from error

    @cached_property
    def hooks(self) -> Mapping[str, Function]:
        """Functions that the engine calls, by name."""
        names = {} if self.module is None else vars(self.module)
        return {name: names[name] for name in HOOKS if callable(names.get(name))}

    @cached_property
    def parts(self) -> Mapping[str, Mapping[str, Function]]:
        """Functions of charts, tables and values, by kind and name.

        A package of studies may have more in a file `charts.py` beside that of the code, or in the
        folder above. It is not imported before, for it brings libraries that no run needs.
        """
        parts: dict[str, dict[str, Function]] = {"chart": {}, "table": {}, "value": {}}
        beside = (folder / "charts.py" for folder in (self.path.parent.parent, self.path.parent))
        names = [_module_name(file) for file in beside if self.text is None and file.exists()]
        modules = [importlib.import_module(name) for name in names if name]
        for module in (*modules, *([self.module] if self.module else [])):
            for function in vars(module).values():
                if hasattr(function, KIND):
                    parts[getattr(function, KIND)][function.__name__] = function
        return parts

    def call(self, function: Function, /, *arguments: Any, **options: Any) -> Any:
        """Result of a function of the code; StudyError has the line of the file where it fails."""
        try:
            return function(*arguments, **options)
        except MesonetError:
            raise
        except Exception as error:
            raise StudyError([failure(self.path, error)]) from error

    def hook(self, name: str, /, *arguments: Any) -> Any:
        """Result of a function that the engine calls; an empty table where the code has none."""
        return self.call(self.hooks[name], *arguments) if name in self.hooks else {}

    def runs(self, options: Options) -> list[Item]:
        """Runs one by one; none without a function `runs`."""
        if "runs" not in self.hooks:
            return []
        items = self.call(lambda: list(self.hooks["runs"](options)))
        names = [getattr(item, "name", None) for item in items]
        if None in names or len(set(names)) < len(names):
            message = "expected runs() to give items, each with a name of its own"
            raise StudyError([Problem(str(self.path), "runs", message)])
        return [self._portable(item) for item in items]

    def figures(self, run: RunResults) -> dict[str, float]:
        """Figures of the runs, NaN in the place of None; none without a function `figures`."""
        figures = self.hook("figures", run)
        return {str(key): math.nan if value is None else value for key, value in figures.items()}

    def _portable(self, item: Item) -> Item:
        """The item with a measure that other processes find, wherever the code comes from."""
        if self.text is None:
            return item
        name = getattr(item.measure, "__qualname__", "")
        module = load(str(self.path), self.text)
        if getattr(module, name, None) is not item.measure:
            message = f'the measure of the run "{item.name}" is no function at the top of the file'
            raise StudyError([Problem(str(self.path), "measure", message)])
        return replace(item, measure=OutsideMeasure(str(self.path), self.text, name))


@dataclass(frozen=True)
class OutsideMeasure:
    """A function that is loaded from the text of a file; its key stands for it in file names."""

    path: str
    text: str
    function: str

    @property
    def key(self) -> str:
        """The function, and a hash of the text."""
        return f"{self.function} {_digest(self.text)}"

    def __call__(self, run: Run) -> dict[str, Any]:
        """Numbers of a run."""
        numbers: dict[str, Any] = getattr(load(self.path, self.text), self.function)(run)
        return numbers


@cache
def load(path: str, text: str) -> ModuleType:
    """The module that the text of a file makes; no folder becomes a place of modules."""
    module = ModuleType(f"mesonet_study_{_digest(path + text)}")
    module.__file__ = path
    # Dataclasses look up the module that they are defined in.
    sys.modules[module.__name__] = module
    exec(compile(text, path, "exec"), vars(module))
    return module


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def failure(path: Path, error: BaseException) -> Problem:
    """An error of code or of a page, with the last line of the file that led to it."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(path)
    ]
    line = error.lineno if isinstance(error, SyntaxError) else (lines[-1] if lines else None)
    where = f"{path}:{line}" if line else str(path)
    return Problem(where, "code", f"{type(error).__name__}: {error}")
