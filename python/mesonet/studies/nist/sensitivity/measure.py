"""Effects of twenty factors, their influence, and clusters of responses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl

from mesonet.analysis import (
    Correlations,
    Influence,
    MainEffects,
    ResponseClusters,
    correlations,
    influence,
    main_effects,
    response_clusters,
)
from mesonet.analysis.effects import Method
from mesonet.errors import PlanError, Problem
from mesonet.figures import Look, Names
from mesonet.page.tables import (
    Column,
    Table,
    counts,
    numbers,
    percents,
    probabilities,
    words,
)
from mesonet.page.tables import table as table_of
from mesonet.plan import Plan
from mesonet.scenario.internet import Internet
from mesonet.scenario.tiers import class_counts
from mesonet.scenario.topology import load_topology
from mesonet.studies import Options, RunResults, chart, once, table, value


def _rows(name: str) -> list[dict[str, Any]]:
    return pl.read_csv(Path(__file__).with_name(name)).to_dicts()


ALTERNATE = "ctcp:nist"
"""The algorithm that the paper mixes with standard TCP."""
PERIOD = 2
"""The period that Table 7 and figure 10 show."""
FULL_DURATION = 1500
"""The shorter simulated time of the published experiment [s]."""
FACTORS = {row["number"]: row for row in _rows("factors.csv")}
"""Factors by the paper's number, with their numbers in the study's slides, printed levels, and the
influence that the paper's prose gives them."""
NAMES = tuple(row["name"] for row in FACTORS.values())
RESPONSES = {row["symbol"]: row for row in _rows("responses.csv")}
"""Macroscopic responses of Table 6, with our names, units, and factors from our units."""
SAMPLE = {row["symbol"]: row for row in _rows("sample.csv")}
"""Tables 3 and 4's sample of responses, from which the paper forms seven clusters."""
TABLE_7 = _rows("table-7.csv")
"""Significant effects of Table 7 whose column is clear. It has lost the lines between its columns
in the text at hand; they were recovered from the blanks that it kept, and one row, which the prose
names, agrees. Effects whose column stays in doubt are in `unplaced.csv`."""
MAIN, LESSER, REST = (
    [number for number, row in FACTORS.items() if row["influence"] == group]
    for group in ("main", "lesser", "little or none")
)


