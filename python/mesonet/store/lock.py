"""One process at a time executes a campaign."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import socket
import stat
import time
from collections.abc import Callable, Iterator
from typing import Any

import psutil

from mesonet.errors import CampaignError, DamageError, StorageError
from mesonet.store.files import Files, LocalFiles
from mesonet.store.schema import REPAIR, LockDocument, read_document

LOCK = "campaign.lock"
BEAT = 15.0
"""Seconds between two signs of life of the holder."""
STALE = 90.0
"""A holder on another machine that was silent for so many seconds is taken to be dead."""
_RACE = 1.0


@contextlib.contextmanager
def lock(files: Files) -> Iterator[Callable[[], None]]:
    """Holds a campaign against a second executing process; yields what to call now and then.

    On a local disk the system frees the lock when its holder dies, however. The file says who holds
    it, and when it last gave a sign of life: that is what counts between machines whose file
    system does not share locks, and in object storage.

    Raises:
        CampaignError: another process executes the campaign; says which.
    """
    with contextlib.ExitStack() as stack:
        if isinstance(files, LocalFiles):
            stack.enter_context(_system_lock(files))
        other = holder(files, held_here=True)
        if other is not None:
            raise CampaignError(_refusal(files, other))
        beat = _Beat(files)
        beat(force=True)
        if not isinstance(files, LocalFiles):
            # Two may have seen nobody; of these the one that wrote last stays.
            time.sleep(_RACE)
            other = _content(files)
            if other is not None and other.get("token") != beat.token:
                raise CampaignError(_refusal(files, other))
        try:
            yield beat
        finally:
            with contextlib.suppress(CampaignError):
                beat.end()


def holder(files: Files, *, held_here: bool = False) -> dict[str, Any] | None:
    """Holder of the lock: host, pid and start; None if nobody executes the campaign.

    `held_here` says that the caller has the system's lock.
    """
    content = _content(files)
    if isinstance(files, LocalFiles) and not held_here and _is_locked(files):
        return content or {}
    if not content:
        return None
    if content.get("host") == socket.gethostname():
        if isinstance(files, LocalFiles):
            return None
        pid = content.get("pid")
        return content if isinstance(pid, int) and psutil.pid_exists(pid) else None
    silent = time.time() - content.get("beat", 0.0)
    return content if silent < STALE else None


class _Beat:
    def __init__(self, files: Files) -> None:
        self._files = files
        self._since = time.time()
        self._last = 0.0
        self.token = f"{socket.gethostname()}-{os.getpid()}-{time.time_ns()}"

    def __call__(self, *, force: bool = False) -> None:
        if force or time.monotonic() - self._last >= BEAT:
            self._last = time.monotonic()
            content = {
                "host": socket.gethostname(),
                "pid": os.getpid(),
                "since": self._since,
                "beat": time.time(),
                "token": self.token,
            }
            self._write(json.dumps(content).encode())

    def end(self) -> None:
        self._write(b"")

    def _write(self, content: bytes) -> None:
        if isinstance(self._files, LocalFiles):
            # In place: a renamed file would not be the one that is locked.
            path = self._files.folder / LOCK
            try:
                with _open(self._files, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as handle:
                    os.write(handle, content)
            except OSError as error:
                raise StorageError(f"{path}: cannot be written: {error.strerror}") from None
        else:
            self._files.write(LOCK, content)


def _content(files: Files) -> dict[str, Any] | None:
    """Holder that the file names; None if it names nobody.

    It is written in place, so that a power cut may leave half of it, which names nobody either.
    """
    try:
        file = files.address(LOCK)
        return read_document(files.read(LOCK), LockDocument, file=file, remedy=REPAIR)
    except (FileNotFoundError, DamageError):
        return None


@contextlib.contextmanager
def _open(files: LocalFiles, flags: int) -> Iterator[int]:
    """Opens the lock's file, and no other: no link is followed, and nothing but a file taken.

    Raises:
        StorageError: something else is in its place.
        OSError: it cannot be opened.
    """
    path = files.folder / LOCK
    # What a link names must not be emptied before it is looked at.
    careful = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        handle = os.open(path, (flags & ~os.O_TRUNC) | careful, 0o666)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
            raise StorageError(_not_a_file(files)) from None
        raise
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise StorageError(_not_a_file(files))
        if flags & os.O_TRUNC:
            os.ftruncate(handle, 0)
        yield handle
    finally:
        os.close(handle)


def _not_a_file(files: LocalFiles) -> str:
    return (
        f"{files.folder / LOCK}: expected a file, got a link, a folder or a device; "
        "`mesonet repair` sets it aside"
    )


def _refusal(files: Files, other: dict[str, Any]) -> str:
    who = ""
    if "pid" in other:
        since = ""
        with contextlib.suppress(OverflowError, OSError, ValueError):
            begun = time.localtime(other.get("since", 0.0))
            since = time.strftime(", since %Y-%m-%d %H:%M", begun)
        who = f" (process {other['pid']} on {other.get('host')}{since})"
    return (
        f"{files.place}: another process is executing this campaign{who}. `mesonet watch` shows "
        "how far it is; wait for it, or stop it first"
    )


@contextlib.contextmanager
def _system_lock(files: LocalFiles) -> Iterator[None]:
    try:
        opened = contextlib.ExitStack()
        handle = opened.enter_context(_open(files, os.O_RDWR | os.O_CREAT))
    except OSError as error:
        raise StorageError(f"{files.folder / LOCK}: {error.strerror}") from None
    with opened:
        # Somebody may just be looking whether it is held.
        for wait in (0.1, 0.2, None):
            try:
                _flock(handle, exclusive=True)
                break
            except OSError:
                if wait is None:
                    raise CampaignError(_refusal(files, _content(files) or {})) from None
                time.sleep(wait)
        yield


def _is_locked(files: LocalFiles) -> bool:
    try:
        with _open(files, os.O_RDONLY) as handle:
            _flock(handle, exclusive=False)
    except (FileNotFoundError, StorageError):
        return False
    except OSError:
        return True
    return False


def _flock(handle: int, *, exclusive: bool) -> None:
    kind = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
    fcntl.flock(handle, kind | fcntl.LOCK_NB)
