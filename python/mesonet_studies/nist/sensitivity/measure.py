"""Effects of twenty factors: runs of the experiment and parts of its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from statistics import fmean
from typing import Any

import polars as pl

from mesonet import figures as drawn
from mesonet.errors import PlanError, Problem
from mesonet.figures import Look, Names
from mesonet.numbers import number, percent, probability
from mesonet.page.tables import Format, Table, fixed, rows_table
from mesonet.plan import Plan
from mesonet.scenario.internet import Internet
from mesonet.scenario.tiers import class_counts
from mesonet.scenario.topology import load_topology
from mesonet.studies import Options, RunResults, chart, table, value
from mesonet.studies.study import Noted
from mesonet_studies.nist.network import processor_hours
from mesonet_studies.nist.sensitivity import charts
from mesonet_studies.nist.sensitivity.findings import (
    ALTERNATE,
    FACTORS,
    PERIOD,
    RESPONSES,
    SAMPLE,
    TABLE_7,
    Findings,
    effects_in,
    figures,
    findings,
    heading,
    number_of,
    rows_of,
)

__all__ = ["figures", "findings"]

FULL_DURATION = 1500
"""The shorter simulated time of the published experiment [s]."""


def with_algorithms(table: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The plan with one algorithm in the place of Compound TCP."""
    if len(names) != 1 or names[0] == "reno":
        message = (
            "expected one algorithm other than reno, to take the place of Compound TCP in the mix "
            f"with standard TCP, got {', '.join(names) or 'none'}"
        )
        raise PlanError([Problem("algorithms", "count", message)])
    if names[0] == ALTERNATE:
        return table
    mix = dict(table["factors"]["mix"], label=f"Share of {names[0]} (X15)")
    for level in ("low", "high"):
        mix[level] = {"reno": mix[level]["reno"], names[0]: mix[level][ALTERNATE]}
    responses = [name.replace(f":{ALTERNATE}", f":{names[0]}") for name in table["responses"]]
    return {**table, "factors": {**table["factors"], "mix": mix}, "responses": responses}


def settings(options: Options) -> Mapping[str, str]:
    """Settings that follow the options."""
    mix = (
        f"standard TCP and {options.chosen[0]}, .8/.2 and .2/.8; long-lived flows use standard TCP"
    )
    facts = {} if options.seed is None else {"Seed": f"{options.seed}, the same for all conditions"}
    return {"Mix": mix, **facts}


def compared(run: RunResults) -> Mapping[str, object]:
    """Columns of the table of variants."""
    figures = run.figures
    same = sum((figures[row["id"]] > 0) == (row["sign"] == "+") for row in TABLE_7)
    sources = ", ".join(f"{figures[f'figure-10-{speed}']:,.0f}" for speed in ("low", "high"))
    return {
        f"Signs of {len(TABLE_7)}": same,
        "Sending sources at low, high speed over scale (published: 13,000, 8,500)": sources,
    }


def facts(run: RunResults) -> Mapping[str, str]:
    """Facts for the head of the page."""
    return {"Processor time": f"{cost(run)['hours']} h"}


@value
def cost(run: RunResults) -> Mapping[str, object]:
    """Processor time [h] of the runs, that of the paper, and an estimate for the full size."""
    values = run.options.values
    done = run.campaigns[""].status()["done"]
    hours = processor_hours(run)
    hours_of_run = hours / values["scale"] * (FULL_DURATION / values["duration"]) / max(done, 1)
    return {
        "runs": done,
        "hours": f"{hours:.2f}",
        "published": f"{256 * values['processor_hours']:,}",
        "each": f"{hours_of_run:.1f}",
        "full": f"{256 * hours_of_run:,.0f}",
    }


