"""Digests: what is read of a campaign folder is what was written, or is named as damaged."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from mesonet.errors import DamageError, Problem

DIGESTS = "SHA256SUMS"
"""Name of the file with the digests of a run's time series, as `sha256sum --check` reads it."""
REMEDY = "`mesonet verify` sets it aside, and `mesonet run` makes again what it held"


def digest_of(content: bytes) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(content).hexdigest()


def digest_of_data(data: Any) -> str:
    """SHA-256 of plain data."""
    text = json.dumps(data, sort_keys=True, ensure_ascii=False, default=str)
    return digest_of(text.encode())


def damaged(file: str, message: str, kind: str = "digest") -> DamageError:
    """Error of a damaged file."""
    return DamageError(file, [Problem("", kind, message)], REMEDY)


def refuse_damaged(content: bytes, digest: str | None, *, file: str) -> None:
    """Refuses a content that is not the one that was written.

    Raises:
        DamageError: it has another digest.
    """
    if digest_of(content) != digest:
        raise damaged(file, "its content is not what was written")


def digest_lines(files: Mapping[str, bytes]) -> bytes:
    """Digests of files by name, one a line."""
    lines = (f"{digest_of(content)}  {name}\n" for name, content in sorted(files.items()))
    return "".join(lines).encode()


def read_digests(content: bytes) -> dict[str, str]:
    """Digests by name of file; what is no digest fits no file."""
    lines = content.decode(errors="replace").splitlines()
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
