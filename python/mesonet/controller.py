"""Congestion controllers: what can be named in a scenario, and how to write one in Python.

A controller of your own is a class; `python:package.module.Class` names it. It is imported in the
process that simulates, so scenario files, plans and the workers of campaigns can all use it. Those
in Rust are in libraries, see `mesonet.library`.

`cbrt`, `exp`, `exp2`, `log`, `log1p` and `power` are the engine's own: the same to the last bit on
every machine, which those of `math` need not be (its `sqrt` is).
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
import re
import sys
import sysconfig
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from mesonet import _core, library
from mesonet._core import (
    AckSample,
    CongestionEvent,
    Flow,
    Initial,
    RateSample,
    RoundSample,
    cbrt,
    exp,
    exp2,
    log,
    log1p,
    power,
)
from mesonet.errors import ControllerError, Problem, did_you_mean, show

__all__ = [
    "AckSample",
    "CongestionEvent",
    "Controller",
    "ControllerInfo",
    "Demand",
    "Flow",
    "Initial",
    "Parameter",
    "RateSample",
    "RoundSample",
    "algorithm_name",
    "built_in",
    "cbrt",
    "changed_since",
    "constructors",
    "controllers",
    "demands",
    "discipline_for",
    "exp",
    "exp2",
    "failure_error",
    "fingerprint",
    "fingerprints",
    "load",
    "log",
    "log1p",
    "name_problems",
    "power",
    "written_in",
]

PREFIX = "python:"
"""Prefix of the names of controllers written in Python."""

# Where the author of a controller has not written anything.
_LIBRARIES = (
    str(Path(__file__).parent),
    *(sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")),
)


class Controller:
    """A congestion controller written in Python; derive from it, one object serves one flow.

    The transport finds losses, measures round trips and sends; a controller owns the window. After
    every call the attributes below are read back. They have to make sense: an exception, a `cwnd`
    that is not finite, below one segment (see `cwnd`) or above 2^24 segments, or a `pacing_rate`
    that is not above zero stops the run with a `ControllerError`. The methods are looked up once,
    when the flow begins.

    Keep all state in the object. Anything shared between flows, or drawn from anywhere but a
    generator seeded with `initial.seed`, makes runs depend on the order in which regions of a
    network are simulated.

    Examples:
        >>> class Fixed(Controller):
        ...     def on_ack(self, ack: AckSample, flow: Flow) -> None:
        ...         self.cwnd = 10.0 * flow.smss
        ...
        ...     def on_congestion(self, event: CongestionEvent, flow: Flow) -> None:
        ...         pass
    """

    cadence: Literal["ack", "round"] = "ack"
    """Call `on_ack` for every acknowledgement, or `on_round` once per round trip, which costs next
    to nothing."""
    wants_rate_samples: bool = False
    """Have the transport measure delivery rates, for `ack.rate`."""
    ecn: Literal["none", "classic", "dctcp", "l4s"] = "classic"
    """Explicit congestion notification that the controller works with: none; that of RFC 3168, an
    answer to "ecn_echo" as to a loss, used where the hosts have ECN switched on; DCTCP's, ECT(0)
    and an echo of every mark (RFC 8257); or L4S, ECT(1) and counted marks (RFC 9331, RFC 9768)."""
    ecn_fallback: bool = False
    """The controller also works with less than its `ecn` where the hosts have no more; `flow.ecn`
    tells it. Without this, L4S where the echo is classic is an error of the scenario."""
    wants_ecn: bool = False
    """Short form of `ecn = "dctcp"`."""
    cwnd: float
    """Congestion window [bytes], at least one segment and at most 2^24. With `ecn = "l4s"` it may
    be a part of a segment, 1/1024 at least: one segment is sent per `smss / cwnd` round trips."""
    pacing_rate: float | None = None
    """Pacing rate [bytes/s]; None sends as soon as the window allows."""
    ssthresh: float | None = None
    """Slow-start threshold [bytes], infinity for none yet; None for a controller without."""
    phase: Literal["slow_start", "standard", "alternate"] | None = None
    """Phase that measurement counts the flow in: slow start, standard (the rules of RFC 5681) or
    alternate (rules of its own). None is slow start below `ssthresh`, then standard."""

    def __init__(self, initial: Initial) -> None:
        self.cwnd = initial.window * initial.smss

    def on_ack(self, ack: AckSample, flow: Flow) -> None:
        """An ACK that delivered something arrived; called with the cadence "ack"."""
        raise NotImplementedError(f"{type(self).__name__} has no on_ack")

    def on_round(self, round: RoundSample, flow: Flow) -> None:  # noqa: A002
        """A round trip ended; called with the cadence "round". `flow` is as of the last ACK."""
        raise NotImplementedError(f"{type(self).__name__} has no on_round")

    def on_congestion(self, event: CongestionEvent, flow: Flow) -> None:
        """An episode of congestion began or ended; called with both cadences.

        `event.kind` is "enter_recovery" (loss; once per episode, RFC 6675), "exit_recovery",
        "ecn_echo" (a mark, RFC 3168) or "rto" (the retransmission timer, RFC 6298).
        """
        raise NotImplementedError(f"{type(self).__name__} has no on_congestion")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number that an algorithm can be tuned with; `unit` is "1" for a pure number."""

    name: str
    default: float
    unit: str
    doc: str


