"""The one list of responses: what they are called, what they mean and how they are computed."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import groupby
from typing import Any, Literal

from mesonet.errors import InputError, Problem, did_you_mean
from mesonet.responses import applications, flows, series, transfers
from mesonet.responses.measurements import Measurements, Window

Better = Literal["higher", "lower", "neither"]

_MEASURES: dict[str, Callable[..., float]] = {
    **series.MEASURES,
    **transfers.MEASURES,
    **flows.MEASURES,
    **applications.MEASURES,
}
"""Measures by the name that the table of responses has: of a window, an algorithm where they are
kept by algorithm, and the words after the name."""


@dataclass(frozen=True)
class Response:
    """One number of one run.

    `compute` takes the window to measure, and where `by_algorithm` the algorithm to restrict it to:
    one of the named flows where these are what it `needs`, else one of the completed transfers.
    Without what it `needs` it is undefined, whatever happens in a run: named "flows" or the flow of
    that name, a laboratory's "bottleneck", or the "population" of a national network.
    A response with `periods` false describes the whole run and has no per-period variant.
    """

    id: str
    name: str
    unit: str
    definition: str
    measure: Sequence[str]
    source: str = "mesonet"
    symbols: Mapping[str, str] = field(default_factory=dict)
    better: Better = "neither"
    periods: bool = True
    by_algorithm: bool = False
    needs: str | None = None

    def compute(self, window: Window, algorithm: str | None = None) -> float:
        """The number, NaN where undefined."""
        name, *words = self.measure
        args = [algorithm, *words] if self.by_algorithm else words
        return float(_MEASURES[name](window, *args))

    @property
    def symbol(self) -> str:
        """The symbol printed in the source that defines it, or its id."""
        return next(iter(self.symbols.values()), self.id)


_TABLE = json.loads((resources.files("mesonet") / "data" / "responses.json").read_text("utf-8"))
CASES: Mapping[str, list[dict[str, Any]]] = _TABLE["cases"]
"""What some responses exist for one each of, such as the flow groups."""


def _responses() -> Iterator[Response]:
    """Responses in the order in which they are printed.

    Rows that go `together` come in turn for each case, others for all cases one after the other.
    """
    for _, group in groupby(_TABLE["responses"], lambda row: row.pop("together", row["name"])):
        rows = list(group)
        for case in CASES.get(rows[0].get("per"), [{}]):
            for row in rows:
                parts = {key: part for key, part in row.items() if key != "per"}
                yield Response(**(_of_case(parts, case) if case else parts))


def _of_case(part: Any, case: Mapping[str, Any]) -> Any:
    if isinstance(part, dict):
        return {key: _of_case(value, case) for key, value in part.items()}
    if isinstance(part, list):
        return [_of_case(value, case) for value in part]
    return part.format(**case) if isinstance(part, str) else part


registry = {response.id: response for response in _responses()}
"""All responses by id. Variants (`y1@2`, `g13:ctcp`) are found by `lookup`."""

_VARIANT = re.compile(
    r"(?P<id>[A-Za-z_][\w.]*)(?::(?P<algorithm>@?[^@\s]+))?(?:@(?P<period>[1-9]\d?))?"
)


@dataclass(frozen=True)
class Variant:
    """A response, perhaps of one period or one algorithm only."""

    id: str
    response: Response
    period: int | None = None
    algorithm: str | None = None

    def compute(self, measurements: Measurements) -> float:
        """The number, NaN where undefined, and for a period that the run does not have."""
        windows = measurements.windows
        index = self.period or 0
        if index >= len(windows):
            return float("nan")
        return self.response.compute(windows[index], self.algorithm)

    @property
    def name(self) -> str:
        """Name of the response with what the variant restricts it to."""
        name = self.algorithm or ""
        algorithm = f", flow {name[1:]}" if name[:1] == "@" else f", {name} flows" if name else ""
        period = f", period {self.period}" if self.period else ""
        return f"{self.response.name}{algorithm}{period}"


@cache
def lookup(response_id: str) -> Variant:
    """Finds a response by id or variant.

    `y1` is a response, `y1@2` the same in the second measured period, `g13:ctcp` that of one
    algorithm's flows, `flow_goodput:@video` that of the flow of a name.
    """
    match = _VARIANT.fullmatch(response_id)
    response = registry.get(match["id"]) if match else None
    if match is None or response is None:
        hint = did_you_mean(response_id, registry)
        raise _error(response_id, f"unknown response{hint}; `mesonet list responses` shows all")
    algorithm, period = match["algorithm"], match["period"]
    if algorithm and not response.by_algorithm:
        raise _error(response_id, f"{response.id} is not kept by algorithm: {_KEPT}")
    if period and not response.periods:
        raise _error(
            response_id, f"{response.id} has no per-period variants: it describes the whole run"
        )
    return Variant(response_id, response, int(period) if period else None, algorithm)


_KEPT = "only responses of flows and of completed transfers are"


def _error(response_id: str, message: str) -> InputError:
    return InputError([Problem("", "unknown_response", f'"{response_id}": {message}')])


def compute(measurements: Measurements, ids: Iterable[str] | None = None) -> dict[str, float]:
    """Responses of one run by id; NaN where undefined.

    Args:
        measurements: Records of the run.
        ids: Responses to compute, variants included; by default all, and those that are kept by
            algorithm also for each algorithm of the run, where it has more than one.
    """
    if ids is None:
        ids = [*registry, *_by_algorithm(measurements)]
    values = Values()
    for response_id in ids:
        values[response_id] = lookup(response_id).compute(measurements)
    return values


def in_lines(values: Mapping[str, float]) -> list[str]:
    """Responses one to a line, with unit and name; undefined ones are left out."""
    defined = {name: value for name, value in values.items() if not math.isnan(value)}
    width = max(map(len, defined), default=0)
    rows = ((name, value, lookup(name)) for name, value in defined.items())
    return [
        f"{name:<{width}} {value:>14.6g}  {variant.response.unit:<10} {variant.name}"
        for name, value, variant in rows
    ]


class Values(dict[str, float]):
    """Numbers by response, which suggest a close name for one that is not there.

    They are shown one to a line, with unit and name, those that are undefined left out.
    """

    def __repr__(self) -> str:
        lines = in_lines(self)
        if undefined := len(self) - len(lines):
            lines.append(f"{undefined} {'is' if undefined == 1 else 'are'} undefined (nan)")
        return "\n".join(lines)

    def __missing__(self, key: object) -> float:
        try:
            lookup(str(key))
        except InputError as error:
            raise KeyError(error.problems[0].message) from None
        how = f"mesonet.responses.compute(run.measurements, [{key!r}])"
        raise KeyError(f'"{key}" is a variant that was not computed; {how} gives it')


def _by_algorithm(measurements: Measurements) -> Iterator[str]:
    groups, flows = measurements.groups, set(measurements.flow_algorithms.values())
    transfers = set() if groups.is_empty() else set(groups["algorithm"].to_list())
    for response in registry.values():
        algorithms = transfers if response.needs == "population" else flows | transfers
        if response.by_algorithm and len(algorithms) > 1:
            yield from (f"{response.id}:{algorithm}" for algorithm in sorted(algorithms))
