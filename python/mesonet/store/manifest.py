"""The manifest of a campaign folder, and its copy: reading, writing, restoring."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mesonet.errors import CampaignError, DamageError, InputError, Problem, StorageError
from mesonet.scenario.toml import read_toml
from mesonet.store.files import Files, LocalFiles, replace, set_aside
from mesonet.store.parts import is_part
from mesonet.store.schema import ManifestDocument, read_document

MANIFEST = "manifest.json"
BACKUP = "manifest.backup.json"
"""Copy of the manifest."""
FORMAT = 2
"""Version of the folder's layout."""


def read_manifest(files: Files, name: str = MANIFEST) -> dict[str, Any]:
    """The manifest of a campaign folder, or its copy.

    Raises:
        CampaignError: it is no campaign folder, or of another layout.
        DamageError: it is missing in one, or damaged; names the keys.
    """
    if isinstance(files, LocalFiles) and files.folder.is_file():
        raise CampaignError(f"{files.place}: {_no_folder(files.folder)}")
    path = files.address(name)
    try:
        content = files.read(name)
    except FileNotFoundError:
        if files.exists(BACKUP) or is_campaign(files):
            problem = Problem("", "missing", "missing")
            raise DamageError(path, [problem], remedy(files)) from None
        gone = isinstance(files, LocalFiles) and not files.folder.exists()
        what = "no such folder" if gone else f"not a campaign folder: no {MANIFEST}"
        raise CampaignError(f"{files.place}: {what}") from None
    except DamageError as error:
        raise DamageError(path, error.problems, remedy(files)) from None
    try:
        version = json.loads(content).get("format")
    except (ValueError, AttributeError, RecursionError):
        version = None
    # What another layout has is not ours to judge.
    if isinstance(version, int) and version != FORMAT:
        raise CampaignError(f"{path}: folder layout {version}; this mesonet reads layout {FORMAT}")
    return read_document(content, ManifestDocument, file=path, remedy=remedy(files))


def _no_folder(file: Path) -> str:
    """Message on a file in the place of a campaign folder."""
    if file.suffix == ".toml":
        with contextlib.suppress(InputError):
            if "scenario" in read_toml(file, InputError):
                return "is a plan, expected a campaign folder; `mesonet run` executes it into one"
    return "is a file, expected a campaign folder"


def remedy(files: Files) -> str:
    """Remedy for a manifest that is missing or damaged."""
    if files.exists(BACKUP):
        return f"`mesonet repair` restores it from {BACKUP}"
    return "`mesonet run PLAN` with the plan of this campaign writes it again"


def holds_rows(files: Files) -> bool:
    """True if a folder holds rows of finished runs, be they damaged."""
    return any(is_part(name) for name in files.names("results"))


def is_campaign(files: Files) -> bool:
    """True if a folder is a campaign's, with or without a manifest that can be read."""
    tables = {"cells.parquet", "conditions.parquet"}
    return holds_rows(files) or tables <= set(files.names())


def restore_manifest(files: Files) -> str | None:
    """Puts the copy of the manifest in its place; None if there is none that can be read.

    Returns where that is now which was in its place; empty if nothing was.
    """
    try:
        content = files.read(BACKUP)
        read_manifest(files, BACKUP)
    except (FileNotFoundError, CampaignError):
        return None
    to = set_aside(files, MANIFEST) if files.exists(MANIFEST) else ""
    files.write(MANIFEST, content)
    return to


def write_manifest(
    files: Files, manifest: Mapping[str, Any], digests: Mapping[str, str] | None = None
) -> None:
    """Writes manifest and copy where they differ from what is there."""
    hashes = {**manifest.get("hashes", {}), **(digests or {})}
    data = {**manifest, "hashes": hashes}
    content = json.dumps(data, indent=2, ensure_ascii=False).encode()
    for name in (MANIFEST, BACKUP):
        with contextlib.suppress(FileNotFoundError, StorageError):
            if files.read(name) == content:
                continue
        replace(files, name, content)
