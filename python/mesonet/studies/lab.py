"""The studies that are benches rather than plans, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mesonet.workers import Progress

Size = Literal["pocket", "full"]
SIZES: tuple[Size, ...] = ("pocket", "full")
"""Minutes, and everything."""

_Runner = Callable[
    [Size, "list[str] | None", Path, "int | None", "Callable[[Progress], None] | None"],
    tuple[Path, Mapping[str, str]],
]


@dataclass(frozen=True)
class LabStudy:
    """Flows over one bottleneck, for any set of algorithms."""

    name: str
    summary: str
    source: str
    runner: _Runner

    def run(
        self,
        *,
        out: str | Path,
        size: Size = "pocket",
        algorithms: Iterable[str] | None = None,
        workers: int | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> tuple[Path, Mapping[str, str]]:
        """Executes or resumes the study in a folder and writes its page there.

        Args:
            out: the folder; made if it does not exist.
            size: how much of it.
            algorithms: names; by default those that the size has.
            workers: processes; by default one per core.
            progress: called with how far the study is.

        Returns:
            The path of the page, and the errors of the runs that failed, by name.

        Raises:
            ScenarioError: an algorithm does not exist; nothing is run then.
            CampaignError: the folder cannot be used.
        """
        chosen = None if algorithms is None else list(dict.fromkeys(algorithms))
        return self.runner(size, chosen, Path(out), workers, progress)


def _two_flow(
    size: Size,
    algorithms: list[str] | None,
    out: Path,
    workers: int | None,
    progress: Callable[[Progress], None] | None,
) -> tuple[Path, Mapping[str, str]]:
    from mesonet.studies.bench import measure_all
    from mesonet.studies.two_flow import default_algorithms, two_flow_items

    chosen = default_algorithms(size) if algorithms is None else algorithms
    items = two_flow_items(size, chosen)
    measured = measure_all(items, out=out, workers=workers, progress=progress)
    # The page brings its drawing libraries, which no run needs.
    from mesonet.studies.two_flow_page import write_two_flow_page

    page = write_two_flow_page(
        measured.results,
        measured.failures,
        size=size,
        algorithms=chosen,
        out=out / "two-flow.html",
    )
    return page, measured.failures


def _response_function(
    size: Size,
    algorithms: list[str] | None,
    out: Path,
    workers: int | None,
    progress: Callable[[Progress], None] | None,
) -> tuple[Path, Mapping[str, str]]:
    from mesonet.errors import PlanError, Problem, did_you_mean
    from mesonet.studies.bench import measure_all
    from mesonet.studies.response_function import response_items, write_response_pages
    from mesonet.studies.response_rules import CURVES

    known = list(dict.fromkeys(curve.algorithm for curve in CURVES))
    chosen = known if algorithms is None else algorithms
    unknown = [name for name in chosen if name not in known]
    if unknown:
        raise PlanError(
            Problem(
                "algorithms",
                "unknown_algorithm",
                f'expected {", ".join(known)}; no published response function of "{name}"'
                f"{did_you_mean(name, known)}",
            )
            for name in unknown
        )
    measured = measure_all(
        response_items(size, chosen), out=out, workers=workers, progress=progress
    )
    return write_response_pages(measured.results, out), measured.failures


def _rtt_fairness(
    size: Size,
    algorithms: list[str] | None,
    out: Path,
    workers: int | None,
    progress: Callable[[Progress], None] | None,
) -> tuple[Path, Mapping[str, str]]:
    from mesonet.studies.bench import measure_all
    from mesonet.studies.rtt_fairness import (
        default_algorithms,
        fairness_items,
        write_fairness_pages,
    )

    chosen = default_algorithms(size) if algorithms is None else algorithms
    items = fairness_items(size, chosen)
    measured = measure_all(items, out=out, workers=workers, progress=progress)
    return write_fairness_pages(measured.results, chosen, out), measured.failures


_ALL = (
    LabStudy(
        "two-flow",
        "windows, queue and shares of one flow, then two, beside the published figures",
        "NIST SP 500-282, section 5.4",
        _two_flow,
    ),
    LabStudy(
        "response-function",
        "mean window under random loss beside the published response functions",
        "RFC 3649, RFC 9438, and the papers of the algorithms",
        _response_function,
    ),
    LabStudy(
        "rtt-fairness",
        "efficiency and Jain's index of two flows whose round-trip times differ",
        "slides on HCC TCP, after L. Xu et al., JNCA 2011",
        _rtt_fairness,
    ),
)

LAB_STUDIES: Mapping[str, LabStudy] = {study.name: study for study in _ALL}
"""All of them by name."""
