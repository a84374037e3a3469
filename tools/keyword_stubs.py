"""Writes what editors and mypy know of the keywords of scenarios, from the models' fields.

    python tools/keyword_stubs.py

Two files of `mesonet.scenario`: keywords.pyi, the stub of `dumbbell`, `flow` and `internet`, and
options.py, the tables inside of scenarios as typed dictionaries. `make stubs` writes them, too.
"""

from __future__ import annotations

import inspect
import textwrap
import types
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from mesonet.scenario import keywords
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.fields import Given, field_texts
from mesonet.scenario.flows import Flow
from mesonet.scenario.internet import Internet

FOLDER = Path(__file__).resolve().parents[1] / "python" / "mesonet" / "scenario"
FUNCTIONS = {"dumbbell": Dumbbell, "flow": Flow, "internet": Internet}
MODELS = (Dumbbell, Flow, Internet)
_WIDTH = 96


def files() -> dict[Path, str]:
    """The two files and what stands in them."""
    return {FOLDER / "keywords.pyi": _stub(), FOLDER / "options.py": _options()}


class _Notation:
    """Types in Python's notation, with the imports and the tables that they need."""

    def __init__(self) -> None:
        self.imports: dict[str, set[str]] = {}
        self.tables: dict[str, type[BaseModel]] = {}

    def use(self, named: Any) -> str:
        """Name of a class, which is imported."""
        if named.__module__ != "builtins":
            self.imports.setdefault(named.__module__, set()).add(named.__name__)
        return str(named.__name__)

    def table(self, model: type[BaseModel]) -> str:
        """Name of the typed dictionary for a model."""
        name = f"{model.__name__}Options"
        self.tables[name] = model
        return name

    def lines(self) -> str:
        """The imports."""
        lines, ours = [], False
        for module in sorted(self.imports, key=lambda name: (name.startswith("mesonet"), name)):
            if module.startswith("mesonet") and not ours:
                lines.append("")
                ours = True
            names = sorted(self.imports[module])
            line = f"from {module} import {', '.join(names)}"
            if len(line) > _WIDTH:
                line = f"from {module} import (\n    {',{n}    '.join(names)},\n)"
            lines.append(line.replace("{n}", "\n"))
        return "\n".join(lines)

    def given(self, annotation: Any, metadata: Iterable[Any] = ()) -> str:
        """Type of what callers give for a field of this type."""
        for mark in metadata:
            if isinstance(mark, Given):
                other = self.plain(mark.type)
                return _either(self._own(annotation), other) if mark.also else other
        return self._own(annotation)

    def _own(self, annotation: Any) -> str:
        origin, args = get_origin(annotation), get_args(annotation)
        if hasattr(annotation, "__metadata__"):
            return self.given(args[0], annotation.__metadata__)
        if origin in (Union, types.UnionType):
            return _either(*(self.given(part) for part in args))
        if origin is tuple:
            parts = dict.fromkeys(self.given(part) for part in args if part is not Ellipsis)
            self.imports.setdefault("collections.abc", set()).add("Sequence")
            return f"Sequence[{_either(*parts)}]"
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            # Plain dictionaries are as right as typed ones, though their keys go unchecked.
            return _either(
                self.use(annotation), self.table(annotation), self.plain(Mapping[str, Any])
            )
        return self.plain(annotation)

    def plain(self, kind: Any) -> str:
        """A type as it stands."""
        origin, args = get_origin(kind), get_args(kind)
        if kind is type(None):
            return "None"
        if kind is Any or origin is Literal:
            self.imports.setdefault("typing", set()).add("Any" if kind is Any else "Literal")
            values = ", ".join(f'"{value}"' for value in args)
            return "Any" if kind is Any else f"Literal[{values}]"
        if origin in (Union, types.UnionType):
            return _either(*(self.plain(part) for part in args))
        if origin is not None:
            return f"{self.use(origin)}[{', '.join(self.plain(part) for part in args)}]"
        return self.use(kind)


def _either(*kinds: str) -> str:
    """The union, each member once and None last."""
    parts = dict.fromkeys(part for kind in kinds for part in _members(kind))
    return " | ".join(sorted(parts, key=lambda part: part == "None"))


def _members(kind: str) -> Iterator[str]:
    """Members of a union; bars inside of brackets belong to one."""
    depth = start = 0
    for here, letter in enumerate(kind):
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and not depth:
            yield kind[start:here].strip()
            start = here + 1
    yield kind[start:].strip()


def _stub() -> str:
    notation, parts = _Notation(), []
    for name, model in FUNCTIONS.items():
        function = getattr(keywords, name)
        arguments = []
        for parameter in inspect.signature(function).parameters.values():
            field = model.model_fields[parameter.name]
            kind = notation.given(field.annotation, field.metadata)
            default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
            if parameter.default is Ellipsis:
                default = " = ..."
            if parameter.kind is parameter.KEYWORD_ONLY and "*" not in arguments:
                arguments.append("*")
            arguments.append(f"{parameter.name}: {kind}{default}")
        written = "".join(f"    {argument},\n" for argument in arguments).replace("'", '"')
        doc = textwrap.indent(inspect.getdoc(function) or "", "    ").strip()
        parts.append(f'def {name}(\n{written}) -> {notation.use(model)}:\n    """{doc}\n    """\n')
    notation.imports["mesonet.scenario.options"] = set(notation.tables)
    head = '"""Scenarios from keywords. Written by tools/keyword_stubs.py; do not edit."""'
    return "\n\n".join([head, notation.lines(), *parts]).rstrip() + "\n"


def _options() -> str:
    outside = _Notation()
    for model in MODELS:
        for field in model.model_fields.values():
            outside.given(field.annotation, field.metadata)
    notation, written, todo = _Notation(), {}, dict(outside.tables)
    while todo:
        name, model = todo.popitem()
        written[name] = _table(name, model, notation)
        todo |= {key: it for key, it in notation.tables.items() if key not in written}
    notation.imports.setdefault("typing", set()).update(("Required", "TypedDict"))
    head = (
        '"""Tables inside of scenarios as typed dictionaries, for annotations.\n\n'
        'Written by tools/keyword_stubs.py; do not edit.\n"""'
    )
    future = "from __future__ import annotations"
    body = [written[name] for name in sorted(written)]
    return "\n\n".join([head, future, notation.lines()]) + "\n\n" + "\n".join(body)


def _table(name: str, model: type[BaseModel], notation: _Notation) -> str:
    lines = [
        f"\nclass {name}(TypedDict, total=False):",
        f'    """Fields of `{model.__name__}`."""',
        "",
    ]
    for text in field_texts(model):
        field = model.model_fields[text.name]
        kind = notation.given(field.annotation, field.metadata)
        lines.append(f"    {text.name}: {f'Required[{kind}]' if field.is_required() else kind}")
        lines.append(textwrap.indent(textwrap.fill(f'"""{text.meaning}"""', _WIDTH), "    "))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