@value
def signs(run: RunResults) -> Mapping[str, int]:
    """Counts of effects of Table 7: published, of the same sign, significant under both tests."""
    it = findings(run)
    model = effects_in(run.campaigns[""].results(), PERIOD, method="model")
    pairs = [(it.rows[row["response"], row["factor"]], row["sign"]) for row in TABLE_7]
    return {
        "published": len(TABLE_7),
        "printed": len(TABLE_7) + len(rows_of("unplaced.csv")),
        "same": sum(row["sign"] == sign for row, sign in pairs),
        "here": sum(bool(row["stars"]) and row["sign"] == sign for row, sign in pairs),
        "significant": it.second.frame.filter(pl.col("stars") != "").height,
        "model": model.frame.filter(pl.col("stars") != "").height,
    }


@value
def cluster_notes(run: RunResults) -> Sequence[str]:
    """Notes of the clusters."""
    return findings(run).clusters.notes


def levels_of(plan: Plan) -> Mapping[int, tuple[str, str]]:
    """Both levels of each factor as text, by number."""
    return {number_of(factor.name): (factor.text(-1), factor.text(1)) for factor in plan.factors}


def names_of(run: RunResults) -> Names:
    """Names of responses and factors in charts."""
    levels, every = levels_of(run.campaigns[""].plan), {**RESPONSES, **SAMPLE}
    return Names(
        responses={name: (row["words"], row.get("unit", "")) for name, row in every.items()},
        factors={row["name"]: (heading(row), *levels[k]) for k, row in FACTORS.items()},
    )


def cells(it: Findings) -> list[dict[str, str]]:
    """A cell for each response and factor: both signs with their stars, and how they compare."""
    published = {(row["response"], row["factor"]): row for row in TABLE_7}
    rows = []
    for (response, about), (k, factor) in product(RESPONSES.items(), FACTORS.items()):
        row, printed = it.rows[response, k], published.get((response, k))
        ours = row["sign"] + str(row["stars"]) if row["stars"] else ""
        kind = "significant here only" if ours else "neither"
        if printed is not None:
            kind = f"same sign, {'significant here too' if ours else 'not significant here'}"
            kind = kind if row["sign"] == printed["sign"] else "opposite sign"
            ours = ours or row["sign"] or "?"
        rows.append(
            {
                "row": heading(about),
                "column": heading(factor),
                "published": printed["published"] if printed else "",
                "ours": ours.replace("-", "−"),
                "kind": kind,
                "tip": f"effect {row['relative']:+.1%}, p = {row['p']:.2g}",
            }
        )
    return rows


@chart
def table_7(run: RunResults) -> Any:
    """Table 7: in each cell the published sign above, ours below."""
    columns, rows = ([heading(row) for row in of.values()] for of in (FACTORS, RESPONSES))
    return charts.signs_chart(cells(findings(run)), columns, rows)


@chart
def plot(run: RunResults, response: str) -> Any:
    """Main effects on a response in the second period."""
    # Twenty factors side by side leave no room for more than their numbers.
    short = {row["name"]: (f"X{k}", "−", "+") for k, row in FACTORS.items()}
    names, look = Names(responses=names_of(run).responses, factors=short), Look.of(["all"])
    second = findings(run).second
    return drawn.main_effects_chart(second, response=response, look=look, names=names, step=50)


@chart
def influence_bars(run: RunResults) -> Any:
    """The weighted influence of each factor."""
    return charts.influence_chart(_ranked(run))


@chart
def influence_sets(run: RunResults) -> Any:
    """Influence of the factors on each set of responses."""
    return drawn.influence_sets_chart(findings(run).influence, names=names_of(run))


@chart
def index(run: RunResults) -> Any:
    """Figure 9: pairs above the threshold, and clusters."""
    return drawn.index_chart(findings(run).clusters, names=names_of(run), step=22)


@chart
def frequencies(run: RunResults) -> Any:
    """Figure 8: frequencies of correlations."""
    threshold = run.options.values["correlated"]
    return drawn.frequency_chart(findings(run).correlations, threshold=threshold)


@chart
def matrix(run: RunResults) -> Any:
    """Figure 7: scatter plots and coefficients."""
    result, names = findings(run).correlations, names_of(run)
    return drawn.correlation_chart(result, names=names, limit=len(SAMPLE), step=42)


