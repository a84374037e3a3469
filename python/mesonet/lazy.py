"""Packages whose names are imported when they are first used."""

from __future__ import annotations

# As `typing.TYPE_CHECKING`, whose import would take most of the time of `import mesonet`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def lazily(package: str, names: Mapping[str, str]) -> tuple[Callable[[str], Any], list[str]]:
    """Makes `__getattr__` and `__all__` of a package, so that a process loads what it needs.

    `names` are those that each module defines, with spaces between; a module is named from the
    package, and with a dot in front from the one around it.
    """
    modules = {name: module for module, listed in names.items() for name in listed.split()}

    def __getattr__(name: str) -> Any:  # noqa: N807 - it becomes that of the package
        if name not in modules:
            from mesonet.errors import did_you_mean

            hint = "" if name.startswith("_") else did_you_mean(name, modules)
            raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
        import sys
        from importlib import import_module

        value = getattr(import_module(f".{modules[name]}", package), name)
        setattr(sys.modules[package], name, value)
        return value

    return __getattr__, sorted(modules)
