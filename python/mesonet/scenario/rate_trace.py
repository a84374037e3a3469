"""Recorded links: traces of opportunities to send, in the format of Mahimahi.

R. Netravali and others, *Mahimahi: Accurate Record-and-Replay for HTTP*, USENIX ATC 2015, section 3
(`mm-link`). Each line has a time in milliseconds at which a packet could leave, and the trace
repeats after its last one.
"""

from __future__ import annotations

import os
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TypedDict

from mesonet.errors import Problem, ScenarioError, show
from mesonet.scenario.rate_changes import MAX_CHANGES, RateChange
from mesonet.units import Rate, format_time, parse_time

OPPORTUNITY = 1504
"""Bytes that leave at one opportunity."""


class RateTrace(TypedDict):
    """The part of a dumbbell that a recorded link stands for."""

    rate: Rate
    rate_changes: tuple[RateChange, ...]
    rate_period: str


def rate_trace(file: str | os.PathLike[str], *, step: str = "20 ms") -> RateTrace:
    r"""Reads a recorded link as keywords for `dumbbell`: its mean rate, and the rate of each step.

    Args:
        file: A trace of Mahimahi (`mm-link`): a time in ms per line, in order, each of which lets
            1504 bytes leave.
        step: Time over which opportunities are averaged. Shorter ones keep more of the trace.

    Raises:
        ScenarioError: The file or lines of it cannot be read; names the first ten of them.

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
    width = round(parse_time(step) * 1000)
    if width < 1:
        message = f"expected at least 1 ms, the grain of a trace, got {step}"
        raise ScenarioError([Problem("step", "too_small", message)])
    times = _times(Path(file))
    period = times[-1]
    if -(-period // width) > MAX_CHANGES:
        message = f"expected at most {MAX_CHANGES} steps, got {-(-period // width)} of {step}"
        raise ScenarioError([Problem("step", "too_small", message)])
    # An opportunity at the end of the trace is one at its beginning, too: it counts once, there.
    counts = Counter(time % period // width for time in times)
    changes: list[RateChange] = []
    for number in range(-(-period // width)):
        begins = number * width
        seconds = (min(begins + width, period) - begins) / 1000
        rate = Rate(counts[number] * OPPORTUNITY * 8 / seconds, "bits")
        if not changes or changes[-1].rate != rate:
            # Right as they are: reading a text for each takes a trace of an hour a minute.
            changes.append(RateChange.model_construct(at=begins / 1000, rate=rate))
    mean = Rate(len(times) * OPPORTUNITY * 8 * 1000 / period, "bits")
    return {
        "rate": mean,
        "rate_changes": tuple(changes),
        "rate_period": format_time(period / 1000),
    }


def _times(file: Path) -> list[int]:
    """Times of a trace [ms], in order."""
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        message = f"cannot be read: {getattr(error, 'strerror', None) or error}"
        raise ScenarioError([Problem(str(file), "bad_file", message)]) from None
    wrong = [
        Problem(f"{file}:{number}", "bad_line", f"expected a whole number of ms, got {show(line)}")
        for number, line in enumerate(lines, start=1)
        if not (line.strip().isascii() and line.strip().isdigit())
    ]
    if wrong:
        raise ScenarioError(wrong[:10])
    times = [int(line) for line in lines]
    wrong = [
        Problem(
            f"{file}:{number}",
            "bad_line",
            f"expected at least {before}, the line before, got {now}",
        )
        for number, (before, now) in enumerate(pairwise(times), start=2)
        if now < before
    ]
    if not times or times[-1] == 0:
        message = "expected a time above zero in the last line: the trace repeats after it"
        wrong.append(Problem(str(file), "bad_file", message))
    if wrong:
        raise ScenarioError(wrong[:10])
    return times
