"""Parts of every command: errors without tracebacks, data on standard output."""

from __future__ import annotations

import functools
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, redirect_stdout
from pathlib import Path
from typing import Annotated, NoReturn, ParamSpec, TypeVar, get_type_hints

import polars as pl
import typer
from rich.console import Console
from typer.models import OptionInfo

from mesonet import showing
from mesonet.cli.completion import algorithms
from mesonet.errors import (
    CampaignError,
    ControllerError,
    InputError,
    MesonetError,
    Problem,
    StorageError,
)
from mesonet.numbers import finite
from mesonet.units import UnitError, parse_time

P = ParamSpec("P")
T = TypeVar("T")

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
"""Exit status when runs failed, for input that cannot be honoured, and after Ctrl-C."""


def _be_quiet(context: typer.Context, wanted: bool) -> None:
    """For this command: those after it in the same process say for themselves."""
    showing.QUIET = stderr.quiet = wanted
    if wanted:
        context.call_on_close(lambda: _be_quiet(context, wanted=False))


Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", callback=_be_quiet, help="Print nothing but errors beside the answer."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Folder = Annotated[str, typer.Argument(help="Campaign folder.")]
RunFolder = Annotated[
    Path | None, typer.Option("--out", "-o", help="New folder for time series and responses.")
]
Threads = Annotated[
    int,
    typer.Option("--threads", "-j", min=1, help="Threads; they change the time, not the result."),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers", "-j", min=1, help="Processes; by default one per core.", show_default=False
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(help="Address of a Dask scheduler, whose workers then execute the runs."),
]

Candidate = Annotated[
    str,
    typer.Argument(
        help="Name of an algorithm, or a file of Python or a library with one controller.",
        autocompletion=algorithms,
    ),
]
Assignments = Annotated[
    list[str] | None,
    typer.Option("--set", help="Value of a parameter, such as gain=2; can be given again."),
]


def aside() -> AbstractContextManager[object]:
    """Surrounds what may run code of others, so that its prints go to standard error."""
    return redirect_stdout(sys.stderr)


stderr = Console(stderr=True, highlight=False, soft_wrap=True, markup=False, emoji=False)
"""For progress and messages; standard output is for data."""


def friendly(command: Callable[P, T]) -> Callable[P, T]:
    """Turns the errors that users cause into messages and exit statuses."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return _interruptible(command, *args, **kwargs)
        except InputError as error:
            fail([_as_typed(problem, command) for problem in error.problems], BAD_INPUT)
        except StorageError as error:
            fail([str(error)], FAILED)
        except (CampaignError, ControllerError) as error:
            fail([str(error)], BAD_INPUT)
        except BrokenPipeError:
            # The reader of our output has gone, as `head` does; there is nobody left to tell.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(FAILED) from None
        except (MesonetError, OSError) as error:
            fail([str(error)], FAILED)
        except KeyboardInterrupt as interrupt:
            why = interrupt.args[0] if interrupt.args else None
            line = f"interrupted: {why}" if isinstance(why, str) else "interrupted"
            stderr.print("; ".join(getattr(interrupt, "__notes__", [line])))
            raise typer.Exit(128 + (why if isinstance(why, int) else 2)) from None
        except SystemExit as end:
            # Commands end otherwise: this is a controller's, or a study's.
            fail([f"its code ended Python with sys.exit({end.code!r})"], BAD_INPUT)

    return wrapped


def _as_typed(problem: Problem, command: Callable[..., object]) -> str:
    """The problem, at the option of that name if there is one; keys of files have a line."""
    kind = get_type_hints(command, include_extras=True).get(problem.loc)
    options = [it for it in getattr(kind, "__metadata__", ()) if isinstance(it, OptionInfo)]
    if options and not re.search(r", line \d+\)$", problem.message):
        # Inside of `Annotated`, Typer takes an option's first name as its default.
        name = options[0].default
        typed = name if isinstance(name, str) else f"--{problem.loc.replace('_', '-')}"
        problem = problem._replace(loc=typed)
    return str(problem)


def _interruptible(command: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    # Ctrl-C raises where this is on the stack: an error from here is caught above.
    return command(*args, **kwargs)


def fail(messages: Iterable[str], status: int) -> NoReturn:
    """Prints errors and ends the command."""
    for message in messages:
        print(f"error: {message}", file=sys.stderr)
    raise typer.Exit(status) from None


def positive_time(option: str, text: str | None) -> float | None:
    """The time that an option such as "2 h" says [s]."""
    if text is None:
        return None
    try:
        seconds = parse_time(text)
    except UnitError as error:
        raise InputError([Problem(option, "quantity", str(error))]) from None
    if seconds <= 0:
        raise InputError([Problem(option, "range", f'expected more than nothing, got "{text}"')])
    return seconds


def parameters_in(assignments: Sequence[str]) -> dict[str, float]:
    """Values by name of `--set NAME=NUMBER`."""
    values: dict[str, float] = {}
    problems = []
    for text in assignments:
        name, separator, number = (part.strip() for part in text.partition("="))
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not (name and separator and math.isfinite(value)):
            message = f'expected NAME=NUMBER, such as gain=2, got "{text}"'
            problems.append(Problem("--set", "invalid", message))
        elif name in values:
            problems.append(Problem("--set", "duplicate", f'"{name}" is set more than once'))
        values[name] = value
    if problems:
        raise InputError(problems)
    return values


def names_in(option: str, text: str) -> list[str]:
    """The names, or other values, in a list with commas."""
    names = [part.strip() for part in text.split(",")]
    if not all(names):
        message = f'expected values with commas between and no blanks, got "{text}"'
        raise InputError([Problem(option, "empty", message)])
    return names


def refuse_beside(context: typer.Context, option: str, *names: str) -> None:
    """Refuses options that are given beside one that leaves them without effect."""
    problems = [
        Problem(parameter.opts[0], "conflict", f"expected none beside {option}")
        for parameter in context.command.params
        if parameter.name in names and _is_given(context, parameter.name)
    ]
    if problems:
        raise InputError(problems)


def _is_given(context: typer.Context, name: str) -> bool:
    # What the environment says of every command contradicts none of them.
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def report_failures(failures: Mapping[str, str], damage: Iterable[object] = ()) -> None:
    """Names failed runs and damaged files, and exits with 1 if there are any."""
    lines = [*map(str, damage)]
    lines += [f"failed: {run}: {error}".splitlines()[0] for run, error in failures.items()]
    for line in lines:
        print(line, file=sys.stderr)
    if lines:
        raise typer.Exit(FAILED)


def print_json(data: object) -> None:
    """Prints data as JSON; NaN and infinity, which JSON does not have, become null, dates text."""
    json.dump(finite(data), sys.stdout, indent=2, ensure_ascii=False, allow_nan=False, default=str)
    sys.stdout.write("\n")


def print_frame(frame: pl.DataFrame) -> None:
    """Prints a whole frame as a table."""
    with pl.Config(
        tbl_rows=-1,
        tbl_cols=-1,
        tbl_width_chars=10_000,
        fmt_str_lengths=120,
        tbl_formatting="ASCII_MARKDOWN",
        tbl_hide_column_data_types=True,
        tbl_hide_dataframe_shape=True,
        float_precision=None,
    ):
        print(frame)