@dataclass(frozen=True, slots=True)
class ControllerInfo:
    """A congestion controller by name, where its rules are published, and its parameters.

    `display` is its name for people, such as "CUBIC (Linux)" of `cubic:linux`.
    `needs` is the queue discipline that routers on its way must have, if it works with no other.
    `ecn` is the explicit congestion notification that it asks for: "none", "classic", "dctcp" or
    "l4s", see `Controller.ecn`.
    `edition` rises when runs with it change and those with others do not.
    """

    name: str
    display: str
    summary: str
    source: str
    parameters: tuple[Parameter, ...]
    needs: str | None = None
    edition: int = 1
    ecn: str = "classic"


def controllers() -> tuple[ControllerInfo, ...]:
    """All congestion controllers that a scenario can name.

    The built-in ones, then the subclasses of `Controller` that this process has imported, then
    those in the libraries that it has opened.
    """
    imported = sorted(_imported(Controller), key=lambda info: info.name)
    outside = (
        ControllerInfo(
            name, it.display, it.summary, it.source, _described(it.params), it.needs, ecn=it.ecn
        )
        for name, it in library.opened()
    )
    return (*built_in(), *imported, *outside)


def built_in() -> tuple[ControllerInfo, ...]:
    """The congestion controllers of the engine itself."""
    return tuple(
        ControllerInfo(
            entry["name"],
            entry["display"],
            entry["summary"],
            entry["source"],
            _described(entry["params"]),
            entry["needs"],
            entry["edition"],
            entry["ecn"],
        )
        for entry in _core.algorithms()
    )


def _described(params: Iterable[Mapping[str, Any]]) -> tuple[Parameter, ...]:
    return tuple(
        Parameter(param["name"], param["default"], param["unit"], param["doc"]) for param in params
    )


def discipline_for(algorithm: str) -> str:
    """The queue discipline that an algorithm needs, or drop-tail.

    Examples:
        >>> discipline_for("xcp"), discipline_for("reno")
        ('xcp', 'droptail')
    """
    needs = {info.name: info.needs for info in controllers()}
    return needs.get(algorithm) or "droptail"


def _imported(base: type[Controller]) -> Iterator[ControllerInfo]:
    cls: type[Controller]
    for cls in base.__subclasses__():
        yield from _imported(cls)
        if getattr(sys.modules.get(cls.__module__), cls.__name__, None) is not cls:
            continue
        if cls.__module__ == "__main__":
            continue
        name = f"{PREFIX}{cls.__module__}.{cls.__name__}"
        summary = (inspect.getdoc(cls) or cls.__name__).partition("\n")[0]
        ecn = "dctcp" if cls.wants_ecn else cls.ecn
        parameters = _parameters(cls)[0]
        yield ControllerInfo(name, cls.__name__, summary, cls.__module__, parameters, ecn=ecn)


