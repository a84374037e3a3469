"""Reading of Parquet that anybody may have made, first by a process that may die of it.

A few crafted bytes have a reader ask for more memory than there is, which ends its process at once
and cannot be caught. A content that this user has neither written nor read before is therefore read
by a *probe*, a process of its own. What it can read is read here, and remembered by its digest in
the user's folder for state.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import io
import json
import os
import selectors
import subprocess
import sys
import threading
from pathlib import Path

import polars as pl

from mesonet.system.modest import be_modest
from mesonet.system.state import state_folder

MAX_ROWS = 100_000_000
"""Most rows of a table. A few bytes of a crafted file can stand for any number."""
PATIENCE = 60.0
"""Longest wait for a probe, to which a second for every megabyte comes [s]."""
_KEPT = 16_000_000
"""Size of the list of digests from which it is begun anew [bytes]."""
_BEGIN = (
    "import json, sys\n"
    "sys.path[:] = json.loads(sys.stdin.buffer.readline())\n"
    "from mesonet.system.tables import serve\n"
    "serve()\n"
)


class UnreadableError(Exception):
    """A content is no Parquet that can be read; says why."""


def read_parquet(content: bytes) -> pl.DataFrame:
    """Table of a Parquet file that anybody may have made.

    Raises:
        UnreadableError: it is none, or ends a process that reads it.
        OSError: no process can be started that would read it.
    """
    digest = _digest(content)
    if digest not in _known():
        with _lock:
            reason = _ask(content)
        if reason:
            raise UnreadableError(reason)
        remember(content)
    return _read(content)


def remember(content: bytes) -> None:
    """Has a content that this process wrote be read from now on without a probe."""
    digest = _digest(content)
    if digest in _known():
        return
    _known().add(digest)
    place = _place()
    # Where it cannot be kept, the next command asks a probe again.
    with contextlib.suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with place.open("a", encoding="ascii") as file:
            file.write(f"{digest}\n")


def serve() -> None:
    """Reads contents from standard input, each behind its length, and answers with a line."""
    be_modest()
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while len(length := source.read(8)) == 8:
        content = source.read(int.from_bytes(length, "big"))
        try:
            _read(content)
            answer = ""
        except UnreadableError as error:
            answer = str(error) or "unreadable"
        target.write(json.dumps(answer).encode() + b"\n")
        target.flush()


def _read(content: bytes) -> pl.DataFrame:
    try:
        rows = int(pl.scan_parquet(io.BytesIO(content)).select(pl.len()).collect().item())
        if rows <= MAX_ROWS:
            return pl.read_parquet(io.BytesIO(content), use_statistics=False)
    # Crafted bytes make the reader fail in any way; a panic is no `Exception`.
    except (Exception, pl.exceptions.PanicException) as error:  # noqa: BLE001 - see above
        raise UnreadableError(str(error).partition("\n")[0][:200]) from None
    raise UnreadableError(f"expected at most {MAX_ROWS} rows, got {rows}")


class _Probe:
    """The process that reads first, and which process started it."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._process = subprocess.Popen(
            # -P: the current folder is no place of modules.
            [sys.executable, "-P", "-c", _BEGIN],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"POLARS_MAX_THREADS": "1", "RUST_BACKTRACE": "0"},
            # The terminal's Ctrl-C is not for it.
            start_new_session=True,
        )
        self._write(json.dumps(sys.path).encode() + b"\n")

    def ask(self, content: bytes) -> str:
        """Reason why a content cannot be read; nothing if it can."""
        self._write(len(content).to_bytes(8, "big"), content)
        assert self._process.stdout is not None
        patience = PATIENCE + len(content) / 1e6
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            if not selector.select(patience):
                _end()
                return f"not read within {patience:.0f} s"
        line = self._process.stdout.readline()
        if not line:
            _end()
            return f"a process that reads it ends with status {self._process.returncode}"
        return str(json.loads(line))

    def end(self) -> None:
        """Ends the process if it has not ended."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError, AttributeError):
                pipe.close()  # type: ignore[union-attr]

    def _write(self, *contents: bytes) -> None:
        assert self._process.stdin is not None
        # Its end is seen where it should answer.
        with contextlib.suppress(BrokenPipeError):
            for content in contents:
                self._process.stdin.write(content)
            self._process.stdin.flush()


_lock = threading.Lock()
_probe: _Probe | None = None
_digests: dict[Path, set[str]] = {}


def _ask(content: bytes) -> str:
    global _probe
    # One of a process from which this was forked is not ours.
    if _probe is None or _probe.owner != os.getpid():
        _probe = _Probe()
    try:
        return _probe.ask(content)
    except BaseException:
        # An answer that nobody waited for would be taken for the next one.
        _end()
        raise


@atexit.register
def _end() -> None:
    global _probe
    if _probe is not None and _probe.owner == os.getpid():
        _probe.end()
    _probe = None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _known() -> set[str]:
    """Digests of the contents that need no probe."""
    place = _place()
    if place not in _digests:
        known: set[str] = set()
        with contextlib.suppress(OSError):
            if place.stat().st_size > _KEPT:
                place.unlink()
            known.update(place.read_text("ascii", "replace").split("\n"))
        _digests[place] = known
    return _digests[place]


def _place() -> Path:
    """List of digests, which holds for one version of the reader."""
    return state_folder() / f"tables-polars-{pl.__version__}"
