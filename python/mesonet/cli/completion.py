"""Names that the shell completes: algorithms, queue disciplines, profiles, studies."""

from __future__ import annotations

from collections.abc import Callable


def _completion(kind: str, *, several: bool = False) -> Callable[[str], list[str]]:
    """Completes names of a kind, as `mesonet list` has them, perhaps of a list with commas."""

    def complete(incomplete: str) -> list[str]:
        from mesonet.cli.names import ROWS

        before, comma, _ = incomplete.rpartition(",") if several else ("", "", "")
        names = (f"{before}{comma}{row['name']}" for row in ROWS[kind]())
        return [name for name in names if name.startswith(incomplete)]

    return complete


algorithms = _completion("algorithms")
several_algorithms = _completion("algorithms", several=True)
disciplines = _completion("queues", several=True)
profiles = _completion("profiles")
studies = _completion("studies")
