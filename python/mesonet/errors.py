"""Errors that say where, what was found and what would be right.

Every error a user can cause is a `MesonetError`. Bad input is an `InputError`, which carries *all*
problems at once, each with its place, so that nobody has to fix a file one message at a time.
"""

from __future__ import annotations

import contextlib
import difflib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from mesonet.text import plain


class Problem(NamedTuple):
    """One thing that is wrong with some input.

    `loc` is a dotted path such as `flows[1].start` ("" for the whole input), `kind` a stable
    identifier such as `unknown_key`, `message` says what was found and what would be right.
    """

    loc: str
    kind: str
    message: str

    def __str__(self) -> str:
        return f"{self.loc}: {self.message}" if self.loc else self.message


class MesonetError(Exception):
    """Base of all errors that mesonet raises on purpose."""


class InterruptedWarning(UserWarning):
    """A run was interrupted and has what was measured until then."""


class InputError(MesonetError):
    """Input that cannot be honoured; `problems` lists every reason."""

    problems: list[Problem]

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = [Problem(*problem) for problem in problems]
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[Any, ...]:
        # The default would hand the joined text to __init__ when unpickled; workers pickle errors.
        return (type(self), (self.problems,))


class ScenarioError(InputError):
    """A scenario that cannot be simulated."""


class PlanError(InputError):
    """A plan that cannot be executed."""


class CampaignError(MesonetError):
    """A campaign folder that cannot be used as asked."""


class StorageError(CampaignError):
    """A campaign folder that cannot be read or written now, for instance on a full disk."""


class DamageError(StorageError):
    """A `file` of a campaign folder that does not hold what belongs there; `what` was found."""

    def __init__(self, file: str, what: str) -> None:
        self.file, self.what = file, what
        super().__init__(file, what)

    def __str__(self) -> str:
        remedy = "`mesonet verify` sets it aside, and `mesonet run` makes again what it held"
        return f"{self.file}: damaged; {remedy} ({self.what})"


class ControllerError(MesonetError):
    """A congestion controller that broke its contract.

    The text of others that is in the message is made fit for files and terminals here.
    """

    def __init__(self, message: str) -> None:
        super().__init__(plain(message))


class ProblemsError(ValueError):
    """Several problems found by one validator; `from_pydantic` lists them one by one."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("; ".join(str(problem) for problem in self.problems))


T = TypeVar("T")


def refused(model: T, problems: list[Problem]) -> T:
    """A model that was read, if there are no problems with it."""
    if problems:
        raise ProblemsError(problems)
    return model


@contextlib.contextmanager
def gathered(problems: list[Problem]) -> Iterator[None]:
    """Adds the problems of a step to a list, so that they do not hide those of the next."""
    try:
        yield
    except InputError as error:
        problems += error.problems


InputErrorT = TypeVar("InputErrorT", bound=InputError)


def unread(file: object, error: Exception) -> Problem:
    """The problem with a file that cannot be opened or decoded."""
    if isinstance(error, FileNotFoundError):
        return Problem(str(file), "missing_file", "no such file")
    why = (isinstance(error, OSError) and error.strerror) or error
    return Problem(str(file), "bad_file", f"cannot be read: {why}")


def did_you_mean(name: object, choices: Iterable[str]) -> str:
    """` (did you mean "x"?)` for the choice closest to `name`; empty if none is close."""
    by_lower_case = {choice.lower(): choice for choice in choices}
    close = difflib.get_close_matches(str(name).lower(), list(by_lower_case), n=1, cutoff=0.6)
    return f' (did you mean "{by_lower_case[close[0]]}"?)' if close else ""


_NAMED = 20
"""Most names of a message that says which there are."""


def unknown(loc: str, kind: str, name: str, choices: Collection[str]) -> list[Problem]:
    """The problem with a name that is none of some; nothing if it is one of them."""
    if name in choices:
        return []
    named = [*islice(choices, _NAMED), *(["..."] if len(choices) > _NAMED else [])]
    message = f"expected {' or '.join(named) or 'none'}, got {show(name)}"
    return [Problem(loc, kind, message + did_you_mean(name, choices))]


def show(value: object) -> str:
    """`value` as it would stand in a scenario file, shortened."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def join(prefix: str, loc: str) -> str:
    """Joins two dotted paths: `join("flows[0]", "start")` is `flows[0].start`."""
    if not prefix or not loc or loc.startswith("["):
        return prefix + loc
    return f"{prefix}.{loc}"


def dotted(loc: Sequence[int | str]) -> str:
    """`("flows", 0, "start")` as `flows[0].start`."""
    path = ""
    for part in loc:
        path = join(path, f"[{part}]" if isinstance(part, int) else part)
    return path


def from_pydantic(
    error: ValidationError, cls: type[InputErrorT], prefix: str = "", *, data: object = None
) -> InputErrorT:
    """Turns pydantic's `ValidationError` into `cls`, with close names suggested.

    Places are dotted paths below `prefix`. `data` is what was validated; with it, a value that may
    be of several types has one problem, not one for each of them.
    """
    return cls(
        problem._replace(loc=join(prefix, join(dotted(loc), problem.loc)))
        for loc, problems in _placed(error, data)
        for problem in problems
    )


