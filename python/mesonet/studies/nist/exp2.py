"""Experiment 2: seven alternate algorithms, each mixed with Reno, on a national network."""

from __future__ import annotations

from collections.abc import Mapping

from mesonet.studies.nist.exp2_plan import plan_of
from mesonet.studies.study import Options, Prepared, Study


def _study(name: str) -> Study:
    def prepare(options: Options) -> Prepared:
        return Prepared(plans={"": plan_of(name, options)})

    return Study(
        name=name,
        title=name,
        question="",
        source="NIST SP 500-282",
        sizes={"pocket": "", "desk": "", "full": ""},
        prepare=prepare,
    )


STUDIES: Mapping[str, Study] = {name: _study(name) for name in ("nist-2a", "nist-2b", "nist-2c")}