def _parameters(cls: type) -> tuple[tuple[Parameter, ...], bool]:
    """Parameters of the constructor beside `initial`, and true if it takes any others, too."""
    named, any_other = [], False
    try:
        found = list(inspect.signature(cls).parameters.values())[1:]
    except ValueError:
        return (), True
    for param in found:
        if param.kind in (param.KEYWORD_ONLY, param.POSITIONAL_OR_KEYWORD):
            default = param.default if isinstance(param.default, int | float) else float("nan")
            named.append(Parameter(param.name, float(default), "1", ""))
        any_other = any_other or param.kind is param.VAR_KEYWORD
    return tuple(named), any_other


def algorithm_name(controller: object) -> Any:
    """The name under which a scenario keeps a controller; anything but a class is left as it is.

    Raises `ControllerError` for a class that other processes could not import.
    """
    if not isinstance(controller, type):
        return controller
    module, name = controller.__module__, controller.__qualname__
    if module == "__main__":
        raise ControllerError(
            f"{name} is defined in the script or session that is running, where other processes "
            f"cannot import it; move it to a file of its own, such as {name.lower()}.py, and "
            "import it from there"
        )
    if "." in name:
        raise ControllerError(
            f"{module}.{name} is defined inside a function or a class, where other processes "
            "cannot import it; move it to the top level of its module"
        )
    full = f"{PREFIX}{module}.{name}"
    if load(full) is not controller:
        raise ControllerError(
            f"{full} is another class than the one given, which was replaced since; import it again"
        )
    return full


def load(name: str) -> type:
    """Imports the class of a `python:package.module.Class`.

    Raises `ControllerError` that says what is wrong with the name or the module.
    """
    path = name.removeprefix(PREFIX)
    if not re.fullmatch(r"\w+(\.\w+)+", path):
        raise ControllerError(f"{name}: expected a name such as {PREFIX}package.module.Class")
    module_name, _, class_name = path.rpartition(".")
    if module_name not in sys.modules:
        # The file may be younger than what the import system remembers of its folder.
        importlib.invalidate_caches()
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise _import_error(name, module_name, error) from error
        message = f"no module {error.name}; is the folder it lies in on PYTHONPATH?"
        raise ControllerError(f"{name}: {message}") from None
    except Exception as error:
        raise _import_error(name, module_name, error) from error
    cls = getattr(module, class_name, None)
    if not isinstance(cls, type):
        classes = [key for key, value in vars(module).items() if isinstance(value, type)]
        found = "no" if cls is None else "something else than a"
        hint = did_you_mean(class_name, classes)
        raise ControllerError(f"{name}: {module_name} has {found} class {class_name}{hint}")
    return cls


def _import_error(name: str, module: str, error: Exception) -> ControllerError:
    text = traceback.format_exception_only(error)[-1].strip()
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({_place(frames[-1])})" if frames else ""
    return ControllerError(f"{name}: importing {module} failed: {text}{place}")


def name_problems(
    places: Mapping[str, Sequence[str]], parameters: Mapping[str, Mapping[str, float]]
) -> Iterator[Problem]:
    """Problems with the names and parameters of algorithms.

    `places` says where each name stands in the scenario; `parameters` are theirs by name.
    """
    known = {info.name: info for info in controllers()}
    for name, locs in places.items():
        message = _name_problem(name, known)
        if message:
            yield from (Problem(loc, "unknown_algorithm", message) for loc in locs)
    for name, values in parameters.items():
        choices = _choices(name, known)
        if choices is None:
            continue
        for key in values:
            if key not in choices:
                hint = did_you_mean(key, choices) or f"; it has {', '.join(choices) or 'none'}"
                message = f'"{name}" has no such parameter{hint}'
                yield Problem(f"parameters.{name}.{key}", "unknown_key", message)


