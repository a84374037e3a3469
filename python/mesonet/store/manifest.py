"""The manifest of a campaign folder, and digests: what is read is what was written."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from mesonet.errors import CampaignError, DamageError, InputError, StorageError
from mesonet.scenario.toml import read_toml
from mesonet.store.files import Files
from mesonet.store.parts import is_part

MANIFEST = "manifest.json"
FORMAT = 3
"""Version of the folder's layout."""


def digest_of(content: bytes) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(content).hexdigest()


def digest_of_data(data: Any) -> str:
    """SHA-256 of plain data."""
    text = json.dumps(data, sort_keys=True, ensure_ascii=False, default=str)
    return digest_of(text.encode())


def read_manifest(files: Files) -> dict[str, Any]:
    """The manifest of a campaign folder.

    Raises:
        CampaignError: it is no campaign folder, or of another layout.
        DamageError: it is missing in one, or damaged.
    """
    path = files.address(MANIFEST)
    try:
        manifest = json.loads(files.read(MANIFEST))
    except (FileNotFoundError, NotADirectoryError):
        if holds_rows(files):
            raise DamageError(path, "missing") from None
        raise CampaignError(f"{files.place}: {_no_campaign(files)}") from None
    except ValueError as error:
        raise DamageError(path, str(error)) from None
    if not isinstance(manifest, dict):
        raise DamageError(path, "expected an object")
    # What another layout has is not ours to judge.
    version = manifest.get("format", FORMAT)
    if version != FORMAT:
        raise CampaignError(f"{path}: folder layout {version}; this mesonet reads layout {FORMAT}")
    if manifest.get("digest") != _digest(manifest):
        raise DamageError(path, "its content is not what was written")
    return manifest


def _no_campaign(files: Files) -> str:
    if files.folder.is_file():
        if files.folder.suffix == ".toml":
            with contextlib.suppress(InputError):
                if "scenario" in read_toml(files.folder, InputError):
                    return "is a plan, expected a campaign folder; `mesonet run` makes one of it"
        return "is a file, expected a campaign folder"
    if not files.folder.exists():
        return "no such folder"
    return f"not a campaign folder: no {MANIFEST}"


def holds_rows(files: Files) -> bool:
    """True if a folder holds rows of finished runs, be they damaged."""
    return any(is_part(name) for name in files.names("results"))


def write_manifest(files: Files, manifest: Mapping[str, Any]) -> None:
    """Writes a manifest where it differs from what is there."""
    data = {**manifest, "digest": _digest(manifest)}
    write_if_different(files, MANIFEST, json.dumps(data, indent=2, ensure_ascii=False).encode())


def write_if_different(files: Files, name: str, content: bytes) -> None:
    """Writes a file, unless it is there with this content."""
    with contextlib.suppress(FileNotFoundError, StorageError):
        if files.read(name) == content:
            return
    files.write(name, content)


def _digest(manifest: Mapping[str, Any]) -> str:
    return digest_of_data({key: value for key, value in manifest.items() if key != "digest"})
