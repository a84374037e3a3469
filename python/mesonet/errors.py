"""Errors that say where, what was found and what would be right.

Every error a user can cause is a `MesonetError`. Bad input is an `InputError`, which carries *all*
problems at once, each with its place, so that nobody has to fix a file one message at a time.
"""

from __future__ import annotations

import contextlib
import difflib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, NamedTuple, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

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
    """A file of a campaign folder that does not hold what belongs there.

    `problems` lists columns or keys, each with what was found and what was expected; `remedy` says
    what can be done.
    """

    def __init__(self, file: str, problems: Iterable[Problem], remedy: str) -> None:
        self.file = file
        self.problems = [Problem(*problem) for problem in problems]
        self.remedy = remedy
        found = "; ".join(str(problem) for problem in self.problems)
        super().__init__(f"{file}: damaged; {remedy}" + (f" ({found})" if found else ""))

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.file, self.problems, self.remedy))


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


@contextlib.contextmanager
def gathered(problems: list[Problem]) -> Iterator[None]:
    """Adds the problems of a step to a list, so that they do not hide those of the next."""
    try:
        yield
    except InputError as error:
        problems += error.problems


InputErrorT = TypeVar("InputErrorT", bound=InputError)


def did_you_mean(name: object, choices: Iterable[str]) -> str:
    """` (did you mean "x"?)` for the choice closest to `name`; empty if none is close."""
    known = {choice.lower(): choice for choice in choices}
    close = difflib.get_close_matches(str(name).lower(), list(known), n=1, cutoff=0.6)
    return f' (did you mean "{known[close[0]]}"?)' if close else ""


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


def unpaired(data: object, loc: str = "") -> Iterator[Problem]:
    """Texts of plain data with halves of surrogate pairs, which no file can hold."""
    if isinstance(data, str):
        if not data.isascii() and any("\ud800" <= letter <= "\udfff" for letter in data):
            message = f"expected text, got half of a surrogate pair in {plain(show(data))}"
            yield Problem(plain(loc), "text", message)
    elif isinstance(data, Mapping):
        for key, value in data.items():
            yield from unpaired(key, join(loc, show(key)))
            yield from unpaired(value, join(loc, str(key)))
    elif isinstance(data, list | tuple):
        for here, value in enumerate(data):
            yield from unpaired(value, f"{loc}[{here}]")


def from_pydantic(
    error: ValidationError,
    cls: type[InputErrorT],
    prefix: str = "",
    *,
    model: type[BaseModel] | None = None,
) -> InputErrorT:
    """Turns pydantic's `ValidationError` into `cls`, with close names suggested.

    Places are dotted paths below `prefix`. A validator around a model hides which it is: `model`.
    """
    return cls(_problems(error, prefix, model or _models_by_title().get(error.title)))


def _problems(
    error: ValidationError, prefix: str, top: type[BaseModel] | None
) -> Iterator[Problem]:
    items = _once_per_union(error.errors(include_url=False), top)
    for item in items:
        loc, model = _walk(item["loc"], top)
        context = item.get("ctx", {})
        # Entries that are wrong are not counted; that they are wrong is said.
        if item["type"] == "too_short" and any(
            len(other["loc"]) > len(item["loc"]) and other["loc"][: len(item["loc"])] == item["loc"]
            for other in items
        ):
            continue
        cause = context.get("error")
        if isinstance(cause, ProblemsError):
            for problem in cause.problems:
                yield problem._replace(loc=join(prefix, join(dotted(loc), problem.loc)))
            continue
        if item["type"] == "extra_forbidden":
            known = [it.alias or name for name, it in model.model_fields.items()] if model else []
            kind, message = "unknown_key", f"unknown key{did_you_mean(loc[-1], known)}"
            if known and "did you mean" not in message:
                message += f"; known keys are {', '.join(sorted(known))}"
        elif item["type"] == "union_tag_invalid":
            loc = (*loc, context["discriminator"].strip("'"))
            given = {"type": "literal_error", "input": item["input"][loc[-1]]}
            kind, message = "literal_error", _message(given, {"expected": _tags(context)}, cause)
        else:
            kind, message = item["type"], _message(item, context, cause)
        yield Problem(join(prefix, dotted(loc)), kind, message)


def _once_per_union(items: Sequence[Any], model: type[BaseModel] | None) -> list[Any]:
    """The errors with one for each value that may be of several types.

    Pydantic has one for each of the types, whose name is a part of the path.
    """
    found: dict[tuple[int | str, ...], list[Any]] = {}
    for item in items:
        at = _union_tag(item["loc"], model)
        whole = item["loc"] if at is None else item["loc"][:at]
        found.setdefault(whole, []).append({**item, "tag": at})
    made: list[Any] = []
    for whole, alike in found.items():
        several = [item for item in alike if item["tag"] is not None]
        made += [item for item in alike if item["tag"] is None]
        # An entry is wrong: the value is of the type that has entries.
        within = [item for item in several if len(item["loc"]) > item["tag"] + 1]
        for item in within:
            made.append({**item, "loc": (*whole, *item["loc"][item["tag"] + 1 :])})
        if several and not within:
            said = [
                _message(it, it.get("ctx", {}), it.get("ctx", {}).get("error")) for it in several
            ]
            parts = [text.removeprefix("expected ").partition(", got ")[0] for text in said]
            expected = " or ".join(dict.fromkeys(parts))
            made.append(
                {**several[0], "loc": whole, "type": "union", "ctx": {"expected": expected}}
            )
    return made


