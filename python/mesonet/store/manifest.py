"""The manifest of a campaign folder."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mesonet.errors import CampaignError, InputError, StorageError
from mesonet.scenario.toml import read_toml
from mesonet.store.digests import damaged, digest_of_data
from mesonet.store.files import Files, LocalFiles
from mesonet.store.parts import is_part

MANIFEST = "manifest.json"
FORMAT = 3
"""Version of the folder's layout."""


def read_manifest(files: Files) -> dict[str, Any]:
    """The manifest of a campaign folder.

    Raises:
        CampaignError: it is no campaign folder, or of another layout.
        DamageError: it is missing in one, or damaged.
    """
    if isinstance(files, LocalFiles) and files.folder.is_file():
        raise CampaignError(f"{files.place}: {_no_folder(files.folder)}")
    path = files.address(MANIFEST)
    try:
        manifest = json.loads(files.read(MANIFEST))
    except FileNotFoundError:
        if holds_rows(files):
            raise damaged(path, "missing", "missing") from None
        gone = isinstance(files, LocalFiles) and not files.folder.exists()
        what = "no such folder" if gone else f"not a campaign folder: no {MANIFEST}"
        raise CampaignError(f"{files.place}: {what}") from None
    except ValueError as error:
        raise damaged(path, str(error), "json") from None
    if not isinstance(manifest, dict):
        raise damaged(path, "expected an object", "type")
    # What another layout has is not ours to judge.
    version = manifest.get("format", FORMAT)
    if version != FORMAT:
        raise CampaignError(f"{path}: folder layout {version}; this mesonet reads layout {FORMAT}")
    if manifest.get("digest") != _digest(manifest):
        raise damaged(path, "its content is not what was written")
    return manifest


def _no_folder(file: Path) -> str:
    """Message on a file in the place of a campaign folder."""
    if file.suffix == ".toml":
        with contextlib.suppress(InputError):
            if "scenario" in read_toml(file, InputError):
                return "is a plan, expected a campaign folder; `mesonet run` executes it into one"
    return "is a file, expected a campaign folder"


def holds_rows(files: Files) -> bool:
    """True if a folder holds rows of finished runs, be they damaged."""
    return any(is_part(name) for name in files.names("results"))


def write_manifest(files: Files, manifest: Mapping[str, Any]) -> None:
    """Writes a manifest where it differs from what is there."""
    data = {**manifest, "digest": _digest(manifest)}
    content = json.dumps(data, indent=2, ensure_ascii=False).encode()
    with contextlib.suppress(FileNotFoundError, StorageError):
        if files.read(MANIFEST) == content:
            return
    files.write(MANIFEST, content)


def _digest(manifest: Mapping[str, Any]) -> str:
    return digest_of_data({key: value for key, value in manifest.items() if key != "digest"})
