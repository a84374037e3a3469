"""The study of the two-flow bench."""

from __future__ import annotations

from collections.abc import Mapping

from mesonet.studies.bench_options import chosen_algorithms, chosen_seed
from mesonet.studies.study import Options, Prepared, RunResults, Study, StudyOutput
from mesonet.studies.two_flow.claims import ALGORITHMS, CLAIMS, PAPER_BIC
from mesonet.studies.two_flow.runs import PARAMETERS, two_flow_items


def _prepare(options: Options) -> Prepared:
    own = [*ALGORITHMS.values(), *([] if options.size == "pocket" else [PAPER_BIC])]
    algorithms = chosen_algorithms(options, own, every=True)
    seed = chosen_seed(options)

    def evaluate(run_results: RunResults) -> StudyOutput:
        from mesonet.studies.two_flow.page import claimed_figures, sections

        figures = STUDY.unmeasured() | claimed_figures(run_results.results)
        page = sections(run_results.results, size=options.size, algorithms=algorithms)
        return StudyOutput(figures, page, {"Algorithms": str(len(algorithms))})

    given = {
        f"Parameters of {name}": ", ".join(f"{key} = {value:g}" for key, value in values.items())
        for name, values in PARAMETERS.items()
        if name in algorithms
    }
    return Prepared(
        evaluate,
        two_flow_items(options.size, algorithms, seed=seed),
        settings=_SETTINGS | given | {"Seed": f"{seed}; nothing here is random but algorithms"},
    )


_SETTINGS = {
    "Bottleneck": "an access router that forwards 21 packets/ms, drop-tail; its buffer is a fifth "
    "of what the path holds (680 packets at 162 ms)",
    "Hosts": "80 packets/ms; every segment is acknowledged, and acknowledgements cost the router "
    "nothing",
    "Flows": "red from 0 s, blue from 250 s, both without limit until 1000 s; initial window 2 "
    "segments",
    "Averages": "the paper does not say from when its averages count; here they count from 0 s",
    "Bench": "NIST SP 500-282 (2010), section 5.4",
}

STUDY = Study(
    name="two-flow",
    title="Two flows, one bottleneck",
    question=(
        "Red has the path for itself for 250 s, then blue joins. Does each algorithm use the "
        "path, and do they share it as published?"
    ),
    source="K. Mills et al., the methodology paper of NIST SP 500-282, sections 3 and 4, "
    "figures 3 and 17 to 23",
    sizes={
        "pocket": "the published setting, 162 ms without an initial threshold, for the eight "
        "algorithms of the source",
        "desk": "42, 162 and 324 ms, with and without an initial threshold of 100 segments, for "
        "the algorithms of the source and BIC with the constants of its paper",
        "full": "the settings of desk for every built-in algorithm and named parameter set",
    },
    prepare=_prepare,
    claims=CLAIMS,
)

STUDIES: Mapping[str, Study] = {STUDY.name: STUDY}
