"""What is refused, by place and kind."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from mesonet.errors import InputError


@contextmanager
def refused(
    error: type[InputError], *problems: tuple[str, str]
) -> Iterator[pytest.ExceptionInfo[InputError]]:
    """Expects an error with exactly these problems, a place and a kind each."""
    with pytest.raises(error) as caught:
        yield caught
    assert [(problem.loc, problem.kind) for problem in caught.value.problems] == list(problems)
