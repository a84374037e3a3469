"""The study `hcc`."""

from __future__ import annotations

from collections.abc import Mapping

from mesonet.studies.bench_options import chosen_algorithms, chosen_seed
from mesonet.studies.hcc.claims import CLAIMS
from mesonet.studies.hcc.figures import claimed_figures
from mesonet.studies.hcc.runs import GRIDS, REVERSE_FLOWS, items
from mesonet.studies.hcc.scenarios import HIGH_SPEED, PARAMETERS, PROTOCOLS
from mesonet.studies.study import Options, Prepared, RunResults, Study, StudyOutput


def _prepare(options: Options) -> Prepared:
    grid = GRIDS[options.size]
    algorithms = chosen_algorithms(options, PROTOCOLS.values())
    # Figure 12 has no Reno and no Vegas.
    table = [PROTOCOLS[label] for label in HIGH_SPEED]
    table = table if options.algorithms is None else algorithms
    seed = chosen_seed(options)

    def evaluate(run_results: RunResults) -> StudyOutput:
        from mesonet.studies.hcc.page import sections

        results = run_results.results
        figures = STUDY.unmeasured() | claimed_figures(results, grid)
        return StudyOutput(figures, sections(results, grid, algorithms, table))

    given = {
        f"Parameters of {name}": ", ".join(f"{key} = {value:g}" for key, value in values.items())
        for name, values in PARAMETERS.items()
        if name in algorithms
    }
    runs = items(options.size, algorithms, table, seed=seed)
    return Prepared(evaluate, runs, settings=_SETTINGS | given | {"Seed": str(seed)})


_SETTINGS = {
    "Link": "200 Mbit/s (fig. 15: 1 Gbit/s), drop-tail, packets of 1000 bytes, the same buffer in "
    "each direction; acknowledgements of 40 bytes cross the reverse one",
    "Round trip": "40 ms where the slides print none, twice the 20 ms of the shared link; 120 ms "
    "in fig. 11. The section on interpretations has 20 and 120 ms",
    "Starts": "all flows at 0 s; the section on interpretations has later ones",
    "Acknowledgements": "of every segment, as ns-2's receivers do by default",
    "Reverse traffic": f"{REVERSE_FLOWS} Reno flows without limit, or a constant rate; the slides "
    "do not say of which kind theirs is",
}

STUDY = Study(
    name="hcc",
    title="Seven high-speed protocols over one link",
    question=(
        "How do HCC and the protocols that it is compared with fare with buffers, random losses, "
        "different round-trip times, Reno and reverse traffic?"
    ),
    source="M. Skala, slides “Hybrid congestion control for high-speed networks”, Masaryk "
    "University, 2011, after W. Xu et al., JNCA 2011 (ns-2)",
    sizes={
        "pocket": "every figure with few points, 50 s instead of 300 s; the table of RTT fairness "
        "with 150 s",
        "desk": "every figure, 100 s instead of 300 s; the table of RTT fairness with 300 s as "
        "published; and other interpretations of what the slides leave open",
        "full": "300 s as published everywhere, with more points",
    },
    prepare=_prepare,
    claims=CLAIMS,
)

STUDIES: Mapping[str, Study] = {STUDY.name: STUDY}
