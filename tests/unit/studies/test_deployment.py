"""The study `deployment-mix`: its runs, its comparisons, its verdicts, its page."""

import math
import tomllib
from importlib import resources

import polars as pl
import pytest
from refusals import refused

from mesonet.errors import PlanError
from mesonet.scenario.keywords import internet
from mesonet.simulation import simulate
from mesonet.studies import Options, find_study
from mesonet_studies.deployment.cohorts import FILES, NotMonotoneError, Steps, cohorts, together
from mesonet_studies.deployment.measure import measure_mix
from mesonet_studies.deployment.mixes import mix_plan, mixes, run_name
from mesonet_studies.deployment.outcomes import (
    Family,
    at,
    outcomes,
    over_replicates,
    starvation,
    thresholds,
)

NAMES = ("cubic", "bbr3")
PERCENTS = (0, 25, 75, 100)
"""Shares of the pocket size."""
VALUES = tomllib.loads(
    (resources.files("mesonet_studies.deployment") / "study.toml").read_text("utf-8")
)


def plan_of(size, names=NAMES):
    values = VALUES["values"] | VALUES["sizes"][size]["values"]
    return mix_plan(Options(size=size, chosen=names, values=values))


@pytest.mark.parametrize(
    ("size", "sources", "runs"), [("pocket", 1112, 48), ("desk", 2780, 112), ("full", 27800, 280)]
)
def test_sizes_are_what_they_say(size, sources, runs):
    plan = plan_of(size)
    spec = plan.scenario.resolve()
    assert sum(site["sources"] for site in spec["sites"]) == sources
    assert f"{sources:,} sources" in find_study("deployment-mix").sizes[size].words
    assert plan.conditions * len(plan.alternatives) * plan.replicates == runs


def test_a_mix_for_every_share_and_one_of_all():
    steps = mixes(("cubic", "bbr3", "reno"), (0, 25, 100))
    assert [(mix.label, dict(mix.shares)) for mix in steps] == [
        ("cubic", {"cubic": 1.0}),
        ("bbr3 25 %", {"cubic": 0.75, "bbr3": 0.25}),
        ("bbr3 100 %", {"bbr3": 1.0}),
        ("reno 25 %", {"cubic": 0.75, "reno": 0.25}),
        ("reno 100 %", {"reno": 1.0}),
        ("all, equal shares", dict.fromkeys(("cubic", "bbr3", "reno"), 1 / 3)),
    ]
    # The engine gives the lowest draws to the first: it has to be the incumbent.
    assert all(next(iter(mix.shares)) == "cubic" for mix in steps if "cubic" in mix.shares)


def test_an_incumbent_alone_is_refused():
    with refused(PlanError, ("algorithms", "too_few")):
        find_study("deployment-mix").prepare(Options(algorithms=("reno",)))
    prepared = find_study("deployment-mix").prepare(Options())
    assert "--algorithms cubic,bbr3 --seed" in prepared.settings["Command"]


def tiny(shares):
    return internet(
        base_sources=1,
        source_multiplier=1,
        source_distribution="uniform",
        speed="8 p/ms",
        think_time="500 ms",
        web_object_mean=5,
        jumbo="none",
        long_flows="none",
        duration="6 s",
        warm_up=0.25,
        periods=1,
        algorithms=shares,
        record_transfers=True,
    )


@pytest.fixture(scope="module")
def measured_runs():
    runs = {
        percent: simulate(
            tiny({"cubic": 1 - percent / 100, "bbr3": percent / 100} if percent else "cubic"),
            seed=3,
        )
        for percent in (0, 10, 50, 90)
    }
    return runs, {percent: measure_mix(run) for percent, run in runs.items()}


def test_a_larger_share_only_converts_sources(measured_runs):
    runs, _ = measured_runs
    users = [set(run.transfers.filter(algorithm="bbr3")["source"]) for run in runs.values()]
    everyone = set.intersection(*(set(run.transfers["source"]) for run in runs.values()))
    assert len(everyone) > 100
    none, few, half, most = (of & everyone for of in users)
    assert not none
    assert few < half < most
    assert len(half) / len(everyone) == pytest.approx(0.5, abs=0.1)


def test_sources_have_the_same_files_in_every_mix(measured_runs):
    runs, _ = measured_runs
    first = [
        run.transfers.sort("source", "start").group_by("source", maintain_order=True).first()
        for run in runs.values()
    ]
    columns = ["source", "size", "receiver_site", "interface"]
    both = first[0].select(columns).join(first[-1].select(columns), on="source")
    assert both.height > 100
    assert both["size"].equals(both["size_right"].alias("size"))
    assert both["receiver_site"].equals(both["receiver_site_right"].alias("receiver_site"))


