"""Damage to campaign folders."""

from mesonet.plan import plan_from_dict


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


def content(folder):
    """Bytes of all files below a folder, by their names there."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def _flip(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


WAYS = {
    "flipped": _flip,
    "cut": lambda content: content[: len(content) // 2],
    "removed": None,
}
"""What disks and copies do to the content of a file."""


def damage(path, way):
    """Damages a file in one of `WAYS`."""
    change = WAYS[way]
    if change is None:
        path.unlink()
    else:
        path.write_bytes(change(path.read_bytes()))
