"""The study `rtt-fairness`: table 12 of the slides for any algorithms; `hcc` scores it."""

from __future__ import annotations

from collections.abc import Mapping

from mesonet.studies.bench_options import chosen_algorithms, chosen_seed
from mesonet.studies.hcc.fairness import EQUAL, RATIOS, fairness_items
from mesonet.studies.hcc.scenarios import DURATION, HIGH_SPEED, PARAMETERS, PROTOCOLS
from mesonet.studies.study import Options, Prepared, RunResults, Study, StudyOutput

_POCKET = 60.0
"""Simulated time at pocket size [s]."""


def _prepare(options: Options) -> Prepared:
    own = [PROTOCOLS[label] for label in HIGH_SPEED]
    algorithms = chosen_algorithms(options, own, every=True)
    seed = chosen_seed(options)
    pocket = options.size == "pocket"
    items = fairness_items(
        algorithms,
        ratios=(2.0,) if pocket else (EQUAL, *RATIOS),
        duration=_POCKET if pocket else DURATION,
        seed=seed,
    )

    def evaluate(run_results: RunResults) -> StudyOutput:
        from mesonet.studies.hcc.fairness_page import fairness_sections

        return StudyOutput({}, fairness_sections(run_results.results, algorithms))

    given = {
        f"Parameters of {name}": ", ".join(f"{key} = {value:g}" for key, value in values.items())
        for name, values in PARAMETERS.items()
        if name in algorithms
    }
    return Prepared(evaluate, items, settings=_SETTINGS | given | {"Seed": str(seed)})


_SETTINGS = {
    "Link": "200 Mbit/s, drop-tail, 600 or 2000 packets of 1000 bytes in each direction; xcp and "
    "vcp have routers that speak their protocols",
    "Flows": "two, without limit, from 0 s; 40 ms, and 40 ms times the ratio; every segment is "
    "acknowledged",
    "Verdicts": "the study hcc scores what is published for its seven protocols",
}

STUDY = Study(
    name="rtt-fairness",
    title="RTT fairness",
    question="How do two flows of one algorithm share a link when their round-trip times differ?",
    source="Slides on HCC TCP (M. Skala, 2011, after W. Xu et al., JNCA 2011), figure 12",
    sizes={
        "pocket": "ratio 2, both buffers, 60 s instead of 300 s, the seven protocols of the source",
        "desk": "ratios 1, 1.5, 2 and 6, both buffers, 300 s, the seven protocols of the source",
        "full": "ratios 1, 1.5, 2 and 6, both buffers, 300 s, every built-in algorithm and named "
        "parameter set",
    },
    prepare=_prepare,
)

STUDIES: Mapping[str, Study] = {STUDY.name: STUDY}