def _name_problem(name: str, known: Mapping[str, ControllerInfo]) -> str | None:
    if name.startswith((PREFIX, library.PREFIX)):
        try:
            _subject(name)
        except ControllerError as error:
            return str(error)
    elif name not in known:
        hint = did_you_mean(name, known) or f"; known are {', '.join(sorted(known))}"
        return f"expected a congestion controller, got {show(name)}{hint}"
    return None


def _choices(name: str, known: Mapping[str, ControllerInfo]) -> list[str] | None:
    """The parameters of an algorithm; None if they cannot be known."""
    if name.startswith(library.PREFIX):
        # The engine knows them, and their ranges.
        return None
    if not name.startswith(PREFIX):
        return [param.name for param in known[name].parameters] if name in known else None
    try:
        parameters, any_other = _parameters(load(name))
    except ControllerError:
        return None
    return None if any_other else [param.name for param in parameters]


def _subject(name: str) -> Any:
    """Object that the engine makes controllers from: a class, a library's, or a built-in name."""
    if name.startswith(library.PREFIX):
        return library.load(name)
    return load(name) if name.startswith(PREFIX) else name


def constructors(algorithms: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Constructors of the controllers in a resolved `algorithms` that are not built in."""
    return {
        # The engine gives a library its parameters, a class has to be given them here.
        name: functools.partial(load(name), **entry["params"])
        if name.startswith(PREFIX)
        else library.load(name)
        for entry in algorithms
        if (name := entry["name"]).startswith((PREFIX, library.PREFIX))
    }


def fingerprint(algorithms: Iterable[Mapping[str, Any]]) -> str:
    """Changes with the file of a Python controller or of its base classes, and with a library.

    And with the edition of a built-in algorithm. Empty if there is no such controller and every
    edition is the first. What the files import besides is not looked at.
    """
    algorithms = list(algorithms)
    outside = list(constructors(algorithms))
    named = {str(algorithm["name"]) for algorithm in algorithms}
    editions = sorted(
        f"{info.name}={info.edition}"
        for info in built_in()
        if info.name in named and info.edition > 1
    )
    if not outside and not editions:
        return ""
    classes = [load(name) for name in outside if name.startswith(PREFIX)]
    files = sorted({file for cls in classes for file in _files(cls)})
    content = [Path(file).read_bytes() for file in files]
    libraries = {library.digest(name) for name in outside if name.startswith(library.PREFIX)}
    content += [text.encode() for text in [*sorted(libraries), *editions]]
    return hashlib.sha256(b"\0".join(content)).hexdigest()


def fingerprints(names: Iterable[str]) -> dict[str, str]:
    """Fingerprints by name of those controllers that are not built in.

    Raises `ControllerError` for one that does not exist.
    """
    outside = sorted({name for name in names if name.startswith((PREFIX, library.PREFIX))})
    return {name: fingerprint([{"name": name, "params": {}}]) for name in outside}


def changed_since(before: Mapping[str, str]) -> list[str]:
    """Controllers whose code differs from their `fingerprints`, each as a clause.

    Such as "python:aimd.Aimd has changed since (aimd.py)".
    """
    clauses = []
    for name, known in before.items():
        try:
            now = fingerprints([name])[name]
        except ControllerError:
            clauses.append(f"{name} can no longer be found")
            continue
        if now != known:
            clauses.append(f"{name} has changed since ({', '.join(written_in(name))})")
    return clauses


def written_in(name: str) -> list[str]:
    """Names of the files that a controller which is not built in comes from, its own first."""
    if name.startswith(library.PREFIX):
        return [Path(name.removeprefix(library.PREFIX).rpartition(":")[0]).name]
    return list(dict.fromkeys(Path(file).name for file in _files(load(name))))


def _files(cls: type) -> Iterator[str]:
    """Files of a class and of those it derives from, mesonet's and Python's left out."""
    for base in cls.__mro__:
        if base.__module__ != "builtins" and base.__module__.partition(".")[0] != "mesonet":
            yield inspect.getfile(base)


def failure_error(failure: BaseException) -> ControllerError:
    """Error to raise, from the cause of `failure`, for the engine's `ControllerFailure`."""
    name, source, flow, time, method, found = failure.args
    who = "one of its flows" if source is None else f"source {source}"
    if flow is not None:
        who = f'flow "{flow}" ({who})'
    when = "at the end of the run" if time is None else f"at {time:.6f} s of simulated time"
    what = _fault(_subject(name), method, found, failure.__cause__)
    return ControllerError(f"{name}: {who}, {when}: {what}")


def _fault(subject: Any, method: str, found: str | None, error: BaseException | None) -> str:
    """Description of a method's fault, with the author's file and line where they are known."""
    if error is None and found is not None and found.startswith("panicked"):
        # The place is in the text of the panic.
        return f"{method} {found}"
    if not isinstance(subject, type):
        return f"after {method}, {found}"
    if error is None:
        return f"after {method}, {found} ({_definition(subject, method)})"
    text = traceback.format_exception_only(error)[-1].strip()
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not frame.filename.startswith(_LIBRARIES)]
    mine = {*_files(subject)}
    theirs = theirs or [frame for frame in frames if frame.filename in mine]
    # A call that does not fit the method's arguments has no line inside it.
    place = _place(theirs[-1]) if theirs else _definition(subject, method)
    return f"{method} raised {text} ({place})"