def test_what_is_kept_of_a_run_adds_up(measured_runs):
    runs, kept = measured_runs
    run, numbers = runs[50], kept[50]
    groups, sources = pl.DataFrame(numbers["groups"]), pl.DataFrame(numbers["sources"])
    assert groups["transfers"].sum() == run.groups["transfers"].sum() > 100
    for frame in (groups, sources):
        for algorithm in NAMES:
            mine, theirs = (each.filter(algorithm=algorithm) for each in (frame, run.groups))
            assert mine["transfers"].sum() == theirs["transfers"].sum()
            assert mine["goodput"].sum() == pytest.approx(theirs["goodput_sum"].sum(), rel=1e-3)
            assert mine["duration"].sum() == pytest.approx(theirs["duration_sum"].sum(), rel=1e-3)
    counted = [sum(count for _, count in bins) for bins in groups["bins"].to_list()]
    assert counted == groups["transfers"].to_list()
    assert numbers["network"]["loss"] == run.responses["loss_rate"]
    assert numbers["network"]["goodput"] == pytest.approx(run.groups["size_sum"].sum() / 4.5)


# Worlds on paper: source i of 20 switches at a share of (i + 1) * 5 %.
COUNT = 20


def run_numbers(percent, *, old=1.0, new=1.0, names=NAMES, unseen=()):
    """Those who use the incumbent get 100 `old` segments/s, the others 100 `new`."""
    switched = {i for i in range(COUNT) if 5 * (i + 1) <= percent}
    used = [names[i in switched] for i in range(COUNT)]
    speeds = [100 * (new if i in switched else old) for i in range(COUNT)]
    rows = [
        {
            "source": i,
            "algorithm": used[i],
            "file": file,
            "transfers": 2,
            "goodput": 2 * speeds[i],
            "duration": 2 * 50 / speeds[i],
        }
        for i in range(COUNT)
        for file in FILES
        if i not in unseen
    ]
    groups = [
        {
            "algorithm": name,
            "path_class": "T",
            "interface": "fast",
            "file": file,
            "transfers": 2 * used.count(name),
            "goodput": 0.0,
            "duration": 0.0,
            "bins": [[math.floor(8 * math.log2(100 * part)), 2 * used.count(name)]],
        }
        for name, part in zip(names, (old, new), strict=True)
        for file in FILES
        if name in used
    ]
    users = {
        name: [i for i in range(COUNT) if used[i] == name and i not in unseen]
        for name in dict.fromkeys(used)
    }
    network = {"loss": 0.01 + percent / 1e4, "queueing": 0.02, "goodput": 1000.0 + percent}
    return {
        "network": network,
        "groups": pl.DataFrame(groups).to_dict(as_series=False),
        "sources": pl.DataFrame(rows).to_dict(as_series=False),
        "users": users,
    }


def test_those_who_stay_switch_and_have_switched_are_told_apart():
    steps = {
        0: run_numbers(0),
        25: run_numbers(25, old=0.9, new=2.0),
        100: run_numbers(100, new=1.5),
    }
    table = cohorts(Steps("cubic", "bbr3", steps)).filter(file="document")
    by_cohort = {
        (row["who"], row["percent"]): (row["goodput"], row["duration"], row["sources"])
        for row in table.iter_rows(named=True)
    }
    assert by_cohort["stayers", 25] == (pytest.approx(0.9), pytest.approx(1 / 0.9), 15)
    assert by_cohort["adopters", 25] == (pytest.approx(2.0), pytest.approx(0.5), 5)
    assert by_cohort["switchers", 25] == by_cohort["adopters", 25]
    # The 15 that switch last got 90 before and get 150 now.
    assert by_cohort["switchers", 100] == (pytest.approx(150 / 90), pytest.approx(90 / 150), 15)
    assert by_cohort["adopters", 100] == (pytest.approx(1.5), pytest.approx(1 / 1.5), 20)
    assert ("stayers", 100) not in by_cohort


def test_a_source_that_completes_nothing_is_placed_by_its_neighbours():
    steps = {
        0: run_numbers(0),
        25: run_numbers(25, unseen={0, 10}),
        50: run_numbers(50),
        100: run_numbers(100),
    }
    last, first = Steps("cubic", "bbr3", steps).adoption()
    # Source 0 was not seen at 25 %: it may have switched there or at 50 %, so neither counts it.
    assert (last[0], first[0]) == (0, 50)
    assert (last[10], first[10]) == (50, 100)
    switchers = cohorts(Steps("cubic", "bbr3", steps)).filter(file="document", who="switchers")
    assert switchers["sources"].to_list() == [4, 5, 10]


def test_a_source_that_goes_back_is_loud():
    steps = {0: run_numbers(0), 50: run_numbers(75), 75: run_numbers(50)}
    with pytest.raises(NotMonotoneError, match=r"\b5\b"):
        cohorts(Steps("cubic", "bbr3", steps))


