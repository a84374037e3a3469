"""Places of pages: new files, and those that mesonet wrote before."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from mesonet.errors import InputError, Problem

_SIGNATURE = b'<meta name="generator" content="mesonet">'
_HEAD = 4096
_ENDINGS = (".html", ".htm")
_DATA = (
    {"title", "question", "sentences", "sections", "provenance"},
    {"study", "title", "settings", "sections"},
    {"study", "size", "claims"},
)
"""Keys of the JSON file beside a report, of that beside a study's page, and of a scorecard."""


def data_beside(page: Path) -> Path:
    """The JSON file that goes with a page: the same name with `.json`.

    Raises:
        InputError: a page cannot have this name.
    """
    if not page.name or page.is_dir():
        message = "expected the name of a file, got a folder"
        raise InputError([Problem(str(page), "folder", message)])
    beside = page.with_suffix(".json")
    if beside == page:
        message = "expected a name such as report.html; the one with .json is for the data beside"
        raise InputError([Problem(str(page), "suffix", message)])
    return beside


def refuse_foreign(paths: Iterable[Path]) -> None:
    """Refuses to write over files that mesonet did not write as pages or the data beside them.

    Raises:
        InputError: all that exist and are something else.
    """
    message = "exists and was not written by mesonet; expected a new name, or a page to replace"
    problems = [
        Problem(str(path), "occupied", message)
        for path in paths
        if path.exists() and not (_is_data(path) if path.suffix == ".json" else _is_page(path))
    ]
    if problems:
        raise InputError(problems)


def refuse_name(path: Path, option: str, *, pictures: tuple[str, ...] = ()) -> None:
    """Refuses a name at which a page, or a picture instead, cannot be written.

    Args:
        path: File to write.
        option: Option that names it.
        pictures: Endings of pictures that are possible, too.

    Raises:
        InputError: the name has another end, its folder does not exist, or there is a file that
            mesonet did not write as a page.
    """
    kinds = (*_ENDINGS, *pictures)
    if path.suffix.lower() not in kinds:
        message = f'expected a name that ends with {", ".join(kinds)}, got "{path.name}"'
        raise InputError([Problem(option, "suffix", message)])
    if not path.parent.is_dir():
        message = f'expected a file in a folder that exists, there is no "{path.parent}"'
        raise InputError([Problem(option, "folder", message)])
    if path.suffix.lower() in _ENDINGS:
        refuse_foreign([path])


def _is_page(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return _SIGNATURE in file.read(_HEAD)
    except OSError:
        return False


def _is_data(path: Path) -> bool:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and any(keys <= set(found) for keys in _DATA)
