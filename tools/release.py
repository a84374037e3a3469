"""Turns what is unreleased into a version: `python tools/release.py 0.2.0 2026-12-01`.

Writes the version into Cargo.toml, its one home, and into Cargo.lock, CITATION.cff and the heading
of CHANGELOG.md, above which a new section for what comes next is opened. Changes nothing if
anything is wrong.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_NEXT = "## [Unreleased]\n\n### Changes results\n\n- None.\n\n"
_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")


class ReleaseError(ValueError):
    """The version cannot be released; the message says why."""


def released(files: Mapping[str, str], version: str, day: str) -> dict[str, str]:
    """Files of the repository after the release, by name.

    Args:
        files: Their texts before it.
        version: Version to release.
        day: Date of the release, as 2026-12-01.

    Raises:
        ReleaseError: The version is none or not a later one, the day is none, nothing is
            unreleased, or a file has not the form that is expected.
    """
    try:
        date.fromisoformat(day)
    except ValueError as error:
        raise ReleaseError(f'date: expected one such as 2026-12-01, got "{day}"') from error
    current = re.search(r'(?m)^\[workspace\.package\]\nversion = "([^"]+)"$', files["Cargo.toml"])
    if current is None:
        raise ReleaseError("Cargo.toml: no version in [workspace.package]")
    before = current[1]
    if not _VERSION.fullmatch(version) or _parts(version) <= _parts(before):
        message = f'version: expected one after {before}, such as 0.2.0, got "{version}"'
        raise ReleaseError(message)
    body = re.search(r"(?ms)^## \[Unreleased\]\n(.*?)(?=^## \[|\Z)", files["CHANGELOG.md"] + "\n")
    if body is None or not re.search(r"(?m)^### (?!Changes results)", body[1]):
        raise ReleaseError("CHANGELOG.md: nothing is unreleased")
    heading = f"{_NEXT}## [{version}] - {day}\n"
    lock = files["Cargo.lock"]
    for name in re.findall(
        rf'(?m)^name = "([^"]+)"\nversion = "{re.escape(before)}"\n(?!source)', lock
    ):
        lock = lock.replace(
            f'name = "{name}"\nversion = "{before}"\n', f'name = "{name}"\nversion = "{version}"\n'
        )
    citation, count = re.subn(
        r"(?m)^version: .*\n(date-released: .*\n)?",
        f"version: {version}\ndate-released: {day}\n",
        files["CITATION.cff"],
    )
    if count != 1:
        raise ReleaseError("CITATION.cff: expected one line that begins with version:")
    return {
        "Cargo.toml": files["Cargo.toml"].replace(
            f'[workspace.package]\nversion = "{before}"',
            f'[workspace.package]\nversion = "{version}"',
        ),
        "Cargo.lock": lock,
        "CITATION.cff": citation,
        "CHANGELOG.md": files["CHANGELOG.md"].replace("## [Unreleased]\n", heading, 1),
    }


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def main(arguments: list[str]) -> int:
    """Releases the version that the arguments name; returns the exit status."""
    names = ("Cargo.toml", "Cargo.lock", "CITATION.cff", "CHANGELOG.md")
    version, day = (*arguments, "", "")[:2]
    files = {name: (ROOT / name).read_text("utf-8") for name in names}
    try:
        after = released(files, version, day)
    except ReleaseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for name, text in after.items():
        (ROOT / name).write_text(text, "utf-8")
    print(f"{version} of {day}: review the diff, commit, tag v{version}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