def with_algorithms(table: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The plan with one algorithm in the place of Compound TCP.

    Raises:
        PlanError: not exactly one algorithm is asked for, or it is standard TCP.
    """
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
    asked = {} if options.seed is None else {"Seed": f"{options.seed}, the same for all conditions"}
    return {"Mix": mix, **asked}


def effects_in(frame: pl.DataFrame, period: int, *, method: Method = "two-sample") -> MainEffects:
    """Effects of the factors on the 18 macroscopic responses in a period, in printed units.

    Args:
        frame: One row per run, with the factors coded.
        period: Number of the period.
        method: Method of the tests; the paper tests the difference of two means.
    """
    columns = {name: f"{row['response']}@{period}" for name, row in RESPONSES.items()}
    printed = renamed(frame, columns).with_columns(
        pl.col(name) * row["factor"] for name, row in RESPONSES.items()
    )
    return main_effects(printed, factors=NAMES, responses=list(RESPONSES), method=method)


def renamed(frame: pl.DataFrame, responses: Mapping[str, str]) -> pl.DataFrame:
    """The frame with responses under other names: new name to column."""
    return frame.select(
        "run", "condition", "alternative", "replicate", "seed", *NAMES,
        *(pl.col(column).alias(name) for name, column in responses.items()),
    )  # fmt: skip


@dataclass(frozen=True)
class Found:
    """Effects and clusters of the runs.

    Attributes:
        second: Effects in the second period.
        rows: Their rows, by response (Y1 to Y18) and number of the factor.
        influence: Influence over the five sets of responses of Table 8.
        shares: Weighted influence by number of the factor; NaN if no response had a value.
        correlations: Correlations of the sample of 22 responses.
        clusters: Its clusters.
    """

    second: MainEffects
    rows: Mapping[tuple[str, int], Mapping[str, Any]]
    influence: Influence
    shares: Mapping[int, float]
    correlations: Correlations
    clusters: ResponseClusters

    def members(self, response: str) -> set[str]:
        """The cluster of a response; empty if it did not vary."""
        groups = (set(names.split(", ")) for names in self.clusters.clusters["responses"])
        return next((group for group in groups if response in group), set())

    def partners(self, response: str) -> float:
        """Number of others that it is correlated with; NaN if it did not vary."""
        found = self.clusters.frame.filter(response=response)["partners"]
        return float(found.item()) if found.len() else math.nan


@once
def found(run: RunResults) -> Found:
    """Effects and clusters of the runs; clusters are of all conditions and periods together."""
    frame = run.campaigns[""].results()
    sets = {f"period {period}": effects_in(frame, period) for period in (1, 2, 3)}
    second = sets[f"period {PERIOD}"]
    alternate = run.options.chosen[0]
    for label, name in (("TCP goodputs", "reno"), (f"{alternate} goodputs", alternate)):
        groups = [f"g{group}:{name}" for group in range(1, 25)]
        sets[label] = main_effects(frame, factors=NAMES, responses=groups, method="two-sample")
    weights = dict(zip(sets, (1 / 6, 1 / 6, 1 / 6, 1 / 4, 1 / 4), strict=True))
    influences = influence(sets, weights=weights)
    overall = dict(influences.overall.select("factor", "influence").iter_rows())
    sample = renamed(frame, {name: row["response"] for name, row in SAMPLE.items()})
    correlated = correlations(sample, responses=list(SAMPLE))
    return Found(
        second,
        {(row["response"], _number(row["factor"])): row for row in second.frame.to_dicts()},
        influences,
        {
            k: math.nan if (share := overall[row["name"]]) is None else float(share)
            for k, row in FACTORS.items()
        },
        correlated,
        response_clusters(correlated, threshold=run.options.values["correlated"]),
    )


def _number(name: str) -> int:
    return NAMES.index(name) + 1


def figures(run: RunResults) -> Mapping[str, float]:
    """Figures of the claims, which hold for Compound TCP; numbers of sources at full scale."""
    if run.options.chosen[0] != ALTERNATE:
        return {}
    it = found(run)
    return {
        **_table_7(it),
        **_figure_10(it, run.options.values["scale"]),
        **_table_8(it.shares),
        **_clusters(it),
    }


def _table_7(it: Found) -> dict[str, float]:
    made: dict[str, float] = {}
    for effect in TABLE_7:
        row, name = it.rows[effect["response"], effect["factor"]], effect["id"]
        made |= {name: row["effect"], f"{name}.relative": row["relative"], f"{name}.p": row["p"]}
    tests = [it.rows[response, 1]["p"] for response in RESPONSES]
    known = all(math.isfinite(p) for p in tests)
    return made | {"table-7-speed": sum(p < 0.05 for p in tests) if known else math.nan}


def _figure_10(it: Found, scale: float) -> dict[str, float]:
    rows = {k: it.rows["Y2", k] for k in FACTORS}
    size = {k: abs(row["effect"]) for k, row in rows.items()}
    printed = {effect["factor"] for effect in TABLE_7 if effect["response"] == "Y2"}
    return {
        "figure-10-low": rows[1]["low"] / scale,
        "figure-10-high": rows[1]["high"] / scale,
        "figure-10-relative": rows[1]["relative"],
        "least of X7, X12, X13": min(size[k] for k in (7, 12, 13)),
        "most of X4, X5": max(size[k] for k in (4, 5)),
        "figure-10-others": float(sum(rows[k]["p"] < 0.05 for k in FACTORS if k not in printed)),
    }


def _table_8(share: Mapping[int, float]) -> dict[str, float]:
    return {
        "influence of X1": share[1],
        "most of all others": max(share[k] for k in FACTORS if k != 1),
        "least of the main eight": min(share[k] for k in MAIN),
        "most of the other twelve": max(share[k] for k in (*LESSER, *REST)),
        "least of X16, X17": min(share[k] for k in LESSER),
        "most of the other ten": max(share[k] for k in REST),
    }


def _clusters(it: Found) -> dict[str, float]:
    found = it.clusters.clusters
    sizes = found["size"].to_list()
    largest = [set(names.split(", ")) for names in found["responses"]]
    made = {
        "clusters-pairs": it.clusters.pairs.height,
        "clusters-count": found.height,
        "clusters-packets": it.members("y3") == {"y3", "y4"},
        "clusters-delay": it.members("y15") == {"y15", "y16"},
        "clusters-f-class": it.members("y18") == {"y18", "y20"},
        "clusters-congestion": sizes[0] > 1 and {"y1", "y2"} <= largest[0],
        "clusters-losses": len(sizes) > 1 and sizes[1] > 1 and {"y5", "y10"} <= largest[1],
    }
    complete = len(it.correlations.responses) == len(SAMPLE)
    return {
        **{name: float(number) if complete else math.nan for name, number in made.items()},
        "clusters-dd-partners": it.partners("y17"),
        "clusters-completions-partners": it.partners("y6"),
    }


def compared(run: RunResults) -> Mapping[str, object]:
    """Columns of the table of variants."""
    figures = run.figures
    same = sum((figures[each["id"]] > 0) == (each["sign"] == "+") for each in TABLE_7)
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
    hours = float(run.campaigns[""].timings()["cpu_seconds"].sum()) / 3600
    each = hours / values["scale"] * (FULL_DURATION / values["duration"]) / max(done, 1)
    return {
        "runs": done,
        "hours": f"{hours:.2f}",
        "published": f"{256 * values['processor_hours']:,}",
        "each": f"{each:.1f}",
        "full": f"{256 * each:,.0f}",
    }


@value
def signs(run: RunResults) -> Mapping[str, int]:
    """Counts of effects of Table 7: published, of the same sign, significant under both tests."""
    it = found(run)
    model = effects_in(run.campaigns[""].results(), PERIOD, method="model")
    pairs = [(it.rows[each["response"], each["factor"]], each["sign"]) for each in TABLE_7]
    return {
        "published": len(TABLE_7),
        "printed": len(TABLE_7) + len(_rows("unplaced.csv")),
        "same": sum(row["sign"] == sign for row, sign in pairs),
        "here": sum(bool(row["stars"]) and row["sign"] == sign for row, sign in pairs),
        "significant": it.second.frame.filter(pl.col("stars") != "").height,
        "model": model.frame.filter(pl.col("stars") != "").height,
    }


@value
def left_out(run: RunResults) -> list[str]:
    """Notes on responses that never had a value."""
    return [note for note in found(run).influence.notes if "Never had" in note]


@value
def cluster_notes(run: RunResults) -> Sequence[str]:
    """Notes of the clusters."""
    return found(run).clusters.notes


def heading(row: Mapping[str, Any]) -> str:
    """The heading of a factor or a response: its symbol and its words."""
    return f"{row.get('symbol') or 'X' + str(row['number'])} {row['words']}"


def levels_of(plan: Plan) -> Mapping[int, tuple[str, str]]:
    """Both levels of each factor as text, by number."""
    return {_number(each.name): (each.text(-1), each.text(1)) for each in plan.factors}


def names_of(run: RunResults) -> Names:
    """Names of responses and factors in charts."""
    levels, every = levels_of(run.campaigns[""].plan), {**RESPONSES, **SAMPLE}
    return Names(
        responses={name: (row["words"], row.get("unit", "")) for name, row in every.items()},
        factors={row["name"]: (heading(row), *levels[k]) for k, row in FACTORS.items()},
    )


def cells(it: Found) -> list[dict[str, str]]:
    """A cell for each response and factor: both signs with their stars, and how they compare."""
    published = {(each["response"], each["factor"]): each for each in TABLE_7}
    made = []
    for response, about in RESPONSES.items():
        for k, factor in FACTORS.items():
            row, printed = it.rows[response, k], published.get((response, k))
            ours = row["sign"] + str(row["stars"]) if row["stars"] else ""
            kind = "significant here only" if ours else "neither"
            if printed is not None:
                kind = f"same sign, {'significant here too' if ours else 'not significant here'}"
                kind = kind if row["sign"] == printed["sign"] else "opposite sign"
                ours = ours or row["sign"] or "?"
            made.append(
                {
                    "row": heading(about),
                    "column": heading(factor),
                    "published": printed["published"] if printed else "",
                    "ours": ours.replace("-", "−"),
                    "kind": kind,
                    "tip": f"effect {row['relative']:+.1%}, p = {row['p']:.2g}",
                }
            )
    return made


@chart
def table_7(run: RunResults) -> Any:
    """Table 7: in each cell the published sign above, ours below."""
    from mesonet.studies.nist.sensitivity.charts import signs_chart

    columns, rows = ([heading(row) for row in of.values()] for of in (FACTORS, RESPONSES))
    return signs_chart(cells(found(run)), columns, rows)


@chart
def plot(run: RunResults, response: str) -> Any:
    """Main effects on a response in the second period."""
    from mesonet.figures import main_effects_chart

    # Twenty factors side by side leave no room for more than their numbers.
    short = {row["name"]: (f"X{k}", "−", "+") for k, row in FACTORS.items()}
    names = Names(responses=names_of(run).responses, factors=short)
    look = Look.of(["all"])
    return main_effects_chart(found(run).second, response=response, look=look, names=names, step=50)


@chart
def influence_bars(run: RunResults) -> Any:
    """The weighted influence of each factor."""
    from mesonet.studies.nist.sensitivity.charts import influence_chart

    return influence_chart(_ranked(run))


@chart
def influence_sets(run: RunResults) -> Any:
    """Influence of the factors on each set of responses."""
    from mesonet.figures import influence_sets_chart

    return influence_sets_chart(found(run).influence, names=names_of(run))


@chart
def index(run: RunResults) -> Any:
    """Figure 9: pairs above the threshold, and clusters."""
    from mesonet.figures import index_chart

    return index_chart(found(run).clusters, names=names_of(run), step=22)


@chart
def frequencies(run: RunResults) -> Any:
    """Figure 8: frequencies of correlations."""
    from mesonet.figures import frequency_chart

    it = found(run)
    return frequency_chart(it.correlations, threshold=run.options.values["correlated"])


@chart
def matrix(run: RunResults) -> Any:
    """Figure 7: scatter plots and coefficients."""
    from mesonet.figures import correlation_chart

    result, names = found(run).correlations, names_of(run)
    return correlation_chart(result, names=names, most=len(SAMPLE), step=42)


@chart
def isp(run: RunResults) -> Any:
    """The map of the provider's backbone."""
    from mesonet.figures import network_chart

    del run
    return network_chart(Internet(topology="isp").geometry())


@table
def effects_table(run: RunResults) -> Table:
    """Every effect of the second period."""
    it = found(run)
    rows = [
        {
            "response": heading(RESPONSES[response]),
            "unit": RESPONSES[response]["unit"],
            "factor": heading(FACTORS[k]),
            **{name: row[name] for name in ("low", "high", "effect", "relative", "p")},
        }
        for (response, k), row in it.rows.items()
    ]
    columns = [
        words("response", "Response"),
        words("unit", "Unit"),
        words("factor", "Factor"),
        numbers("low", "Mean at −"),
        numbers("high", "Mean at +"),
        numbers("effect", "Effect", signed=True),
        percents("relative", "Relative"),
        probabilities("p", "p"),
    ]
    return table_of("effects", pl.DataFrame(rows), columns)


def _texts(
    identifier: str, rows: Sequence[Mapping[str, Any]], headings: Mapping[str, str]
) -> Table:
    """A table of texts, some columns of the rows."""
    frame = pl.DataFrame(rows).select(list(headings))
    return table_of(identifier, frame, [words(*each) for each in headings.items()])


@table
def unplaced(run: RunResults) -> Table:
    """Published effects whose column is in doubt."""
    del run
    rows = [
        {**row, "response": heading(RESPONSES[row["response"]])} for row in _rows("unplaced.csv")
    ]
    why = "Factor, as far as the text lets us tell"
    headings = {"response": "Response", "published": "Published", "columns": why}
    return _texts("unplaced", rows, headings)


def _ranked(run: RunResults) -> list[dict[str, Any]]:
    shares = found(run).shares
    return [
        {"factor": heading(FACTORS[k]), "share": 100 * shares[k], "words": FACTORS[k]["influence"]}
        for k in sorted(FACTORS, key=lambda k: -shares[k])
    ]


@table
def influence_table(run: RunResults) -> Table:
    """Influence of each factor beside the paper's words."""
    columns = [
        words("factor", "Factor"),
        Column("share", "Ψ × 100, weighted", lambda value: f"{value:.0f}"),
        words("words", "Influence in the paper's words"),
    ]
    return table_of("influence", pl.DataFrame(_ranked(run)), columns)


@table
def clusters_table(run: RunResults) -> Table:
    """Clusters of the sample."""
    columns = [
        counts("cluster", "Cluster"),
        counts("size", "Responses"),
        counts("pairs", "Correlated pairs"),
        counts("possible", "Of"),
        words("responses", "Which"),
    ]
    return table_of("clusters", found(run).clusters.clusters, columns)


@table
def sample(run: RunResults) -> Table:
    """The sample with our names."""
    del run
    rows = [
        {"symbol": k, "text": row["words"], "ours": row["response"]} for k, row in SAMPLE.items()
    ]
    headings = {"symbol": "Paper", "text": "Response", "ours": "Our response"}
    return _texts("sample", rows, headings)


@table
def factors(run: RunResults) -> Table:
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
    headings = {"paper": "Paper", "slides": "Slides", "factor": "Factor"}
    headings |= {"printed": "Printed − / +", "low": "Here −", "high": "Here +"}
    return _texts("factors", rows, headings)


@table
def networks(run: RunResults) -> Table:
    """Counts of both topologies."""
    del run
    rows = []
    for name in ("abilene", "isp"):
        topology = load_topology(name)
        paths = list(topology.pairs())
        routers = Fraction(sum(topology.hops[a][b] + 1 for a, b in paths), len(paths))
        rtts = [(topology.distance_ns[a][b] + topology.distance_ns[b][a]) / 1e6 for a, b in paths]
        access = class_counts(topology)
        rows.append(
            {
                "network": name,
                "backbone": len(topology.nodes),
                "links": len(topology.edges),
                "pops": len(topology.pops),
                "access": f"{access['N']} N, {access['F']} F, {access['D']} D",
                "paths": len(paths),
                "routers": float(routers),
                "rtt": f"{min(rtts):.0f}, {sum(rtts) / len(rtts):.1f}, {max(rtts):.0f}",
            }
        )
    columns = [
        words("network", "Network"),
        counts("backbone", "Backbone routers"),
        counts("links", "Links"),
        counts("pops", "PoPs"),
        words("access", "Access routers"),
        counts("paths", "Paths"),
        Column("routers", "Routers per path", lambda value: f"{value:.2f}"),
        words("rtt", "Round trips: least, mean, most (ms)"),
    ]
    return table_of("networks", pl.DataFrame(rows), columns)
