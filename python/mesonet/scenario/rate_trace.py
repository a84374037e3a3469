"""Recorded links: rates over time in two formats that others have files of.

Mahimahi: R. Netravali and others, *Mahimahi: Accurate Record-and-Replay for HTTP*, USENIX ATC 2015,
section 3 (`mm-link`). Each line has a time in milliseconds at which a packet could leave, and the
trace repeats after its last one.

Pensieve: H. Mao, R. Netravali, M. Alizadeh, *Neural Adaptive Video Streaming with Pensieve*,
SIGCOMM 2017, with its code (`sim/env.py` of hongzimao/pensieve). Each line has a time in seconds
and a throughput in Mbit/s, which holds from the time of the line before until its own; the trace
repeats after its last one.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, TypeVar

from mesonet.errors import Problem, ScenarioError, gathered, show, unread
from mesonet.scenario.rate_changes import MAX_CHANGES, RateChange
from mesonet.scenario.types import Frozen
from mesonet.units import Rate, UnitError, format_time, parse_time

T = TypeVar("T")
OPPORTUNITY = 1504
"""Bytes that leave at one opportunity."""
LEAST_MEAN = 100.0
"""Least mean rate of a trace, the least that a bottleneck can have [bit/s]."""
_TOLD = 10
"""Most lines of a trace whose problems are told."""


class RateTrace(TypedDict):
    """The part of a dumbbell that a recorded link stands for."""

    rate: Rate
    rate_changes: tuple[RateChange, ...]
    rate_period: str


class _Recorded(NamedTuple):
    """Stretches, each its beginning [s] and rate [bit/s]; mean rate [bit/s]; period [s]."""

    stretches: list[tuple[float, float]]
    mean: float
    period: float


def rate_trace(file: str | os.PathLike[str], *, step: str = "20 ms") -> RateTrace:
    r"""Reads a recorded link as keywords for `dumbbell`: its mean rate, and the rate of each step.

    Args:
        file: A trace of Mahimahi (`mm-link`): a time in ms per line, in order, each of which lets
            1504 bytes leave. Or one of Pensieve and Genet: a time in s and a rate in Mbit/s per
            line, which holds from the time of the line before.
        step: Time over which opportunities of Mahimahi are averaged. Shorter ones keep more of the
            trace. Rates of Pensieve are taken as they are.

    Examples:
        >>> import mesonet, pathlib
        >>> trace = pathlib.Path("half-a-second.trace")
        >>> _ = trace.write_text("".join(f"{ms}\n" for ms in [*range(1, 300), 500]))
        >>> link = mesonet.rate_trace(trace, step="100 ms")
        >>> str(link["rate"]), len(link["rate_changes"]), link["rate_period"]
        ('7.2192 Mbit/s', 2, '500 ms')
        >>> scenario = mesonet.dumbbell(**link, rtt="40 ms", flows=["cubic"])
        >>> trace.unlink()
    """
    path, width = Path(file), _width(step)
    lines = _lines(path)
    if len(lines[0].split()) == 2:
        recorded = _throughputs(lines, path)
    else:
        recorded = _opportunities(lines, path, width)
    if recorded.mean < LEAST_MEAN:
        message = (
            f"expected a trace of at least {LEAST_MEAN:g} bit/s, got {len(lines)} lines that make "
            f"{recorded.mean:g} bit/s in {format_time(recorded.period)}"
        )
        raise ScenarioError([Problem(f"{path}:{len(lines)}", "too_small", message)])
    changes: list[RateChange] = []
    for at, bits in recorded.stretches:
        rate = Rate(bits, "bits")
        if not changes or changes[-1].rate != rate:
            # Right as they are: reading a text for each takes a trace of an hour a minute.
            changes.append(RateChange.model_construct(at=at, rate=rate))
    return {
        "rate": Rate(recorded.mean, "bits"),
        "rate_changes": tuple(changes),
        "rate_period": format_time(recorded.period),
    }


TRACES = {"rate_trace": "", "reverse_rate_trace": "reverse_"}
"""Keys that name a recorded link, and what the keys that it stands for begin with."""


class NamedTrace(Frozen):
    """A recorded link by the name of its file, as scenario files have it."""

    file: str
    """Its path, relative to the scenario file."""
    step: str = "20 ms"
    """Time over which opportunities of Mahimahi are averaged."""


def with_named_traces(
    data: Mapping[str, Any], folder: Path, problems: list[Problem]
) -> dict[str, Any]:
    """A dumbbell's keys with the content of the traces that it names.

    So what is simulated, and the identity of its runs, depends on the content. The place of a trace
    that cannot be read is taken by a rate, so that nothing is concluded from its absence.
    """
    data = dict(data)
    for key, prefix in TRACES.items():
        if key in data:
            table = data.pop(key)
            stand_in = {f"{prefix}rate": "1 Mbit/s", **data}
            with gathered(problems):
                stand_in = data | _content(table, data, folder, key, prefix)
            data = stand_in
    return data


def _content(
    table: object, data: Mapping[str, Any], folder: Path, key: str, prefix: str
) -> dict[str, Any]:
    message = f"is that of the recorded link in {key}; keep one of them"
    keys = [f"{prefix}{name}" for name in RateTrace.__annotations__]
    problems = [Problem(name, "conflict", message) for name in keys if name in data]
    if not isinstance(table, Mapping):
        message = f'expected a table such as {{ file = "lte.down" }}, got {show(table)}'
        raise ScenarioError([*problems, Problem(key, "type", message)])
    trace: Mapping[str, Any] = {}
    with gathered(problems):
        named = NamedTrace.from_dict(table, prefix=key)
        try:
            trace = rate_trace(folder / named.file, step=named.step)
        except ScenarioError as error:
            problems += [
                it._replace(loc=f"{key}.step")
                if it.loc == "step"
                else it._replace(loc=f"{key}.file", message=str(it))
                for it in error.problems
            ]
    if problems:
        raise ScenarioError(problems)
    return {f"{prefix}{name}": value for name, value in trace.items()}


def _width(step: str) -> int:
    """Length of a step [ms]."""
    try:
        width = round(parse_time(step) * 1000)
    except UnitError as error:
        raise ScenarioError([Problem("step", "unit", str(error))]) from None
    if width < 1:
        message = f"expected at least 1 ms, the grain of a trace, got {step}"
        raise ScenarioError([Problem("step", "too_small", message)])
    return width


def _lines(path: Path) -> list[str]:
    """Lines of a trace, without empty ones at its end; there is at least one."""
    try:
        lines = path.read_text("utf-8-sig").rstrip().splitlines()
    except (OSError, ValueError) as error:
        raise ScenarioError([unread(path, error)]) from None
    if not lines:
        raise ScenarioError([Problem(str(path), "bad_file", "expected at least one line")])
    return lines


def _opportunities(lines: Sequence[str], path: Path, width: int) -> _Recorded:
    """A trace of Mahimahi, averaged over steps of `width` [ms]."""
    expected = "a whole number of ms, or a time in s, a blank and a rate in Mbit/s"
    times = _rows(lines, path, int, expected)
    _refuse_order(path, times)
    period = times[-1]
    count = -(-period // width)
    if count > MAX_CHANGES:
        step = format_time(width / 1000)
        message = f"expected at most {MAX_CHANGES} steps, got {count} of {step}"
        raise ScenarioError([Problem("step", "too_small", message)])
    # An opportunity at the end of the trace is one at its beginning, too: it counts once, there.
    counts = Counter(time % period // width for time in times)
    stretches = []
    for number in range(count):
        begins = number * width
        seconds = (min(begins + width, period) - begins) / 1000
        stretches.append((begins / 1000, counts[number] * OPPORTUNITY * 8 / seconds))
    return _Recorded(stretches, len(times) * OPPORTUNITY * 8 * 1000 / period, period / 1000)


def _throughputs(lines: Sequence[str], path: Path) -> _Recorded:
    """A trace of Pensieve."""
    rows = _rows(lines, path, _throughput, "a time in s and a rate in Mbit/s")
    times = [time for time, _ in rows]
    _refuse_order(path, times)
    held = [
        (begin, end, rate * 1e6)
        for begin, (end, rate) in zip([0.0, *times[:-1]], rows, strict=True)
        if end > begin
    ]
    if len(held) > MAX_CHANGES:
        message = f"expected at most {MAX_CHANGES} lines, got {len(held)}"
        raise ScenarioError([Problem(str(path), "too_large", message)])
    bits = math.fsum((end - begin) * rate for begin, end, rate in held)
    return _Recorded([(begin, rate) for begin, _, rate in held], bits / times[-1], times[-1])


def _throughput(line: str) -> tuple[float, float]:
    """Time [s] and rate [Mbit/s] of a line."""
    time, rate = map(float, line.split())
    if not (math.isfinite(time) and 0 <= rate < math.inf):
        raise ValueError
    return time, rate


def _rows(lines: Sequence[str], path: Path, read: Callable[[str], T], expected: str) -> list[T]:
    """What stands in each line; refuses a trace for its first lines that are wrong."""
    rows, problems = list[T](), list[Problem]()
    for number, line in enumerate(lines, start=1):
        try:
            rows.append(read(line))
        except ValueError:
            message = f"expected {expected}, got {show(line)}"
            problems.append(Problem(f"{path}:{number}", "bad_line", message))
    if problems:
        raise ScenarioError(problems[:_TOLD])
    return rows


def _refuse_order(path: Path, times: Sequence[float]) -> None:
    """Refuses times that go back, and a trace without a length."""
    problems = [
        Problem(f"{path}:{number}", "bad_line", f"expected at least {before}, got {now}")
        for number, (before, now) in enumerate(pairwise((0, *times)), start=1)
        if now < before
    ]
    if times[-1] == 0:
        message = "expected a time above zero in the last line: the trace repeats after it"
        problems.append(Problem(f"{path}:{len(times)}", "bad_line", message))
    if problems:
        raise ScenarioError(problems[:_TOLD])
