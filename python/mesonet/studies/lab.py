"""The studies that are benches rather than plans, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mesonet.controller import built_in
from mesonet.errors import PlanError, Problem, did_you_mean
from mesonet.studies.bench import Item, Measured, measure_all
from mesonet.workers import Progress

Size = Literal["pocket", "full"]
SIZES: tuple[Size, ...] = ("pocket", "full")
"""Minutes, and everything."""


def default_algorithms(size: Size, published: Iterable[str]) -> list[str]:
    """All built-in algorithms and their named parameter sets in full, else those with a source."""
    registered = [info.name for info in built_in()]
    return registered if size == "full" else [name for name in published if name in registered]


@dataclass(frozen=True)
class Bench:
    """The runs of a study, and what makes its page of their results.

    `write` is given what was measured and the folder, and returns the path of the page.
    """

    items: list[Item]
    write: Callable[[Measured, Path], Path]


@dataclass(frozen=True)
class LabStudy:
    """Flows over one bottleneck, for any set of algorithms."""

    name: str
    summary: str
    source: str
    bench: Callable[[Size, list[str] | None], Bench]
    """The bench of a size, for some algorithms or for the size's own."""

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
        bench = self.bench(size, None if algorithms is None else list(dict.fromkeys(algorithms)))
        measured = measure_all(bench.items, out=out, workers=workers, progress=progress)
        return bench.write(measured, Path(out)), measured.failures


# The studies, and the drawing libraries of their pages, are imported when they are asked for.


def _two_flow(size: Size, algorithms: list[str] | None) -> Bench:
    from mesonet.studies.published import ALGORITHMS
    from mesonet.studies.two_flow import two_flow_items

    chosen = default_algorithms(size, ALGORITHMS.values()) if algorithms is None else algorithms

    def write(measured: Measured, folder: Path) -> Path:
        from mesonet.studies.two_flow_page import write_two_flow_page

        return write_two_flow_page(
            measured.results,
            measured.failures,
            size=size,
            algorithms=chosen,
            out=folder / "two-flow.html",
        )

    return Bench(two_flow_items(size, chosen), write)


def _response_function(size: Size, algorithms: list[str] | None) -> Bench:
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
    return Bench(
        response_items(size, chosen),
        lambda measured, folder: write_response_pages(measured.results, folder),
    )


def _rtt_fairness(size: Size, algorithms: list[str] | None) -> Bench:
    from mesonet.studies.rtt_fairness import ALGORITHMS, fairness_items, write_fairness_pages

    chosen = default_algorithms(size, ALGORITHMS.values()) if algorithms is None else algorithms
    return Bench(
        fairness_items(size, chosen),
        lambda measured, folder: write_fairness_pages(measured.results, chosen, folder),
    )


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
