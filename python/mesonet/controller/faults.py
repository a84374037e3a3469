"""Descriptions of a controller's faults, with the author's file and line."""

from __future__ import annotations

import inspect
import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mesonet._core import ControllerFailure, Flow, ScenarioProblem
from mesonet.controller.base import Controller
from mesonet.controller.loading import files_of, frame_place, load_any
from mesonet.errors import ControllerError, Problem, ScenarioError

# Where the author of a controller has not written anything.
_LIBRARIES = (
    str(Path(__file__).parents[1]),
    *(sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")),
)

_LAST, _WIDEST = 5, 300


@contextmanager
def engine_errors() -> Iterator[None]:
    """Has what the engine raises be the errors that users know."""
    try:
        yield
    except ScenarioProblem as error:
        raise ScenarioError(Problem(*problem) for problem in error.args[0]) from None
    except ControllerFailure as failure:
        name, source, flow, time, method, fault_text = failure.args
        who = "one of its flows" if source is None else f"source {source}"
        if flow is not None:
            who = f'flow "{flow}" ({who})'
        when = "at the end of the run" if time is None else f"at {time:.6f} s of simulated time"
        what = fault(load_any(name), method, fault_text, failure.__cause__)
        raise ControllerError(f"{name}: {who}, {when}: {what}") from failure.__cause__


def fault(subject: Any, method: str, fault_text: str | None, error: BaseException | None) -> str:
    """Description of a method's fault, with the author's file and line where they are known."""
    if error is None and fault_text is not None and fault_text.startswith("panicked"):
        # The place is in the text of the panic.
        return f"{method} {fault_text}"
    if not isinstance(subject, type):
        return f"after {method}, {fault_text}"
    if error is None:
        return f"after {method}, {fault_text} ({_definition(subject, method)})"
    text = _legible(traceback.format_exception_only(error)[-1].strip())
    frames = traceback.extract_tb(error.__traceback__)
    outside = [frame for frame in frames if not frame.filename.startswith(_LIBRARIES)]
    own_files = {*files_of(subject)}
    outside = outside or [frame for frame in frames if frame.filename in own_files]
    # A call that does not fit the method's arguments has no line inside it.
    place = frame_place(outside[-1]) if outside else _definition(subject, method)
    return f"{method} raised {text}{_fields(error)} ({place})"


def _legible(text: str) -> str:
    """The first line, which has the type, and the last lines of a long text, none of them long."""
    lines = [f"{line[:_WIDEST]}…" if len(line) > _WIDEST else line for line in text.splitlines()]
    return "\n".join([lines[0], "…", *lines[-_LAST:]] if len(lines) > _LAST + 1 else lines)


def _fields(error: BaseException) -> str:
    """The fields of an input of the controller, where one was asked for that it has not."""
    view = getattr(error, "obj", None)
    if not isinstance(error, AttributeError) or type(view).__module__ != Flow.__module__:
        return ""
    return f"; it has {', '.join(name for name in dir(view) if name[0] != '_')}"


def _definition(cls: type, method: str) -> str:
    """File and line of a method; those of the class, if it inherits mesonet's."""
    function = inspect.unwrap(getattr(cls, method))
    code = getattr(function, "__code__", None)
    if code is None or function.__module__ == Controller.__module__:
        file, (_, line), name = inspect.getfile(cls), inspect.getsourcelines(cls), cls.__name__
    else:
        file, line, name = code.co_filename, code.co_firstlineno, method
    return f'File "{file}", line {line}, in {name}'
