"""Digests of files, in the form that `sha256sum --check` reads."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from mesonet.errors import DamageError, Problem, show
from mesonet.store.schema import REPAIR

DIGESTS = "SHA256SUMS"
"""Name of the file with the digests of a run's time series."""
_LINE = re.compile(r"(?P<digest>[0-9a-f]{64})  (?P<name>[\w.-]+)")


def digest_of(content: bytes) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(content).hexdigest()


def digest_lines(files: Mapping[str, bytes]) -> bytes:
    """Digests of files by name, one a line."""
    lines = (f"{digest_of(content)}  {name}\n" for name, content in sorted(files.items()))
    return "".join(lines).encode()


def read_digests(content: bytes, *, file: str) -> dict[str, str]:
    """Digests by name of file.

    Raises:
        DamageError: a line is none.
    """
    found = {}
    for number, line in enumerate(content.decode(errors="replace").splitlines(), 1):
        match = _LINE.fullmatch(line)
        if match is None:
            message = f"expected a digest and a name, got {show(line)}"
            raise DamageError(file, [Problem(f"line {number}", "digest", message)], REPAIR)
        found[match["name"]] = match["digest"]
    return found