@chart
def isp(run: RunResults) -> Any:
    """The map of the provider's backbone."""
    del run
    return drawn.network_chart(Internet(topology="isp").geometry())


def _shown(
    run: RunResults,
    name: str,
    rows: Sequence[Mapping[str, Any]],
    forms: Mapping[str, Format] | None = None,
) -> Table | None:
    """Rows under the headings that the study's constants have for a table."""
    return rows_table(name, rows, run.options.values["headings"][name], forms)


@table
def effects_table(run: RunResults) -> Table | None:
    """Every effect of the second period."""
    rows = [
        {
            "response": heading(RESPONSES[response]),
            "unit": RESPONSES[response]["unit"],
            "factor": heading(FACTORS[k]),
            **{name: row[name] for name in ("low", "high", "effect", "relative", "p")},
        }
        for (response, k), row in findings(run).rows.items()
    ]
    signed = partial(number, signed=True)
    return _shown(run, "effects", rows, {"effect": signed, "relative": percent, "p": probability})


@table
def unplaced(run: RunResults) -> Table | None:
    """Published effects whose column is in doubt."""
    rows = rows_of("unplaced.csv")
    named = [{**row, "response": heading(RESPONSES[row["response"]])} for row in rows]
    return _shown(run, "unplaced", named)


def _ranked(run: RunResults) -> list[dict[str, Any]]:
    """Factors with their influence [%], the most influential first."""
    shares = findings(run).shares
    return [
        {"factor": heading(FACTORS[k]), "share": 100 * shares[k], "words": FACTORS[k]["influence"]}
        for k in sorted(FACTORS, key=lambda k: -shares[k])
    ]


@table
def influence_table(run: RunResults) -> Noted:
    """Influence of each factor beside the paper's words; notes on responses without any value."""
    never = tuple(note for note in findings(run).influence.notes if "Never had" in note)
    return Noted(_shown(run, "influence", _ranked(run), {"share": fixed(0)}), never)


@table
def clusters_table(run: RunResults) -> Table | None:
    """Clusters of the sample."""
    rows = findings(run).clusters.clusters.to_dicts()
    return _shown(
        run, "clusters", rows, dict.fromkeys(("cluster", "size", "pairs", "possible"), str)
    )


@table
def sample(run: RunResults) -> Table | None:
    """The sample with our names."""
    rows = [
        {"symbol": k, "text": row["words"], "ours": row["response"]} for k, row in SAMPLE.items()
    ]
    return _shown(run, "sample", rows)


@table
def factors(run: RunResults) -> Table | None:
    """Levels, printed and of this size, under both numbers."""
    here = levels_of(run.campaigns[""].plan)
    rows = [
        {
            "paper": f"X{k}",
            "slides": f"X{row['slides']}",
            "factor": row["words"],
            "printed": f"{row['printed_low']} / {row['printed_high']}",
            "low": here[k][0],
            "high": here[k][1],
        }
        for k, row in FACTORS.items()
    ]
    return _shown(run, "factors", rows)


@table
def networks(run: RunResults) -> Table | None:
    """Counts of both topologies."""
    rows = []
    for name in ("abilene", "isp"):
        topology = load_topology(name)
        paths, access = list(topology.pairs()), class_counts(topology)
        rtts = [(topology.distance_ns[a][b] + topology.distance_ns[b][a]) / 1e6 for a, b in paths]
        rows.append(
            {
                "network": name,
                "backbone": len(topology.nodes),
                "links": len(topology.edges),
                "pops": len(topology.pops),
                "access": f"{access['N']} N, {access['F']} F, {access['D']} D",
                "paths": len(paths),
                "routers": fmean(topology.hops[a][b] + 1 for a, b in paths),
                "rtt": f"{min(rtts):.0f}, {sum(rtts) / len(rtts):.1f}, {max(rtts):.0f}",
            }
        )
    whole = dict.fromkeys(("backbone", "links", "pops", "paths"), str)
    return _shown(run, "networks", rows, whole | {"routers": fixed(2)})
