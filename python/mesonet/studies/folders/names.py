"""Names in braces inside the texts of a study: `{value}`, `{path.title}`, `{total:,.0f}`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Any

from mesonet.errors import did_you_mean

_ALONE = re.compile(r"\{([^{}:!]+)\}")


class UnknownNameError(ValueError):
    """A name in braces that nothing stands for."""


class _Names(Formatter):
    """Resolves `a.b` by keys of tables and never by attributes."""

    def get_field(
        self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[Any, str]:
        del args
        found: Any = kwargs
        for part in field_name.split("."):
            if not isinstance(found, Mapping) or part not in found:
                known = found if isinstance(found, Mapping) else ()
                hint = did_you_mean(part, map(str, known))
                message = f'"{{{field_name}}}" stands for nothing{hint}'
                if not hint and known:
                    message += f"; known are {', '.join(map(str, known))}"
                raise UnknownNameError(f"{message}; braces that are meant are doubled")
            found = found[part]
        return found, field_name


def filled(value: Any, names: Mapping[str, Any]) -> Any:
    """Plain data with the names in its texts replaced; a text that is one name keeps its type.

    Raises:
        UnknownNameError: a name stands for nothing.
        ValueError: braces do not match, or a format does not fit its value.

    Examples:
        >>> filled({"high": "{room}", "text": "below {room:.1f}"}, {"room": 99})
        {'high': 99, 'text': 'below 99.0'}
    """
    if isinstance(value, str):
        if match := _ALONE.fullmatch(value):
            return _Names().get_field(match[1], (), names)[0]
        return _Names().vformat(value, (), names)
    if isinstance(value, Mapping):
        return {str(filled(key, names)): filled(entry, names) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [filled(entry, names) for entry in value]
    return value
