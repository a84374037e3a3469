"""Damage to campaign folders, and runs that need no workers."""

from pathlib import Path

from mesonet.plan import plan_from_dict
from mesonet.workers import Outcome


def plan():
    """Four short runs."""
    return plan_from_dict(
        {
            "name": "small",
            "replicates": 2,
            "responses": ["utilization", "mean_queue"],
            "scenario": {
                "kind": "dumbbell",
                "rate": "2 Mbit/s",
                "rtt": "20 ms",
                "flows": ["reno"],
                "duration": "0.5 s",
            },
            "factors": {"rate": {"path": "rate", "low": "1 Mbit/s", "high": "2 Mbit/s"}},
        }
    )


def execute_here(tasks, execute, *, listener, **_):
    """Executes tasks in this process: starting workers takes longer than all else here."""
    for task in tasks:
        listener.started([task.id])
        try:
            outcome = Outcome(task.id, value=execute(task.work), host="here")
        except Exception as error:  # noqa: BLE001 - as workers do
            outcome = Outcome(task.id, error=str(error), host="here")
        listener.finished([outcome])


def content(folder: Path) -> dict[str, bytes]:
    """Bytes of all files below a folder, by their names there."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def _flip(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


WAYS = {
    "flipped": _flip,
    "cut": lambda content: content[: len(content) // 2],
    "emptied": lambda _: b"",
    "removed": None,
}
"""What disks and copies do to the content of a file."""


def damage(path: Path, way: str) -> None:
    """Damages a file in one of `WAYS`."""
    change = WAYS[way]
    if change is None:
        path.unlink()
    else:
        path.write_bytes(change(path.read_bytes()))
