"""Seeded damage to campaign folders: what disks, editors, mail and strangers do to them."""

import json
import os
import random
import shutil
import sqlite3
from pathlib import Path

import polars as pl

from mesonet.plan import plan_from_dict
from mesonet.store import parts
from mesonet.workers import Outcome

JSON_VALUES = (None, 5, -1, 1.5, "text", "", [], [1], {}, {"a": 1}, True, 10**400, "../../x")
"""Values of every type, in place of others."""


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


def write_part(path: Path, frame: pl.DataFrame) -> None:
    """Writes rows under the name that their hash asks for."""
    frame.write_parquet(path)
    stem = path.name.rpartition("-")[0]
    path.rename(path.with_name(f"{stem}-{parts._hash(path.read_bytes())}.parquet"))


def damage(folder: Path, seed: int) -> str:
    """Does one thing to one file of a campaign; returns what, in words."""
    draw = random.Random(seed)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    # One for each kind of file, for there are many of some.
    kinds = sorted({_kind(folder, path) for path in files})
    kind = draw.choice(kinds)
    path = draw.choice([path for path in files if _kind(folder, path) == kind])
    if path.suffix == ".json" or path.name == "campaign.lock":
        ways = [*_BYTES, *_PLACES, _json, _json, _json, _json]
    elif path.suffix == ".parquet":
        ways = [*_BYTES, *_PLACES, _table, _table, _table, _table, _table]
    elif path.suffix == ".sqlite":
        ways = [*_BYTES, *_PLACES, _ledger, _ledger, _ledger]
    else:
        ways = [*_BYTES, *_PLACES]
    way = draw.choice(ways)
    return f"{path.relative_to(folder)}: {way(path, draw)}"


def _kind(folder: Path, path: Path) -> str:
    place = path.relative_to(folder)
    return str(place) if len(place.parts) == 1 else place.parts[0]


def _truncate(path, draw):
    content = path.read_bytes()
    keep = draw.randrange(len(content) + 1)
    path.write_bytes(content[:keep])
    return f"cut to {keep} bytes"


def _flip(path, draw):
    content = bytearray(path.read_bytes() or b"x")
    for _ in range(draw.choice((1, 1, 3, 100))):
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    path.write_bytes(content)
    return "bits flipped"


def _empty(path, draw):
    path.write_bytes(b"")
    return "emptied"


def _noise(path, draw):
    path.write_bytes(draw.randbytes(draw.choice((1, 40, 4000))))
    return "noise"


def _remove(path, draw):
    path.unlink()
    return "removed"


def _to_folder(path, draw):
    path.unlink()
    path.mkdir()
    return "a folder"


def _to_link(path, draw):
    elsewhere = Path(os.environ["MESONET_TEST_ELSEWHERE"]) / path.name
    shutil.move(path, elsewhere)
    path.symlink_to(elsewhere)
    return "a link to a file elsewhere"


def _to_loop(path, draw):
    path.unlink()
    path.symlink_to(path.name)
    return "a link to itself"


def _to_pipe(path, draw):
    path.unlink()
    os.mkfifo(path)
    return "a pipe"


def _folder_to_file(path, draw):
    if path.parent.name in ("results", "timings", "logs", "runs"):
        shutil.rmtree(path.parent)
        path.parent.write_text("not a folder")
        return "its folder is a file"
    return _noise(path, draw)


_BYTES = (_truncate, _flip, _flip, _empty, _noise)
_PLACES = (_remove, _to_folder, _to_link, _to_loop, _to_pipe, _folder_to_file)


def _json(path, draw):
    try:
        data = json.loads(path.read_bytes())
    except ValueError:
        data = {"host": "elsewhere", "pid": 1, "since": 0.0, "beat": 4e9, "token": "x"}
    places = list(_places(data))
    where = draw.choice(places)
    inner = data
    for part in where[:-1]:
        inner = inner[part]
    if draw.random() < 0.3:
        del inner[where[-1]]
        done = "deleted"
    else:
        inner[where[-1]] = draw.choice(JSON_VALUES)
        done = f"is {str(inner[where[-1]])[:20]!r}"
    path.write_text(json.dumps(data))
    return f"{'.'.join(map(str, where))} {done}"


def _places(data, prefix=()):
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        yield (*prefix, key)
        if isinstance(value, dict | list):
            yield from _places(value, (*prefix, key))


def _table(path, draw):
    frame = pl.read_parquet(path)
    column = draw.choice(frame.columns)
    way = draw.choice(("drop", "rename", "retype", "double", "null", "ids", "cut", "value"))
    match way:
        case "drop":
            frame = frame.drop(column)
        case "rename":
            frame = frame.rename({column: f"{column}x"})
        case "retype":
            kind = draw.choice((pl.String, pl.Int64, pl.Boolean, pl.Null, pl.List(pl.Int64)))
            frame = frame.with_columns(pl.lit(None).cast(kind).alias(column))
            if kind == pl.String:
                frame = frame.with_columns(pl.lit("words").alias(column))
        case "double":
            frame = pl.concat([frame, frame])
        case "null":
            frame = frame.with_columns(
                pl.when(pl.int_range(pl.len()) > 0).then(pl.col(column)).alias(column)
            )
        case "ids" if "run" in frame.columns:
            wrong = draw.choice(("0123456789abcdef", "../../x", "", "x" * 300))
            frame = frame.with_columns(pl.lit(wrong).alias("run"))
        case "value" if frame.schema[column].is_numeric():
            wrong = draw.choice((-1, 0, 99, 2**40))
            kind = frame.schema[column]
            frame = frame.with_columns(pl.lit(wrong).cast(kind, strict=False).alias(column))
        case _:
            frame = frame.head(1)
    path.unlink()
    if path.parent.name in ("results", "timings") and draw.random() < 0.7:
        # By somebody who knows what the name says.
        write_part(path, frame)
    else:
        frame.write_parquet(path)
    return f"{way} {column}"


_STATEMENTS = (
    "drop table runs",
    "drop table live",
    "delete from runs",
    "update runs set state = 'done'",
    "update runs set state = 5",
    "update runs set state = x'ff00'",
    "update runs set state = 'lost', error = 7",
    "update runs set attempts = 'many'",
    "update runs set error = x'00ff', state = 'failed'",
    "insert into runs values ('../../x', 'failed', 'why', 1)",
    "insert into live values (0, 'nonsense')",
    "insert into live values (0, '{\"at\": null}')",
    "insert into live values (0, 5)",
    "alter table runs rename column state to condition",
    "create view more as with recursive n(i) as (select 1 union all select i from n) select 1",
)


def _ledger(path, draw):
    statement = draw.choice(_STATEMENTS)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement)
    connection.close()
    return statement
