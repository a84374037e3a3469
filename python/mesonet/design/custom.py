"""A design of one's own: a matrix of codes, from a CSV file or from numbers."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mesonet.design.design import Design
from mesonet.design.factors import Factor
from mesonet.design.frames import MAX_CONDITIONS, matrix_of, name_problems
from mesonet.errors import PlanError, Problem, did_you_mean, show
from mesonet.system.reading import read_file

_SIGNS = {"-": -1.0, "−": -1.0, "+": 1.0}
_SHOWN = 10


def custom_design(
    factors: Sequence[Factor],
    rows: Sequence[Sequence[float]],
    *,
    kind: str = "custom",
    loc: str = "design.conditions",
) -> Design:
    """A design with these codes.

    Args:
        factors: factors of the plan, in the order of the columns.
        rows: one per condition, one code per factor.
        kind: name of the kind of design. Rows of a design drawn by lot may meet by chance, those
            of a "custom" one may not.
        loc: where the rows come from, for messages.

    Raises:
        PlanError: rows of a wrong length, codes without a level, a factor that does not vary, rows
            that repeat others.
    """
    names = [factor.name for factor in factors]
    problems = name_problems(names)
    if not rows:
        problems.append(Problem(loc, "empty", "expected at least one condition"))
    if len(rows) > MAX_CONDITIONS:
        problems.append(Problem(loc, "too_many", f"{len(rows)} conditions; at most a million"))
    first: dict[tuple[float, ...], int] = {}
    for number, row in enumerate(rows, start=1):
        if len(row) != len(factors):
            message = f"expected {len(factors)} codes, one for each factor, got {len(row)}"
            problems.append(Problem(f"{loc}, condition {number}", "shape", message))
            continue
        wrong = [
            Problem(f"{loc}, condition {number}, {factor.name}", "level", _expected(factor, code))
            for factor, code in zip(factors, row, strict=True)
            if not _has_level(factor, code)
        ]
        problems += wrong
        before = first.setdefault(tuple(row), number)
        if kind == "custom" and before < number and not wrong:
            problems.append(Problem(f"{loc}, condition {number}", "repeats", _repeated(before)))
    if not problems:
        problems += [
            Problem(f"{loc}, {name}", "constant", "does not vary; set it in the scenario instead")
            for name, column in zip(names, zip(*rows, strict=True), strict=True)
            if len(set(column)) == 1
        ]
    if problems:
        raise PlanError(_shortened(problems, loc))
    coded = np.array(rows, dtype=np.float64)
    notes: tuple[str, ...] = ()
    if repeats := len(rows) - len(first):
        notes = (f"{repeats} conditions repeat others; with the same seed they are the same run.",)
    return Design(kind, tuple(names), {}, matrix_of(coded, names), notes=notes)


def _has_level(factor: Factor, code: float) -> bool:
    try:
        factor.level(code)
    except ValueError:
        return False
    return True


def _expected(factor: Factor, code: float) -> str:
    codes = ", ".join(f"{code:g}" for code in factor.codes)
    between = " or a number between" if factor.continuous else ""
    return f"expected {codes}{between}, got {code:g}"


def _repeated(number: int) -> str:
    # It would count as an observation of its own and make every effect look surer than it is.
    return (
        f"repeats condition {number}; with the same seed it is the same run. Leave it out, and for "
        "more than one run of each condition set `replicates`"
    )


def _shortened(problems: list[Problem], loc: str) -> list[Problem]:
    """A wrong column is one mistake, not one for each of its thousand rows."""
    rest = len(problems) - _SHOWN
    if rest <= 0:
        return problems
    return [*problems[:_SHOWN], Problem(loc, "more", f"and {rest} more problems of this kind")]


def read_codes(path: Path, factors: Sequence[Factor]) -> list[list[float]]:
    """The codes in a CSV file whose first line names the factors, in any order.

    Entries are codes from -1 to +1, or a sign alone. A column `condition` counts the rows from 1
    and may be missing.

    Raises:
        PlanError: the file cannot be read, columns are missing, unknown or there twice, rows have
            another length, or entries are no numbers; all of them.
    """
    loc = str(path)
    try:
        text = io.StringIO(read_file(path).decode("utf-8-sig"), newline="")
        header, *rows = [row for row in csv.reader(text) if any(cell.strip() for cell in row)]
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise PlanError([Problem(loc, "missing_file", message)]) from None
    except (ValueError, csv.Error) as error:
        message = "is empty" if "unpack" in str(error) else f"is not a CSV file: {error}"
        raise PlanError([Problem(loc, "bad_file", message)]) from None
    header = [cell.strip() for cell in header]
    names = [factor.name for factor in factors]
    problems = _header_problems(header, names, loc)
    codes: list[list[float]] = []
    for line, row in enumerate(rows, start=2):
        where = f"{loc}, line {line}"
        if len(row) != len(header):
            message = f"expected {len(header)} entries as in the first line, got {len(row)}"
            problems.append(Problem(where, "shape", message))
            continue
        cells = dict(zip(header, (cell.strip() for cell in row), strict=True))
        if cells.get("condition", str(line - 1)) != str(line - 1):
            message = f"expected {line - 1}, got {show(cells['condition'])}"
            problems.append(Problem(f"{where}, condition", "order", message))
        found = {name: _code(cells[name]) for name in names if name in cells}
        problems += [
            Problem(f"{where}, {name}", "code", f"expected a code, got {show(cells[name])}")
            for name, code in found.items()
            if code is None
        ]
        codes.append([code for code in found.values() if code is not None])
    if problems:
        raise PlanError(_shortened(problems, loc))
    return codes


def _header_problems(header: Sequence[str], names: Sequence[str], loc: str) -> list[Problem]:
    where = f"{loc}, line 1"
    return [
        *(
            Problem(where, "missing_column", f'no column for the factor "{name}"')
            for name in names
            if name not in header
        ),
        *(
            Problem(where, "unknown_column", f'"{name}" is not a factor{did_you_mean(name, names)}')
            for name in header
            if name not in names and name != "condition"
        ),
        *(
            Problem(where, "repeated_column", f'"{name}" is there {n} times')
            for name, n in Counter(header).items()
            if n > 1
        ),
    ]


def _code(text: str) -> float | None:
    if text in _SIGNS:
        return _SIGNS[text]
    try:
        code = float(text)
    except ValueError:
        return None
    return code if -1 <= code <= 1 else None