_EXPECTED = {
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "text",
    "string_too_short": "text of {min_length} or more characters",
    "string_too_long": "text of at most {max_length} characters",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "greater_than": "a number above {gt}",
    "greater_than_equal": "a number of at least {ge}",
    "less_than": "a number below {lt}",
    "less_than_equal": "a number of at most {le}",
    "dict_type": "a table",
    "mapping_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "list_type": "a list",
    "tuple_type": "a list",
    "sequence_str": "a list",
    "is_instance_of": "a list",
    "too_short": "{min_length} or more entries",
    "too_long": "at most {max_length} entries",
    "literal_error": "{expected}",
    "union_tag_invalid": "{expected_tags}",
}
"""Expected value by pydantic's type of error, with numbers from its context."""

_Path = tuple[int | str, ...]


class _Error(NamedTuple):
    """An error of pydantic at a place of the data."""

    loc: _Path
    item: Mapping[str, Any]
    models: list[type[BaseModel]]
    """Models that the table with this place may be of."""
    tried: bool
    """True if the value is of one of several types, of which pydantic tried this one."""


def _placed(error: ValidationError, data: object) -> Iterator[tuple[_Path, list[Problem]]]:
    errors = [_locate(item, data, error.title) for item in error.errors(include_url=False)]
    above = {it.loc[:end] for it in errors for end in range(len(it.loc))}
    tried: dict[_Path, list[_Error]] = {}
    for part in errors:
        # Where an entry is wrong, the value is of the type that has entries, and all are counted.
        if part.loc in above and (part.tried or part.item["type"] == "too_short"):
            continue
        if part.tried:
            tried.setdefault(part.loc, []).append(part)
        else:
            yield part.loc, _problems(part)
    for loc, parts in tried.items():
        problems = [problem for part in parts for problem in _problems(part)]
        if len(parts) > 1:
            expected = dict.fromkeys(
                problem.message.removeprefix("expected ").partition(", got ")[0]
                for problem in problems
            )
            message = f"expected {' or '.join(expected)}, got {show(parts[0].item['input'])}"
            problems = [Problem("", "union", message)]
        yield loc, problems


def _locate(item: Any, data: object, title: str) -> _Error:
    loc: list[int | str] = []
    titled = (it.model_config.get("title") or it.__name__ for it in _subclasses(BaseModel))
    named = zip(_subclasses(BaseModel), titled, strict=True)
    inside = owners = [model for model, name in named if name == title][-1:]
    is_whole = data is not None
    for place, part in enumerate(item["loc"]):
        is_entry = isinstance(data, Mapping) and part in data
        is_entry |= isinstance(data, list | tuple) and part in range(len(data))
        absent = item["type"] == "missing" and place == len(item["loc"]) - 1
        fields = [it.model_fields[str(part)] for it in inside if part in it.model_fields]
        if is_whole and not (is_entry or absent or fields):
            # The name of a type that pydantic tried.
            inside = [it for it in inside if _is_called(it, part)] or inside
            continue
        loc.append(part)
        data = data[part] if is_entry else None  # type: ignore[index]  # it has that entry
        owners = inside
        if fields:
            inside = [it for field in fields for it in _models_within(field.annotation)]
    return _Error(tuple(loc), item, owners, len(loc) < len(item["loc"]))


def _problems(error: _Error) -> list[Problem]:
    item, context = error.item, error.item.get("ctx", {})
    kind, value, cause = item["type"], item["input"], context.get("error")
    if isinstance(cause, ProblemsError):
        return cause.problems
    if kind == "extra_forbidden":
        fields = [it for model in error.models for it in model.model_fields.items()]
        keys = sorted({field.alias or name for name, field in fields})
        listed = f"; known keys are {', '.join(keys)}" if keys else ""
        hint = did_you_mean(error.loc[-1], keys) or listed
        return [Problem("", "unknown_key", f"unknown key{hint}")]
    if kind == "missing":
        return [Problem("", kind, "missing; it has no default")]
    if kind not in _EXPECTED:
        return [Problem("", kind, str(cause) if cause else f"{item['msg']}, got {show(value)}")]
    loc = ""
    if kind == "union_tag_invalid":
        loc = str(context["discriminator"]).strip("'")
        value = value[loc]
        context["expected_tags"] = " or ".join(context["expected_tags"].rsplit(", ", 1))
    expected = _EXPECTED[kind].format_map(context)
    choices = [part.strip(" '") for part in expected.replace(" or ", ",").split(",")]
    hint = did_you_mean(value, choices) if "'" in expected else ""
    return [Problem(loc, kind, f"expected {expected}, got {show(value)}{hint}")]


def _subclasses(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for below in model.__subclasses__():
        yield below
        yield from _subclasses(below)


def _models_within(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models_within(part)]


def _is_called(model: type[BaseModel], tag: int | str) -> bool:
    """True for the tag of a model in a union: its name, or a value that tells it from others."""
    fields = model.model_fields.values()
    return tag == model.__name__ or any(tag in get_args(field.annotation) for field in fields)
