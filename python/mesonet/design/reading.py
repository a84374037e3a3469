"""Designs in CSV files: those of `mesonet plan --csv`, of R, JMP and Excel, and of one's own."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mesonet.design.custom import custom_design, shortened
from mesonet.design.design import Design
from mesonet.design.factors import Factor
from mesonet.errors import PlanError, Problem, did_you_mean, show, unread

_SIGNS = {"-": -1.0, "−": -1.0, "+": 1.0}


def read_design(path: Path, factors: Sequence[Factor]) -> Design:
    """The design in a CSV file whose first line names the factors, in any order.

    Entries are separated by commas, or by semicolons, with which numbers may have a decimal comma.
    The entries of a column are codes from -1 to +1, a sign alone among them, or levels of the
    factor as the plan has them, or what lies between. Of both readings that with fewer faults
    counts, then that which covers more of the factor. A column `condition` counts the rows from 1
    and may be missing; of other columns, such as R's names of rows and JMP's pattern, a note says
    that they are not read.
    """
    loc = str(path)
    header, rows = _table(path)
    names = [factor.name for factor in factors]
    problems = _header_problems(header, names, loc)
    cells: list[dict[str, str]] = []
    for line, row in enumerate(rows, start=2):
        where = f"{loc}, line {line}"
        if len(row) != len(header):
            message = f"expected {len(header)} entries as in the first line, got {len(row)}"
            problems.append(Problem(where, "shape", message))
            continue
        cells.append(dict(zip(header, row, strict=True)))
        if cells[-1].get("condition", str(line - 1)) != str(line - 1):
            message = f"expected {line - 1}, got {show(cells[-1]['condition'])}"
            problems.append(Problem(f"{where}, condition", "order", message))
    if problems:
        raise PlanError(shortened(problems, loc))
    columns = []
    for factor in factors:
        texts = [row[factor.name] for row in cells]
        columns.append(_codes(factor, texts))
        levels = ", ".join(factor.text(code) for code in factor.codes)
        problems += [
            Problem(
                f"{loc}, line {line}, {factor.name}",
                "code",
                f"expected a code from -1 to +1, or a level ({levels}), got {show(text)}",
            )
            for line, (text, code) in enumerate(zip(texts, columns[-1], strict=True), start=2)
            if code is None
        ]
    if problems:
        raise PlanError(shortened(problems, loc))
    codes = [[code for code in row if code is not None] for row in zip(*columns, strict=True)]
    design = custom_design(factors, codes, loc=loc)
    unread = ", ".join(
        show(name) for name in dict.fromkeys(header) if name not in (*names, "condition")
    )
    note = f"Columns of {path.name} that name no factor are not read: {unread}."
    return replace(design, notes=(*design.notes, note)) if unread else design


def _table(path: Path) -> tuple[list[str], list[list[str]]]:
    """The first line of a file and the others, without empty ones."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        first = text.partition("\n")[0]
        delimiter = max(",;", key=first.count)
        table = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        rows = [[cell.strip() for cell in row] for row in table]
    except OSError as error:
        raise PlanError([unread(path, error)]) from None
    except (ValueError, csv.Error) as error:
        message = f"is not a CSV file: {error}"
        raise PlanError([Problem(str(path), "bad_file", message)]) from None
    rows = [row for row in rows if any(row)]
    if not rows:
        raise PlanError([Problem(str(path), "bad_file", "is empty")])
    if delimiter == ";":
        rows[1:] = [[_with_point(cell) for cell in row] for row in rows[1:]]
    return rows[0], rows[1:]


def _with_point(text: str) -> str:
    """A number with a decimal point in place of its comma; other text as it is."""
    number, *unit = text.split(" ", 1)
    whole, comma, part = number.partition(",")
    decimal = comma and part and (whole.lstrip("+-") + part).isdigit()
    return " ".join([f"{whole}.{part}", *unit]) if decimal else text


def _header_problems(header: Sequence[str], names: Sequence[str], loc: str) -> list[Problem]:
    where = f"{loc}, line 1"
    counts = Counter(header)
    missing = [
        Problem(
            where,
            "missing_column",
            f'no column for the factor "{name}"{did_you_mean(name, set(header) - set(names))}',
        )
        for name in names
        if name not in counts
    ]
    twice = [
        Problem(where, "repeated_column", f'"{name}" is there {counts[name]} times')
        for name in (*names, "condition")
        if counts[name] > 1
    ]
    return missing + twice


def _codes(factor: Factor, texts: Sequence[str]) -> list[float | None]:
    """Codes of a column's entries, read as codes or as levels; None for what is neither."""

    def rank(codes: Sequence[float | None]) -> tuple[int, float]:
        read = [code for code in codes if code is not None]
        return len(codes) - len(read), min(read, default=0.0) - max(read, default=0.0)

    if not factor.paths:
        # It stands in for one whose levels the plan has not said right; any entries are its own.
        order = {text: here for here, text in enumerate(dict.fromkeys(texts))}
        return [2 * order[text] / max(len(order) - 1, 1) - 1 for text in texts]
    return min([_code(text) for text in texts], [factor.code(text) for text in texts], key=rank)


def _code(text: str) -> float | None:
    if text in _SIGNS:
        return _SIGNS[text]
    try:
        code = float(text)
    except ValueError:
        return None
    return code if -1 <= code <= 1 else None
