"""Options of benches: the algorithms and the seed that are asked for."""

from __future__ import annotations

from collections.abc import Iterable

from mesonet.controller import built_in
from mesonet.errors import PlanError, Problem
from mesonet.studies.study import Options


def chosen_algorithms(options: Options, own: Iterable[str], *, every: bool = False) -> list[str]:
    """Names of the algorithms of a bench, each once.

    Args:
        options: options of the study; its algorithms come first of all.
        own: algorithms of the study itself.
        every: true to take every built-in algorithm and named parameter set at full size instead.

    Raises:
        PlanError: an empty list is asked for.
    """
    if options.algorithms is not None:
        if not options.algorithms:
            message = "expected at least one algorithm, got none"
            raise PlanError([Problem("algorithms", "empty", message)])
        return list(dict.fromkeys(options.algorithms))
    if every and options.size == "full":
        return [info.name for info in built_in()]
    return list(dict.fromkeys(own))


def chosen_seed(options: Options) -> int:
    """The seed of every run of a bench, 1 if none is asked for.

    Raises:
        PlanError: replicates are asked for; a bench has one run of each.
    """
    if options.replicates not in (None, 1):
        message = (
            f"expected 1, got {options.replicates}: a bench has one run of each; "
            "use other seeds, each in a folder of its own"
        )
        raise PlanError([Problem("replicates", "unknown_option", message)])
    return 1 if options.seed is None else options.seed
