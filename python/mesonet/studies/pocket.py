"""The study of `make demo`: three algorithms on a small national network, with a report."""

from __future__ import annotations

from collections.abc import Mapping

from mesonet.studies.plans import study_plan
from mesonet.studies.study import Options, Prepared, Study


def _prepare(options: Options) -> Prepared:
    return Prepared(plans={"": study_plan("pocket", options)})


STUDIES: Mapping[str, Study] = {
    "pocket": Study(
        name="pocket",
        title="Three congestion-control algorithms on a national network",
        question=(
            "How do Reno, Scalable TCP and Compound TCP differ when all sources of a national "
            "network use the same one, under 32 conditions?"
        ),
        source="NIST SP 500-282, Experiment 1b at a tenth of its size",
        sizes={"pocket": "96 runs of 75 simulated seconds, 1,746 or 2,780 sources"},
        prepare=_prepare,
    )
}
