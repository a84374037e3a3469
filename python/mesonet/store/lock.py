"""One process at a time executes a campaign."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

from mesonet.errors import CampaignError, StorageError
from mesonet.store.files import Files

LOCK = "campaign.lock"
BEAT = 15.0
"""Seconds between two signs of life of the holder."""
STALE = 90.0
"""A holder that was silent for so many seconds is taken to be dead."""


@contextlib.contextmanager
def lock(files: Files) -> Iterator[Callable[[], None]]:
    """Holds a campaign against a second executing process; yields what to call now and then.

    The system frees the lock when its holder dies, however. The file says who holds it, and when
    it last gave a sign of life: that is what counts between machines whose file system does not
    share locks.
    """
    with _system_lock(files):
        other = holder(files, held_here=True)
        if other is not None:
            raise CampaignError(_refusal(files, other))
        beat = _Beat(files)
        beat(force=True)
        try:
            yield beat
        finally:
            with contextlib.suppress(OSError):
                (files.folder / LOCK).write_bytes(b"")


def holder(files: Files, *, held_here: bool = False) -> dict[str, Any] | None:
    """Holder of the lock: host, pid and start; None if nobody executes the campaign.

    `held_here` says that the caller has the system's lock.
    """
    content = _content(files)
    if not held_here and _is_locked(files):
        return content or {}
    if not content or content.get("host") == socket.gethostname():
        return None
    silent = time.time() - content.get("beat", 0.0)
    return content if silent < STALE else None


class _Beat:
    def __init__(self, files: Files) -> None:
        # In place: a renamed file would not be the one that is locked.
        self._path = files.folder / LOCK
        self._since = time.time()
        self._last = 0.0

    def __call__(self, *, force: bool = False) -> None:
        if force or time.monotonic() - self._last >= BEAT:
            self._last = time.monotonic()
            content = {
                "host": socket.gethostname(),
                "pid": os.getpid(),
                "since": self._since,
                "beat": time.time(),
            }
            self._write(json.dumps(content).encode())

    def _write(self, content: bytes) -> None:
        try:
            self._path.write_bytes(content)
        except OSError as error:
            raise StorageError(f"{self._path}: cannot be written: {error.strerror}") from None


def _content(files: Files) -> dict[str, Any] | None:
    """Holder that the file names; None if it names nobody, as half of a file after a power cut."""
    try:
        content = json.loads(files.read(LOCK))
    except (FileNotFoundError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def _refusal(files: Files, other: dict[str, Any]) -> str:
    who = ""
    if "pid" in other:
        since = time.strftime("%Y-%m-%d %H:%M", time.localtime(other.get("since", 0.0)))
        who = f" (process {other['pid']} on {other.get('host')}, since {since})"
    return (
        f"{files.place}: another process is executing this campaign{who}. `mesonet status` shows "
        "how far it is; wait for it, or stop it first"
    )


@contextlib.contextmanager
def _system_lock(files: Files) -> Iterator[None]:
    try:
        handle = os.open(files.folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise StorageError(f"{files.folder / LOCK}: {error.strerror}") from None
    try:
        # Somebody may just be looking whether it is held.
        for wait in (0.1, 0.2, None):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if wait is None:
                    raise CampaignError(_refusal(files, _content(files) or {})) from None
                time.sleep(wait)
            except OSError as error:
                # Lustre, for one, may be mounted without.
                message = f"{files.place}: its file system has no locks: {error.strerror}"
                raise StorageError(message) from None
        yield
    finally:
        os.close(handle)


def _is_locked(files: Files) -> bool:
    try:
        with (files.folder / LOCK).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return isinstance(error, BlockingIOError)
    return False
