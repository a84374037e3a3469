"""What is refused, by place and kind."""

from contextlib import contextmanager

import pytest


@contextmanager
def refused(error, *problems):
    """Expects an error with exactly these problems, a place and a kind each."""
    with pytest.raises(error) as caught:
        yield caught
    assert [(problem.loc, problem.kind) for problem in caught.value.problems] == list(problems)
