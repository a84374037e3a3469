"""Transfers from a file: a start and a size in each line, as measured somewhere."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mesonet.errors import Problem, ScenarioError, gathered, show
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
        lines = path.read_text("utf-8").splitlines()
    except (OSError, ValueError) as error:
        message = f"cannot be read: {getattr(error, 'strerror', None) or error}"
        raise ScenarioError([Problem(str(path), "bad_file", message)]) from None
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


def with_transfer_traces(data: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """A scenario's table with the content of the files that applications of its flows name.

    So what is simulated, and the identity of its runs, depends on the content.
    """
    data, problems = dict(data), list[Problem]()
    for key in [key for key in ("flows", "cross") if key in data]:
        flows = []
        for flow in data[key] if isinstance(data[key], list) else ():
            application = flow.get("application") if isinstance(flow, Mapping) else None
            if isinstance(application, Mapping) and isinstance(application.get("file"), str):
                others = {name: value for name, value in application.items() if name != "file"}
                with gathered(problems):
                    content = transfer_trace(folder / application["file"])
                    # What the table has beside the file stays, and is checked with the rest.
                    flow = {**flow, "application": content | others}
            flows.append(flow)
        data[key] = flows or data[key]
    if problems:
        raise ScenarioError(problems)
    return data