def _place(frame: traceback.FrameSummary) -> str:
    return f'File "{frame.filename}", line {frame.lineno}, in {frame.name}'


def _definition(cls: type, method: str) -> str:
    """File and line of a method; those of the class, if it inherits mesonet's."""
    function = inspect.unwrap(getattr(cls, method))
    code = getattr(function, "__code__", None)
    if code is None or function.__module__ == __name__:
        file, (_, line), name = inspect.getfile(cls), inspect.getsourcelines(cls), cls.__name__
    else:
        file, line, name = code.co_filename, code.co_firstlineno, method
    return f'File "{file}", line {line}, in {name}'


class Demand(NamedTuple):
    """Something a controller has to do, and what it did instead (None if nothing is wrong)."""

    name: str
    demand: str
    problem: str | None
    measured: tuple[Mapping[str, float], ...] = ()
    """The rows of a table, where the demand is about numbers."""


def demands(
    controller: str | type,
    *,
    seed: int,
    steps: int,
    parameters: Mapping[str, float] | None = None,
) -> Iterator[Demand]:
    """Plays a transport to a controller, without a network; `steps` random events from `seed`.

    Only the first demand is tried of one that cannot be made.

    Raises `ControllerError` if there is no such controller or it has no such parameters, and for
    a parameter that neither has a default nor is given.
    """
    name, given = algorithm_name(controller), dict(parameters or {})
    problems = [problem.message for problem in name_problems({name: [""]}, {name: given})]
    if problems:
        raise ControllerError("\n".join(problems))
    subject = maker = _subject(name)
    if isinstance(subject, type):
        needed = _without_default(subject) - set(given)
        if needed:
            raise ControllerError(
                "\n".join(
                    f"{name}: {each} has no default; give --set {each}=... or "
                    f'parameters={{"{each}": ...}}'
                    for each in sorted(needed)
                )
            )
        maker = functools.partial(subject, **given)
    try:
        rows = _core.conformance(maker, seed, steps, {key: given[key] for key in given})
    except ValueError as refused:
        raise ControllerError(f"{name}: {refused}") from None
    for short, demand, problem, method, error in rows:
        if method is not None:
            problem = _fault(subject, method, problem, error)
        yield Demand(short, demand, problem)


def _without_default(cls: type) -> set[str]:
    """Parameters of the constructor, beside `initial`, that have to be given."""
    try:
        found = list(inspect.signature(cls).parameters.values())[1:]
    except ValueError:
        return set()
    kinds = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return {p.name for p in found if p.kind in kinds and p.default is p.empty}
