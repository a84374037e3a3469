"""The study of response functions."""

from __future__ import annotations

from collections.abc import Mapping

from mesonet.errors import PlanError, Problem, did_you_mean
from mesonet.studies.bench_options import chosen_algorithms, chosen_seed
from mesonet.studies.response_function.claims import CLAIMS, claimed_figures
from mesonet.studies.response_function.curves import CURVES
from mesonet.studies.response_function.runs import response_items
from mesonet.studies.study import Options, Prepared, RunResults, Study, StudyOutput


def _prepare(options: Options) -> Prepared:
    known = list(dict.fromkeys(curve.algorithm for curve in CURVES))
    algorithms = chosen_algorithms(options, known)
    unknown = [name for name in algorithms if name not in known]
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
    seed = chosen_seed(options)

    def evaluate(run_results: RunResults) -> StudyOutput:
        from mesonet.studies.response_function.page import sections

        figures = STUDY.unmeasured() | claimed_figures(run_results.results)
        return StudyOutput(figures, sections(run_results.results))

    return Prepared(
        evaluate,
        response_items(options.size, algorithms, seed=seed),
        settings=_SETTINGS | {"Seed": str(seed)},
    )


_SETTINGS = {
    "Path": "one flow without limit, 100 million packets/s, a round trip of 100 or 10 ms, no "
    "queue; every segment is acknowledged",
    "Losses": "each segment is lost with probability p, whatever became of the others",
    "Mean window": "over time, after the first tenth of a run; slow start ends at the published "
    "window",
}

STUDY = Study(
    name="response-function",
    title="Response functions",
    question="Does the mean window of each algorithm fall with the loss probability as published?",
    source="RFC 3649, RFC 9438, Mathis et al. 1997, Kelly 2003, draft-sridharan-tcpm-ctcp-02, "
    "draft-leith-tcp-htcp-06",
    sizes={
        "pocket": "loss probabilities of 1e-2, 1e-3 and 1e-4, with 500 losses each",
        "desk": "1e-2 to 1e-4 with 2000 losses each, and 1e-5 with 500",
        "full": "the same, and 1e-6 with 300 losses",
    },
    prepare=_prepare,
    claims=CLAIMS,
)

STUDIES: Mapping[str, Study] = {STUDY.name: STUDY}