def _union_tag(loc: Sequence[int | str], model: type[BaseModel] | None) -> int | None:
    """Place in a path of the name of one of several types that are no models; None without any."""
    tagged, inside = dict[str, type[BaseModel]](), None
    for place, part in enumerate(loc):
        if part in tagged:
            model, tagged = tagged[str(part)], {}
            continue
        members = [each for each in get_args(inside) if each is not NoneType]
        if get_origin(inside) in (Union, UnionType) and len(members) == 1:
            inside, members = members[0], list(get_args(members[0]))
        if get_origin(inside) in (Union, UnionType):
            return place if _model_within(inside) is None else None
        if get_origin(inside) in (dict, list, tuple):
            inside = members[-1] if get_origin(inside) is dict else members[0]
            model = _model_within(inside)
            continue
        field = model.model_fields.get(str(part)) if model and isinstance(part, str) else None
        if field is not None:
            tagged = _tagged(field)
            inside = None if tagged else field.annotation
            model = _model_within(field.annotation)
    return None


_EXPECTED = {
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "list_type": "a list",
    "tuple_type": "a list",
}


def _message(item: Any, context: dict[str, Any], cause: object) -> str:
    got = f"got {show(item['input'])}"
    kind: str = item["type"]
    match kind:
        case "missing":
            return "missing; it has no default"
        case "literal_error" | "enum":
            expected = str(context["expected"])
            return f"expected {expected}, {got}{did_you_mean(item['input'], _quoted(expected))}"
        case "union":
            return f"expected {context['expected']}, {got}"
        case "greater_than":
            return f"expected a number above {context['gt']}, {got}"
        case "greater_than_equal":
            return f"expected a number of at least {context['ge']}, {got}"
        case "less_than":
            return f"expected a number below {context['lt']}, {got}"
        case "less_than_equal":
            return f"expected a number of at most {context['le']}, {got}"
        case "too_short":
            least = _counted(context["min_length"], "entry", "entries")
            return f"expected at least {least}, got {context['actual_length']}"
        case "too_long":
            most = _counted(context["max_length"], "entry", "entries")
            return f"expected at most {most}, got {context['actual_length']}"
        case "string_too_short":
            return f"expected at least {_counted(context['min_length'], 'character')}, {got}"
        case "string_too_long":
            return f"expected at most {_counted(context['max_length'], 'character')}, {got}"
    if kind in _EXPECTED:
        return f"expected {_EXPECTED[kind]}, {got}"
    if cause is not None:
        return str(cause)
    return f"{item['msg']}, {got}"


def _counted(number: int, one: str, several: str = "") -> str:
    return f"{number} {one if number == 1 else several or one + 's'}"


def _quoted(expected: str) -> list[str]:
    return [part.strip(" '\"") for part in expected.replace(" or ", ",").split(",")]


def _models_by_title() -> dict[str, type[BaseModel]]:
    found: dict[str, type[BaseModel]] = {}
    pending: list[type[BaseModel]] = [BaseModel]
    while pending:
        for model in pending.pop().__subclasses__():
            found[model.model_config.get("title") or model.__name__] = model
            pending.append(model)
    return found


def _tags(context: Mapping[str, Any]) -> str:
    *some, last = str(context["expected_tags"]).split(", ")
    return f"{', '.join(some)} or {last}"


def _walk(
    loc: tuple[int | str, ...], model: type[BaseModel] | None
) -> tuple[tuple[int | str, ...], type[BaseModel] | None]:
    """The path without union tags, and the model whose field its last part is or should be."""
    kept: list[int | str] = []
    parent, tagged = model, dict[str, type[BaseModel]]()
    for part in loc:
        if part in tagged:
            model, tagged = tagged[str(part)], {}
            continue
        field = model.model_fields.get(str(part)) if model and isinstance(part, str) else None
        if field is None and model is not None and part == model.__name__ and part != loc[-1]:
            continue
        kept.append(part)
        parent = model
        if field is not None:
            tagged = _tagged(field)
            model = _model_within(field.annotation)
    return tuple(kept), parent


def _tagged(field: FieldInfo) -> dict[str, type[BaseModel]]:
    """Models of a union by the tags that its discriminator has for them."""
    name = field.discriminator
    return {
        tag: model
        for model in getattr(field.annotation, "__args__", ())
        if isinstance(name, str)
        for tag in get_args(model.model_fields[name].annotation)
    }


def _model_within(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        found = _model_within(argument)
        if found is not None:
            return found
    return None
