"""Queries of DuckDB in a process of their own, which may die of the files that it reads.

A few crafted bytes have DuckDB ask for all memory that there is, or fail in ways that no program
can catch. So it never reads in the process that asks. This one gives an order, gets a line back,
and finds the answer in a file. The process ends with the query, and with whoever asked.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from mesonet.system.modest import be_modest

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation
    from duckdb.sqltypes import DuckDBPyType

Kind = Literal["statements", "outside", "mistake", "files", "doubt", "end"]
_CLOSED: dict[str, bool | int | float | str | list[str]] = {
    # Variables of the program are no tables.
    "python_enable_replacements": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
}
"""Settings of DuckDB that keep a query to what it is given."""
_BEGIN = (
    "import json, sys\n"
    "order = json.loads(sys.stdin.buffer.readline())\n"
    "sys.path[:] = order['path']\n"
    "from mesonet.system.queries import serve\n"
    "serve(order)\n"
)


@dataclass(frozen=True)
class Question:
    """A query, and the tables that it may name."""

    query: str
    definitions: Sequence[str]
    """Statements that make the tables."""
    rows: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    """Rows of tables of two columns of text, to be put into them."""
    files: Sequence[str] = ()
    """Files that it may read."""
    folders: Sequence[str] = ()
    """Folders that it may read."""


class QueryError(Exception):
    """A query has no answer.

    Attributes:
        kind: `statements` for one that does more than to read, `outside` for one that asks for
            other files, `mistake` for what is wrong with the query alone, `files` for tables that
            cannot be read, `doubt` for what may be either, and `end` where the process ended
            without an answer.
        statements: kinds of its statements, if that is what is wrong.
    """

    def __init__(self, kind: Kind, message: str, statements: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.kind = kind
        self.statements = list(statements)


def answer(question: Question, room: Path) -> Path | None:
    """Answers a query into a Parquet file; none if the query gives no table.

    Args:
        question: the query and its tables.
        room: folder for the answer, and for what does not fit into memory.

    Raises:
        QueryError: there is no answer; says why.
        OSError: no process can be started.
    """
    order = {**vars(question), "path": sys.path, "room": str(room)}
    process = subprocess.Popen(
        # -P: the current folder is no place of modules.
        [sys.executable, "-P", "-c", _BEGIN],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # The terminal's Ctrl-C is for the process that asks, which then ends this one.
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        # Its end is seen where it should answer.
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(order).encode() + b"\n")
            process.stdin.flush()
        with selectors.DefaultSelector() as selector:
            # Ctrl-C ends a wait, and not always a read: Polars has the system begin that again.
            selector.register(process.stdout, selectors.EVENT_READ)
            selector.select()
        line = process.stdout.readline()
        if not line:
            raise QueryError("end", f"{_ending(process.wait())}, without an answer")
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
    told = json.loads(line)
    if told["error"]:
        raise QueryError(told["error"], told["message"], told["statements"])
    return room / _ANSWER if told["answered"] else None


_ANSWER = "answer.parquet"


def _ending(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    name = signal.Signals(-status).name if -status in list(signal.Signals) else ""
    return f"was ended by signal {-status} {name}".rstrip()


def serve(order: Mapping[str, Any]) -> None:
    """Main function of the process: executes an order and says how it went."""
    be_modest()
    # DuckDB shows its progress where it finds standard output.
    way_back = os.dup(1)
    os.dup2(2, 1)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    import duckdb

    told: dict[str, Any] = {"error": "", "message": "", "statements": [], "answered": False}
    try:
        told["answered"] = _execute(order)
    except QueryError as error:
        told |= {"error": error.kind, "message": str(error), "statements": error.statements}
    except duckdb.PermissionException as error:
        told |= {"error": "outside", "message": str(error)}
    except (duckdb.Error, MemoryError) as error:
        told |= {"error": _kind(error), "message": str(error) or "out of memory"}
    with os.fdopen(way_back, "w", encoding="ascii") as line:
        line.write(json.dumps(told) + "\n")
    # What the library would do at the end does not matter any more.
    os._exit(0)


def _kind(error: Exception) -> Kind:
    import duckdb

    match error:
        case duckdb.ParserException() | duckdb.BinderException() | duckdb.CatalogException():
            return "mistake"
        case duckdb.IOException() | duckdb.OutOfMemoryException() | MemoryError():
            return "files"
    return "doubt"


def _end_with_parent() -> None:
    """Ends this process with its parent, however that ends."""
    sys.stdin.buffer.read()
    os._exit(1)


def _execute(order: Mapping[str, Any]) -> bool:
    """Answers a query into the file of answers; false if it gives no table."""
    import duckdb

    with duckdb.connect(config={**_CLOSED, "temp_directory": order["room"]}) as connection:
        try:
            for statement in order["definitions"]:
                connection.execute(statement)
            for table, rows in order["rows"].items():
                _insert(connection, table, rows)
        except duckdb.Error as error:
            # What follows is the statement, which is none of the user's.
            raise QueryError("files", str(error).partition("\n\n")[0]) from None
        _close(connection, order)
        _refuse_writing(connection, order["query"])
        relation = cast("DuckDBPyRelation | None", connection.sql(order["query"]))
        if relation is None:
            return False
        odd = [not _is_common(kind) for kind in relation.types]
        if any(odd):
            columns = zip(relation.columns, odd, strict=True)
            relation = relation.project(
                ", ".join(
                    f"#{here}::varchar as {named(name)}" if cast_it else f"#{here}"
                    for here, (name, cast_it) in enumerate(columns, 1)
                )
            )
        # DuckDB's own way to polars wants pyarrow; polars' way leaves objects behind that DuckDB
        # complains of, at length, when Python ends.
        relation.write_parquet(str(Path(order["room"]) / _ANSWER))
        return True


def _is_common(kind: DuckDBPyType) -> bool:
    """True for a type that Polars has with the same range; all others become text."""
    if kind.id in ("list", "struct"):
        return all(_is_common(cast("DuckDBPyType", inner)) for _, inner in kind.children)
    return kind.id in _COMMON


_COMMON = frozenset(
    (
        *("null", "boolean", "varchar", "enum", "float", "double", "decimal"),
        *("tinyint", "smallint", "integer", "bigint", "hugeint"),
        *("utinyint", "usmallint", "uinteger", "ubigint", "uhugeint"),
    )
)


def _insert(connection: DuckDBPyConnection, table: str, rows: Sequence[Sequence[str]]) -> None:
    if rows:
        first, second = zip(*rows, strict=True)
        connection.execute(
            f"insert into {table} select unnest(?::varchar[]), unnest(?::varchar[])",
            [list(first), list(second)],
        )


def _close(connection: DuckDBPyConnection, order: Mapping[str, Any]) -> None:
    """Leaves the tables and the room for temporary files; nothing can be opened again."""
    files = ", ".join(map(quoted, order["files"]))
    folders = ", ".join(quoted(f"{folder}/") for folder in (order["room"], *order["folders"]))
    connection.execute(f"set allowed_paths = [{files}]")
    connection.execute(f"set allowed_directories = [{folders}]")
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")


def _refuse_writing(connection: DuckDBPyConnection, query: str) -> None:
    """Refuses statements that do not just read.

    What a query may read it could also write: that is what the settings of DuckDB cannot forbid.

    Raises:
        QueryError: one is there.
        duckdb.Error: the query cannot be parsed.
    """
    kinds = [statement.type.name for statement in connection.extract_statements(query)]
    if kinds == ["EXPLAIN"]:
        explained = re.sub(r"(?is)^\s*explain\s+(analyze\s+)?", "", query)
        kinds = [statement.type.name for statement in connection.extract_statements(explained)]
    if kinds != ["SELECT"]:
        raise QueryError("statements", "expected one that reads", kinds)


def named(value: str) -> str:
    """A name as SQL writes it."""
    return '"' + value.replace('"', '""') + '"'


def quoted(value: str) -> str:
    """A text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"
