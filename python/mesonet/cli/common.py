"""Parts of every command: errors without tracebacks, data on standard output."""

from __future__ import annotations

import functools
import io
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from typing import Annotated, Any, NoReturn, ParamSpec, TextIO, TypeVar

import polars as pl
import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from mesonet.errors import CampaignError, ControllerError, InputError, MesonetError, StorageError
from mesonet.text import plain

P = ParamSpec("P")
T = TypeVar("T")

FAILED = 1
"""Exit status when runs failed, or something outside our control did."""
BAD_INPUT = 2
"""Exit status for input that cannot be honoured."""
INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""


Force = Annotated[
    bool, typer.Option("--force", help="Replace files that mesonet did not write, too.")
]

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]


class _Terminal(Console):
    """A console whose own colours and movements are the only ones."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(plain(text, longest=len(text)), style)


class _Harmless(io.TextIOBase):
    """Standard output where it is a terminal; in a pipe or a file, data stay as they are."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal

    def write(self, text: str) -> int:
        self._terminal.write(plain(text, longest=len(text)))
        return len(text)

    def flush(self) -> None:
        self._terminal.flush()

    def fileno(self) -> int:
        return self._terminal.fileno()

    def isatty(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]  # the base class has a variable
        return self._terminal.encoding


def _output() -> AbstractContextManager[object]:
    return redirect_stdout(_Harmless(sys.stdout)) if sys.stdout.isatty() else nullcontext()


def aside() -> AbstractContextManager[object]:
    """Surrounds what may run code of others, so that its prints go to standard error."""
    return redirect_stdout(sys.stderr)


stderr = _Terminal(stderr=True, highlight=False, soft_wrap=True, markup=False)
"""For progress and messages; standard output is for data."""


def friendly(command: Callable[P, T]) -> Callable[P, T]:
    """Turns the errors that users cause into messages and exit statuses."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            with _output():
                return command(*args, **kwargs)
        except InputError as error:
            fail([str(problem) for problem in error.problems], BAD_INPUT)
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
            said = interrupt.args[0] if interrupt.args else None
            line = f"interrupted: {said}" if isinstance(said, str) else "interrupted"
            stderr.print("; ".join(getattr(interrupt, "__notes__", [line])))
            number = said if isinstance(said, int) else 2
            raise typer.Exit(128 + number) from None
        except SystemExit as end:
            # Commands end otherwise: this is a controller's, or a study's.
            fail([f"its code ended Python with sys.exit({end.code!r})"], BAD_INPUT)

    return wrapped


def first_line(text: str) -> str:
    """The summary of an error that may go on with where it came from."""
    return plain(text.partition("\n")[0])


def fail(messages: Iterable[str], status: int) -> NoReturn:
    """Prints errors and ends the command."""
    for message in messages:
        stderr.print(f"error: {plain(message)}")
    raise typer.Exit(status) from None


def print_json(data: object) -> None:
    """Prints data as JSON; NaN and infinity, which JSON does not have, become null, dates text."""
    finite = _finite(data)
    json.dump(finite, sys.stdout, indent=2, ensure_ascii=False, allow_nan=False, default=str)
    sys.stdout.write("\n")


def _finite(data: Any) -> Any:
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, dict):
        return {str(key): _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return data


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
