"""The `mesonet` command, and `python -m mesonet`: Ctrl-C is one line and status 130 at any moment.

Only what Python has loaded already is imported before Ctrl-C is taken care of.
"""

import atexit
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import Any

_COMMAND = ("_interruptible", "mesonet.cli.common")
"""Function below which every command runs that has something to put in order, and its module."""
_SHOW_CURSOR = "\x1b[?25h"
_raised = False
"""True once a command has been interrupted."""


def _leave() -> None:
    os.write(2, f"{_SHOW_CURSOR if os.isatty(2) else ''}interrupted\n".encode())
    os._exit(130)


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
    """Interrupts a command, which then ends in order; ends anything else, and the second time.

    Libraries that are interrupted while they are imported turn it into errors of their own.
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


def _unraisable(unraisable: "Any") -> None:
    """Ends the command whose library would go on without the Ctrl-C that fell into its call."""
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        _leave()
    sys.__unraisablehook__(unraisable)


def _printed(
    kind: type[BaseException], error: BaseException, trace: "TracebackType | None"
) -> None:
    """Ends the command whose library prints Ctrl-C and goes on, or fails for it, in its words."""
    if issubclass(kind, KeyboardInterrupt) or (
        _raised and KeyboardInterrupt.__name__ in str(error)
    ):
        _leave()
    sys.__excepthook__(kind, error, trace)


if __name__ == "__main__":
    from pathlib import Path

    # Python puts the current folder first among the places of modules; no file there is one of
    # mesonet's, unless mesonet itself is.
    if not sys.flags.safe_path and Path(sys.path[0]) != Path(__file__).parents[1]:
        del sys.path[0]
    main()
