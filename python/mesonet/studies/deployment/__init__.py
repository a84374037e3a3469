"""Effects of the deployment of a new algorithm: the study `deployment-mix`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from mesonet.plan import Plan
from mesonet.studies.bench import Results
from mesonet.studies.deployment.bottleneck import EXTENTS as BOTTLENECKS
from mesonet.studies.deployment.bottleneck import FLOWS, bottleneck_items, face, play
from mesonet.studies.deployment.claims import CLAIMS, NEEDS, figures
from mesonet.studies.deployment.cohorts import together
from mesonet.studies.deployment.mixes import (
    EXTENTS,
    Mix,
    chosen,
    condition_names,
    mix_items,
    mix_plan,
    mixes,
    run_name,
)
from mesonet.studies.deployment.outcomes import outcomes, over_replicates
from mesonet.studies.study import Options, Prepared, RunResults, Study, StudyOutput


def _prepare(options: Options) -> Prepared:
    names = chosen(options.algorithms)
    incumbent, *newcomers = names
    steps = mixes(names, EXTENTS[options.size].percents)
    plan = mix_plan(options, steps)
    conditions = condition_names(plan)
    extent = BOTTLENECKS[options.size]
    # Publications speak of BBR version 1 most of all.
    published = [name for name in NEEDS if options.algorithms is None and name not in names]
    rivalling = [*newcomers, *published]

    def evaluate(run_results: RunResults) -> StudyOutput:
        from mesonet.studies.deployment.page import sections
        from mesonet.studies.deployment.page_context import PageContext

        results = run_results.results
        cells = {"conditions": conditions, "replicates": plan.replicates}
        played = play(results, incumbent, rivalling, extent)
        single = face(results, rivalling, extent)
        found = outcomes(results, steps, **cells)  # type: ignore[arg-type]
        measured = STUDY.unmeasured()
        if incumbent == "cubic":
            measured |= figures(played, single)
        context = PageContext(
            incumbent,
            newcomers,
            conditions,
            plan.replicates,
            found,
            _together(results, steps, conditions, plan.replicates),
            played,
            single,
        )
        facts = {
            "Incumbent": incumbent,
            "Newcomers": ", ".join(newcomers),
            "Conditions": f"{len(conditions)}",
            "Replicates": f"{plan.replicates}",
        }
        return StudyOutput(measured, sections(context), facts)

    items = [*mix_items(plan), *bottleneck_items(incumbent, rivalling, extent)]
    return Prepared(evaluate, items=items, settings=_settings(options, names, plan))


def _together(
    results: Results, steps: Sequence[Mix], conditions: Mapping[int, str], replicates: int
) -> pl.DataFrame:
    """Intervals of goodput ratios where all algorithms have equal shares; empty without such."""
    alone = steps[0].label
    parts = []
    for mix in steps:
        if mix.newcomer is None and len(mix.shares) > 1:
            for condition in conditions:
                for replicate in range(1, replicates + 1):
                    names = [run_name(label, condition, replicate) for label in (alone, mix.label)]
                    if all(name in results for name in names):
                        found = together(*(results[name] for name in names))
                        parts.append(
                            found.with_columns(
                                pl.lit(condition, dtype=pl.Int64).alias("condition"),
                                pl.lit(replicate).alias("replicate"),
                            )
                        )
    if not parts:
        return pl.DataFrame()
    frame = pl.concat(parts).rename({"goodput": "value"})
    return over_replicates(frame, ["condition", "algorithm", "file"])


def _settings(options: Options, names: Sequence[str], plan: Plan) -> dict[str, str]:
    extent = EXTENTS[options.size]
    shares = ", ".join(map(str, extent.percents))
    return {
        "Command": f"mesonet study deployment-mix --size {options.size} --algorithms "
        f"{','.join(names)} --seed {plan.seed} --replicates {plan.replicates}",
        "Shares": f"{shares} % of all sources",
        "Network": "Abilene and its access tiers as in NIST SP 500-282, Experiment 1b, scaled by "
        f"{extent.scale:g}; traffic without large files and long-lived flows; Linux's transport",
        "Who switches": "a source draws one number whatever the mix; a larger share only converts",
        "Files": "Web objects of 50 segments on average, a tenth of them ten times, a hundredth "
        "a hundred times as long; NIST's factor of 1,000 would outlast a run",
        "Conditions": "network speeds of 800 and 2,000 packets/ms before scaling; buffers of the "
        "mean round-trip time times the speed, or that over the root of the number of hosts",
        "One bottleneck": f"{FLOWS} flows, 50 Mbit/s, 40 ms, buffers of "
        f"{', '.join(map(str, BOTTLENECKS[options.size].buffers))} BDP, "
        f"{BOTTLENECKS[options.size].replicates} replicates that differ in the order of starts",
    }


STUDY = Study(
    name="deployment-mix",
    title="A new algorithm is deployed",
    question=(
        "Who gains and who loses while a new congestion control replaces an incumbent, source by "
        "source, from 0 to 100 %, on a national network?"
    ),
    source="ours; RFC 9743 asks for it (sections 5.1.2, 5.1.3, 5.2 and 5.3.2); published "
    "findings on CUBIC and BBR as the scorecard says",
    sizes={
        "pocket": "1,112 sources, 30 simulated seconds, four shares, four conditions, three "
        "replicates; ten flows at one bottleneck for two minutes; under a minute",
        "desk": "2,780 sources, 90 simulated seconds, seven shares, four conditions, four "
        "replicates; ten flows at one bottleneck for five minutes; about 10 minutes on two cores",
        "full": "27,800 sources, 300 simulated seconds, seven shares, four conditions, ten "
        "replicates; ten flows at one bottleneck for ten minutes; about 8 hours on two cores",
    },
    prepare=_prepare,
    claims=CLAIMS,
)

STUDIES: Mapping[str, Study] = {STUDY.name: STUDY}
