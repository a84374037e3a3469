"""The `mesonet` command, and `python -m mesonet`: Ctrl-C is one line and status 130 at any moment.

Only what Python has loaded already is imported before Ctrl-C is taken care of.
"""

import atexit
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import Protocol

    class Unraisable(Protocol):
        """Exception that nobody can catch."""

        exc_value: BaseException | None


_STATUS = 130
"""Exit status after Ctrl-C, as shells have it: 128 and the number of the signal."""
_COMMAND = ("wrapped", "mesonet.cli.common")
"""Function below which every command runs that has something to put in order, and its module."""
_AGAIN = 0.01
"""Time after which Ctrl-C comes again [s]."""
_SHOW_CURSOR = "\x1b[?25h"


def _leave() -> None:
    terminal = os.isatty(2)
    os.write(2, f"{_SHOW_CURSOR if terminal else ''}interrupted\n".encode())
    os._exit(_STATUS)


try:
    import signal
except KeyboardInterrupt:
    _leave()


def main() -> None:
    """Entry point of the `mesonet` command."""
    listen()
    # A shell that closes an output leaves none; in order, for what is opened takes its place.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    # The matrices here are small: threads for them cost a tenth of a second at every start, in each
    # worker, too, and the last digit of a product would hang on their number.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from mesonet.cli import main as command

    command()


def listen() -> None:
    """Has Ctrl-C be one line and status 130 from now on."""
    # A shell that starts a command in the background may have it ignore Ctrl-C; so it stays.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)
        sys.unraisablehook = _unraisable
        # Typer's hook calls the one that it found.
        sys.excepthook = _printed
        # All threads have ended by then, and all is done: what is left is Python's own tidying.
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


def _interrupted(_number: int, frame: "FrameType | None") -> None:
    """Interrupts a command, which then ends in order; ends anything else at once.

    Libraries that are interrupted while they are imported turn it into errors of their own, or
    print a traceback and go on. Whoever interrupts a command twice has waited for code that does
    not end, as a controller's may not.
    """
    global _raised
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith("<frozen importlib"):
            break
        if (code.co_name, frame.f_globals.get("__name__")) == _COMMAND and not _raised:
            _raised = True
            raise KeyboardInterrupt
        frame = frame.f_back
    _leave()


def _unraisable(unraisable: "Unraisable") -> None:
    """Has Ctrl-C come again that fell into the call of a library, which would go on without."""
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        _once_more()
    else:
        sys.__unraisablehook__(unraisable)  # type: ignore[arg-type]


def _printed(
    kind: type[BaseException], error: BaseException, trace: "TracebackType | None"
) -> None:
    """Has Ctrl-C come again that a library would print as a traceback, and go on, as polars does.

    Commands catch theirs.
    """
    if issubclass(kind, KeyboardInterrupt):
        _once_more()
    elif _withheld or (_raised and KeyboardInterrupt.__name__ in str(error)):
        # The library fails for having been interrupted; pydantic puts it into words only.
        _leave()
    else:
        sys.__excepthook__(kind, error, trace)


_raised = False
"""True once a command has been interrupted."""
_withheld = False
"""True once a library has kept Ctrl-C to itself."""


def _once_more() -> None:
    import threading

    global _raised, _withheld
    _raised, _withheld = False, True
    again = threading.Timer(_AGAIN, os.kill, (os.getpid(), signal.SIGINT))
    again.daemon = True
    again.start()


if __name__ == "__main__":
    from pathlib import Path

    # Python puts the current folder first among the places of modules; no file there is one of
    # mesonet's, unless mesonet itself is.
    if not sys.flags.safe_path and Path(sys.path[0]) != Path(__file__).parents[1]:
        del sys.path[0]
    main()