def test_starved_is_what_gets_a_tenth_of_the_median():
    before = run_numbers(0)
    limits = thresholds(before)
    # All of the bin from 2^(53/8) to 2^(54/8): the median is its middle.
    (limit,) = limits.filter(path_class="T", interface="fast", file="document")["limit"]
    assert limit == pytest.approx(53.5 / 8 + math.log2(0.1))
    assert starvation(before, limits, "cubic") == 0.0
    assert math.isnan(starvation(before, limits, "bbr3"))
    after = run_numbers(50, old=0.05, new=3.0)
    assert starvation(after, limits, "cubic") == 1.0
    assert starvation(after, limits, "bbr3") == 0.0
    slow = {**before, "groups": {**before["groups"], "bins": [[[20, 1], [60, 3]]] * 3}}
    assert starvation(slow, limits, "cubic") == pytest.approx(0.25)


def paper_results(names=NAMES):
    """Results of every run of the pocket size: each replicate has 1 % more or less of all."""
    results = {}
    for mix in mixes(names, PERCENTS):
        for condition in range(1, 5):
            for replicate in range(1, 4):
                part = 1 + (replicate - 2) / 100
                results[run_name(mix.label, condition, replicate)] = run_numbers(
                    mix.percent or (50 if len(mix.shares) > 1 else 0),
                    old=part * (1 - mix.percent / 200),
                    new=part * (2 - mix.percent / 100),
                    names=(names[0], mix.newcomer or names[-1]),
                )
    return results


def test_intervals_are_over_replicates():
    steps = mixes(NAMES, PERCENTS)
    outcome = outcomes(paper_results(), steps, conditions=range(1, 5), replicates=3)
    cell = {"newcomer": "bbr3", "condition": 2, "percent": 25, "file": "web_object"}
    stay = at(outcome.ratios, who="stayers", measure="goodput", **cell)
    assert stay["n"] == 3
    # Baselines vary as the mixes do, so that ratios do not.
    assert stay["mean"] == pytest.approx(0.875)
    assert stay["upper"] - stay["lower"] == pytest.approx(0.0, abs=1e-9)
    harmed = at(outcome.harm, measure="goodput", **cell)
    assert harmed["mean"] == pytest.approx(0.125)
    assert at(outcome.harm, measure="duration", **cell)["mean"] == pytest.approx(0.125)
    loss = at(outcome.network, newcomer="bbr3", condition=1, percent=100, measure="loss")
    assert loss["mean"] == pytest.approx(0.02)
    ratio = at(outcome.network, newcomer="bbr3", condition=1, percent=100, measure="goodput_ratio")
    assert ratio["mean"] == pytest.approx(1.1)


def family(pairs, n=3):
    """Cells of `n` replicates with a mean and a p each, and an interval that agrees with them."""
    rows = [
        {"mean": mean, "lower": mean - half, "upper": mean + half, "n": n, "p": p}
        for mean, p in pairs
        for half in [abs(mean) * (0.5 if p < 0.05 else 1.5)]
    ]
    return Family(pl.DataFrame(rows))


def test_what_chance_gives_among_many_is_not_certain():
    # 24 cells, two of which have an interval that excludes zero: chance alone gives 0.6 a side.
    quiet = family([(0.1, 0.03), (-0.1, 0.01), *[(0.1, 0.5)] * 22])
    assert (quiet.size, quiet.chance) == (24, pytest.approx(0.6))
    assert (quiet.above().height, quiet.below().height) == (1, 1)
    assert quiet.above(certain=True).is_empty()
    assert quiet.below(certain=True).is_empty()
    # Holm: the smallest of 24 has to be below 0.05 / 24, the second below 0.05 / 23.
    loud = family([(0.1, 0.002), (-0.1, 0.0021), (0.1, 0.0024), *[(0.1, 0.5)] * 21])
    assert loud.above(certain=True)["p"].to_list() == [0.002]
    assert loud.below(certain=True)["p"].to_list() == [0.0021]
    assert quiet.thinner_than(4) == 24
    assert quiet.thinner_than(3) == 0


def test_intervals_keep_to_what_a_measure_can_be():
    frame = pl.DataFrame({"cell": "a", "replicate": [1, 2, 3], "value": [0.0, 0.01, 0.99]})
    cell = over_replicates(frame, ["cell"], minimum=0.0, maximum=1.0).row(0, named=True)
    assert (cell["lower"], cell["upper"]) == (0.0, 1.0)
    free = over_replicates(frame, ["cell"]).row(0, named=True)
    assert free["lower"] < 0.0
    assert free["upper"] > 1.0
    assert free["mean"] == cell["mean"]
    single = over_replicates(frame[:1], ["cell"], minimum=0.0, maximum=1.0).row(0, named=True)
    assert math.isnan(single["lower"])


def test_all_together_are_compared_with_the_run_before():
    ratios = together(run_numbers(0), run_numbers(50, old=0.8, new=1.2))
    goodput = dict(ratios.filter(file="document").select("algorithm", "goodput").iter_rows())
    assert goodput == {"cubic": pytest.approx(0.8), "bbr3": pytest.approx(1.2)}
