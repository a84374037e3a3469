"""Disciplines at the edge of a national network: groups of routers, baselines, estimates."""

import math
import tomllib

import polars as pl
import pytest

from mesonet.simulation import simulate
from mesonet.studies.study import Options, RunResults
from mesonet_studies.edge import measure

STUDY, VARIANTS = (
    tomllib.loads((measure.HERE / name).read_text("utf-8"))
    for name in ("study.toml", "variants.toml")
)
VALUES = STUDY["values"] | {"scale": 0.01, "duration": "5 s", "replicates": 1}


@pytest.fixture(scope="module")
def run():
    (condition,) = [c for c in measure.CONDITIONS if c == ("pie", 50, "bbr3", "deep")]
    items = {item.name: item for item in measure.runs(Options(values=VALUES))}
    item = items[measure.run_name(condition, 0)]
    return simulate(item.scenario, seed=item.seed)


def test_conditions_stand_in_the_order_of_the_plan():
    for scenario, condition in zip(measure.scenarios(), measure.CONDITIONS, strict=True):
        table = scenario.to_dict()
        access = table["queue"]["access"]
        assert access["kind"] == (condition.discipline.partition("_5ms")[0] or "droptail")
        assert round(100 * access.get("share", 0)) == condition.share
        assert ("min_th" in access) == (condition.discipline == measure.DEEPER)
        mix = table["algorithms"]
        assert condition.traffic == (mix if isinstance(mix, str) else list(mix)[-1])
        assert table["buffers"] == (8 if condition.buffers == "deep" else 1)


def test_sources_are_found_at_their_access_routers(run):
    """The pair of classes that the simulator records is that of the two routers."""
    spec = run.scenario.resolve()
    stations = spec["stations"]
    classes = {stations[site["station"]]["name"]: "DFN"[site["class"]] for site in spec["sites"]}
    counted = measure._counted(run, measure._access(spec))
    assert counted.height > 100
    for sender, receiver, pair in counted.select(
        "sender_site", "receiver_site", "pair"
    ).iter_rows():
        assert "".join(sorted(classes[sender] + classes[receiver])) == pair


@pytest.mark.parametrize(("step", "shares"), [(25, {0, 25, 50, 75, 100}), (50, {0, 50, 100})])
def test_sizes_have_the_shares_of_their_step(step, shares):
    names = {item.name for item in measure.runs(Options(values=VALUES | {"share_step": step}))}
    of_step = {each for each in measure.CONDITIONS if each.share in shares}
    assert names == {measure.run_name(each, 0) for each in of_step}


def test_numbers_of_a_run_are_those_of_its_share(run):
    measured = measure.measure_edge(run)
    assert list(measured["shares"]) == ["50"]
    queues = measured["shares"]["50"]["queues"]
    assert queues["with"]["packets"] > 0
    assert queues["without"]["packets"] > 0
    transfers = measured["shares"]["50"]["transfers"]
    whole = sum(cell["n"] for name, cell in transfers.items() if name.count(".") == 1)
    by_algorithm = sum(cell["n"] for name, cell in transfers.items() if name.count(".") == 2)
    assert whole == by_algorithm > 0


def test_transfers_are_grouped_by_both_of_their_routers():
    transfers = pl.DataFrame(
        {
            "sender_site": ["a", "a", "b", "b"],
            "receiver_site": ["a", "b", "a", "b"],
            "algorithm": ["cubic"] * 4,
            "kind": ["web"] * 4,
            "goodput": [1.0, 2.0, 4.0, 8.0],
            "duration": [1.0] * 4,
        }
    )
    groups = measure._transfers(transfers, frozenset({"a"}))
    assert {name: cell["goodput"] for name, cell in groups.items() if "cubic" not in name} == {
        "both.web": 1.0,
        "one.web": 3.0,
        "neither.web": 8.0,
    }


def test_the_variant_of_drops_runs_fq_codel_and_its_baseline_alone():
    (variant,) = VARIANTS["variant"]
    single = Options(values=VALUES | variant["values"], variant=variant["id"])
    items = measure.runs(single)
    assert {item.name for item in items} == {
        f"{deployment}-cubic-{buffers}-0"
        for deployment in ("droptail-0", "fq_codel-100")
        for buffers in measure.BUFFERS
    }
    for item in items:
        access = item.scenario.to_dict()["queue"]["access"]
        assert access.get("drop_batch") == (1 if access["kind"] == "fq_codel" else None)


def test_percentiles_are_over_all_packets_of_the_routers():
    sojourns = pl.DataFrame({"below": [0.001, 0.01, 0.1], "packets": [60, 38, 2]})
    percentiles = measure._percentiles(sojourns)
    assert (percentiles["p50"], percentiles["p95"], percentiles["p99"]) == (0.001, 0.01, 0.1)
    assert math.isnan(measure._percentiles(sojourns.clear())["p50"])


def test_figures_have_the_interval_of_student():
    figures = figures_of([11.0, 12.0, 13.0])
    name = "pie.25.cubic.short.neither.web.change"
    assert figures[name] == pytest.approx(0.2)
    assert figures[f"{name}.upper"] - 0.2 == pytest.approx(0.1 * 4.303 / math.sqrt(3), rel=1e-3)
    assert math.isnan(figures_of([11.0])[f"{name}.lower"])
    assert math.isnan(figures_of([math.nan])[name])


def figures_of(goodputs):
    """Figures of runs with a discipline and these goodputs, a replicate each, and 10 before."""
    condition = measure.Condition("pie", 25, "cubic", "short")
    queues = {side: dict.fromkeys(("p50", "p95", "p99"), 0.02) for side in measure.SIDES}

    def numbers(goodput, shares):
        cell = {"n": 9, "goodput": goodput, "duration": 1 / goodput}
        each = {"transfers": {"neither.web": cell}, "queues": queues}
        return {
            "network": {"loss_rate": 0.1, "y8": 0.05, "mark_rate": 0.0, "goodput": 1.0},
            "shares": {str(share): each for share in shares},
        }

    before = condition._replace(discipline="", share=0)
    runs = {measure.run_name(condition, at): numbers(it, [25]) for at, it in enumerate(goodputs)}
    runs |= {measure.run_name(before, at): numbers(10.0, [25, 50]) for at in range(len(goodputs))}
    options = Options(values=VALUES | {"replicates": len(goodputs)})
    return measure.figures(RunResults(runs, {}, {}, folder=None, options=options))


def test_changes_are_over_the_same_group_and_seed_without_a_discipline():
    figures = figures_of([12.0])
    assert figures["pie.25.cubic.short.neither.web.change"] == pytest.approx(0.2)
    assert figures["pie.25.cubic.short.neither.web.time"] == pytest.approx(-1 / 6)
    assert figures["pie.25.cubic.short.with.p95"] == pytest.approx(20)
    assert figures["pie.25.cubic.short.delay"] == pytest.approx(50)
    assert math.isnan(figures.get("pie.50.cubic.short.neither.web.change", math.nan))
