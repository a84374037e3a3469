"""Classes of controllers whose files have changed since they were imported."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import NamedTuple
from weakref import WeakKeyDictionary

from mesonet.errors import ControllerError


class _Content(NamedTuple):
    size: int
    time: int
    digest: str


class _Seen(NamedTuple):
    codes: list[CodeType]
    """Code of the methods; that of a module that is imported again is another."""
    files: dict[str, _Content]


_seen: WeakKeyDictionary[type, _Seen] = WeakKeyDictionary()
"""Code and files of each class as they were when it was first used here."""


def remember(cls: type) -> None:
    """Remembers the files of a class as they are now, unless they are known already."""
    before = _seen.get(cls)
    codes = _codes(cls)
    if before is None or any(one is not two for one, two in zip(codes, before.codes, strict=False)):
        found = {file: content for file in files_of(cls) if (content := _content(file))}
        _seen[cls] = _Seen(codes, found)


def refuse_stale(name: str, cls: type) -> None:
    """Refuses a class whose file was edited since it was first used, before this process runs it.

    Python imports a module once. After an edit `import` gives the old class again, and a run would
    be of code that stands nowhere any more. Campaigns have processes of their own, which import it.

    Args:
        name: Name of the controller.
        cls: Its class, as the process has it.

    Raises:
        ControllerError: It names the file, and what to type.
    """
    remember(cls)
    before = _seen[cls]
    changed = []
    for file, content in before.files.items():
        now = _content(file, content)
        if now is not None and now.digest != content.digest:
            changed.append(file)
        elif now is not None:
            before.files[file] = now
    if not changed:
        return
    modules = dict.fromkeys(
        base.__module__ for base in reversed(_outside(cls)) if inspect.getfile(base) in changed
    )
    reloads = "; ".join(f"importlib.reload({module})" for module in modules)
    raise ControllerError(
        f"{name}: {', '.join(changed)} has changed since it was imported, and Python still has the "
        f"old class; import it again with {reloads}, and take the class from it anew; workers of a "
        "cluster have to begin anew"
    )


def files_of(cls: type) -> Iterator[str]:
    """Files of a class and of those it derives from, mesonet's and Python's left out."""
    for base in _outside(cls):
        yield inspect.getfile(base)


def _outside(cls: type) -> list[type]:
    return [
        base
        for base in cls.__mro__
        if base.__module__ != "builtins" and base.__module__.partition(".")[0] != "mesonet"
    ]


def _codes(cls: type) -> list[CodeType]:
    values = (value for base in _outside(cls) for value in vars(base).values())
    return [value.__code__ for value in values if inspect.isfunction(value)]


def _content(file: str, known: _Content | None = None) -> _Content | None:
    """Content of a file, which is read only where size or time differ from what is known."""
    try:
        found = Path(file).stat()
        if known is not None and known[:2] == (found.st_size, found.st_mtime_ns):
            return known
        digest = hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return None
    return _Content(found.st_size, found.st_mtime_ns, digest)
