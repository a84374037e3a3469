"""Transfers from a file: a start and a size in each line, as measured somewhere."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mesonet.errors import Problem, ScenarioError, show, unread
from mesonet.scenario.applications import MAX_ROWS

_TOLD = 10
"""Most lines of a file whose problems are told."""


def transfer_trace(file: str | os.PathLike[str]) -> dict[str, Any]:
    r"""Reads transfers as an application of a flow: its times [s] and sizes [bytes].

    Args:
        file: Two columns, separated by spaces or a comma: start of a transfer in s, in order, and
            its size in bytes. Lines that begin with `#` are comments.

    Examples:
        >>> import mesonet, pathlib
        >>> trace = pathlib.Path("two.trace")
        >>> _ = trace.write_text("0.5 20000\n1.25, 100000\n")
        >>> mesonet.transfer_trace(trace)
        {'kind': 'trace', 'times': [0.5, 1.25], 'bytes': [20000, 100000]}
        >>> trace.unlink()
    """
    path = Path(file)
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, ValueError) as error:
        raise ScenarioError([unread(path, error)]) from None
    times, sizes, problems = [0.0], list[int](), list[Problem]()
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            start, size = line.replace(",", " ").split()
            times.append(float(start))
            sizes.append(int(size))
        except ValueError:
            sizes.append(0)
        if sizes[-1] < 1 or not times[-2] <= times[-1] < math.inf:
            message = f"expected a start in s, in order, and a size in bytes, got {show(line)}"
            problems.append(Problem(f"{path}:{number}", "bad_line", message))
    if not 0 < len(sizes) <= MAX_ROWS:
        message = f"expected 1 to {MAX_ROWS} transfers, got {len(sizes)}"
        problems = [Problem(str(path), "bad_file", message)]
    if problems:
        raise ScenarioError(problems[:_TOLD])
    return {"kind": "trace", "times": times[1:], "bytes": sizes}


def with_transfer_traces(
    data: Mapping[str, Any], folder: Path, problems: list[Problem]
) -> dict[str, Any]:
    """A scenario's table with the content of the files that its applications name.

    So what is simulated, and the identity of its runs, depends on the content. The place of a file
    that cannot be read is taken by a transfer, so that nothing is concluded from its absence.
    """
    data = dict(data)
    for key in ("flows", "cross", "application_shares"):
        if isinstance(data.get(key), list):
            data[key] = [
                _with_content(user, folder, f"{key}[{here}].application.file", problems)
                for here, user in enumerate(data[key])
            ]
    return data


def _with_content(user: Any, folder: Path, loc: str, problems: list[Problem]) -> Any:
    application = user.get("application") if isinstance(user, Mapping) else None
    if not isinstance(application, Mapping) or not isinstance(application.get("file"), str):
        return user
    content: dict[str, Any] = {"kind": "trace", "times": [0.0], "bytes": [1]}
    try:
        content = transfer_trace(folder / application["file"])
    except ScenarioError as error:
        problems += [it._replace(loc=loc, message=str(it)) for it in error.problems]
    # What the table has beside the file stays, and is checked with the rest.
    others = {name: value for name, value in application.items() if name != "file"}
    return {**user, "application": content | others}
