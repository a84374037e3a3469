"""Preparation of the four studies: their runs, and the scorecard under other variants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from mesonet.studies.bench import Measure
from mesonet.studies.page import Section
from mesonet.studies.rules import Figures
from mesonet.studies.scorecard import Claim
from mesonet.studies.slac.paths import (
    BASE,
    SENSITIVITY,
    Path,
    PathTest,
    TestExtent,
    seeds,
    sensitivity_variants,
    study_items,
)
from mesonet.studies.slac.samples import Samples
from mesonet.studies.slac.settings import settings
from mesonet.studies.study import Options, Prepared, RunResults, StudyOutput

ToSections = Callable[[Samples, Sequence[PathTest]], list[Section]]


@dataclass(frozen=True)
class Bench:
    """One of the studies.

    Attributes:
        study: Name of the study.
        claims: Claims that its figures decide.
        paths: Paths that its tests use.
        measure: Function that reduces a run to the numbers that are stored.
        figures: Function that computes the figures of the measured tests.
        page: Function that returns the maker of the sections for some algorithms; called only when
            there is a page, for it brings drawing libraries.
        interpretations: Figures under other interpretations of the source, by their names.
    """

    study: str
    claims: Sequence[Claim]
    paths: Sequence[Path]
    measure: Measure
    figures: Callable[[Samples], Figures]
    page: Callable[[Sequence[str]], ToSections]
    interpretations: Mapping[str, Callable[[Samples], Figures]] = field(default_factory=dict)

    def prepare(
        self,
        options: Options,
        tests: Sequence[PathTest],
        algorithms: Sequence[str],
        *,
        extent: TestExtent,
        repeats: Mapping[str, int] | None = None,
        more: Mapping[str, str] | None = None,
    ) -> Prepared:
        """The study at one size.

        Args:
            options: Options of the study.
            tests: Tests in the order of the page.
            algorithms: Algorithms that are tested.
            extent: Extent under the study's own variant.
            repeats: Repeats under that variant, by the label of the test; others have the extent's.
            more: Settings of its own, by name.
        """
        most = max([extent.repeats, *(repeats or {}).values()])

        def evaluate(run_results: RunResults) -> StudyOutput:
            own = seeds(options, extent, repeats=most)
            samples = Samples.of(run_results.results, tests, BASE, own)
            sections = self.page(algorithms)(samples, tests)
            if options.size != "pocket":
                sections.append(self._other_variants(run_results, tests, options, samples))
            return StudyOutput(self.figures(samples), sections)

        return Prepared(
            evaluate,
            items=study_items(tests, options, self.measure, extent=extent, repeats=repeats),
            settings={**settings(self.paths, options, extent), **(more or {})},
        )

    def _other_variants(
        self, run_results: RunResults, tests: Sequence[PathTest], options: Options, samples: Samples
    ) -> Section:
        from mesonet.studies.slac.pages import sensitivity, sensitivity_section

        one = seeds(options, SENSITIVITY)[:1]
        cards = [
            (variant.title, self.figures(Samples.of(run_results.results, tests, variant, one)))
            for variant in sensitivity_variants()
        ]
        cards += [
            (interpretation, figures(samples))
            for interpretation, figures in self.interpretations.items()
        ]
        return sensitivity_section(sensitivity(self.study, self.claims, cards))
