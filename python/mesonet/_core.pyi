"""
The simulator core of mesonet; private, use the package.
"""

from _typeshed import Incomplete
from typing import Any, Final, SupportsIndex
RESULT_VERSION: Final[str]

def algorithms() -> list:
    """
    The congestion-control algorithms that can be named, with their parameters.
    """

def check(spec_json: str) -> list[tuple[str, str, str]]:
    """
    Problems of a resolved scenario as (loc, kind, message); empty if it can be run.
    """

def run(spec_json: str, seed: SupportsIndex, threads: SupportsIndex = 1, progress: Any | None = None) -> dict:
    """
    Run a resolved scenario and return its measurements.
    """

def __getattr__(name: str) -> Incomplete: ...
