"""Prague and CUBIC over queues of today: conditions of the plans, figures, variants."""

import itertools
import math
import tomllib

import pytest

from mesonet.plan import load_plan
from mesonet.studies.study import Options, RunResults
from mesonet_studies.l4s import measure

VALUES = tomllib.loads((measure.HERE / "study.toml").read_text("utf-8"))["values"]
NAMES = VALUES["conditions"]
VARIANTS = {
    variant["id"]: variant["values"]
    for variant in tomllib.loads((measure.HERE / "variants.toml").read_text("utf-8"))["variant"]
}


def options(**values):
    return Options(values=VALUES | values)


def results(runs, **values):
    return RunResults(
        results=runs, campaigns={}, failures={}, folder=None, options=options(**values)
    )


def goodput(first, second):
    return {"goodput": {"0": first * 1e6, "1": second * 1e6}}


def test_conditions_of_the_test_bed_stand_in_the_order_of_their_names():
    scenarios = [run.scenario for run in load_plan(measure.HERE / "plan-bed.toml").runs()]
    names = itertools.product(NAMES["pairs"], NAMES["bottlenecks"])
    for scenario, (pair, bottleneck) in zip(scenarios, names, strict=True):
        flows = "-".join(
            f"{flow.algorithm.removesuffix(':linux')}-{flow.rtt * 1e3:g}" for flow in scenario.flows
        )
        queue = scenario.to_dict()["queue"]
        kind = queue if isinstance(queue, str) else queue["kind"]
        assert (flows, f"{kind}-{scenario.bottleneck() * 1514 * 8 / 1e6:.0f}") == (pair, bottleneck)


def test_conditions_of_shared_queues_and_paths_stand_in_the_order_of_their_names():
    shared = [run.scenario for run in load_plan(measure.HERE / "plan-shared.toml").runs()]
    names = itertools.product(NAMES["classic"], NAMES["queues"])
    for scenario, (classic, queue) in zip(shared, names, strict=True):
        assert scenario.to_dict()["queue"]["kind"] == queue.partition("-")[0]
        assert scenario.flows[1].algorithm.startswith(classic.partition("-")[0])
        assert scenario.transport.ecn == classic.endswith("-ecn")
    paths = [run.scenario for run in load_plan(measure.HERE / "plan-paths.toml").runs()]
    assert [round(scenario.rtt * 1e3) for scenario in paths] == [
        each["rtt"] for each in measure.PATHS
    ]


def test_every_printed_row_has_a_figure_of_its_name():
    figures = measure.figures(results({measure.run_name("bed", 0, 0): goodput(30, 10)}))
    assert figures["bed.dualpi2-50.prague-10-cubic-10.share"] == 0.75
    assert figures["bed.dualpi2-50.prague-10-cubic-10.ratio"] == 3
    for row in measure.published():
        assert f"bed.{row['bottleneck']}.{row['pair']}.share" in figures
        assert row["share"] == pytest.approx(
            row["first"] / (row["first"] + row["second"]), abs=6e-4
        )
    assert math.isnan(figures["bed.fq_codel-10.cubic-10-cubic-160.share"])


def test_effects_are_the_factors_that_multiply_the_ratio():
    factors = (1.1, 1.0, 0.9, 1.2, 1.0, 1.0, 1.0)
    runs = {}
    for number in range(128):
        ratio = 2.0 * math.prod(f for at, f in enumerate(factors) if number >> at & 1)
        runs[measure.run_name("design", number, 0)] = {"goodput": {"l": ratio, "c": 1.0}}
    figures = measure.figures(results(runs))
    for name, factor in zip(VALUES["factors"], factors, strict=True):
        assert figures[f"design.effect.{name}"] == pytest.approx(factor)
    assert figures["design.mean"] == pytest.approx(2 * math.sqrt(math.prod(factors)))
    assert figures["design.most"] == pytest.approx(2 * 1.1 * 1.2)


def test_factors_of_the_design_are_those_of_the_plan():
    scenarios = [run.scenario for run in load_plan(measure.HERE / "plan-design.toml").runs()]
    prague, none = 1 << 2, 1 << 3
    assert scenarios[0].flows[0].algorithm == "prague"
    assert scenarios[prague].flows[0].algorithm == "prague:linux"
    assert scenarios[none].to_dict()["parameters"] == {"prague": {"rtt_virt_min": 0}}
    assert scenarios[1 << 4].flows[1].algorithm == "cubic:linux"
    assert scenarios[1 << 5].transport.ecn
    assert scenarios[1 << 6].transport.ack_every == 2


def test_the_formula_is_that_of_the_standard():
    # RFC 9332, appendix C.2: 1.0 at 20 ms, 1.14 at 25 ms.
    assert measure.formula(20) == 1.0
    assert measure.formula(25) == pytest.approx(1.14, abs=0.005)


def test_variants_change_what_they_say_and_run_no_more_than_they_need():
    ours = {item.name: item.scenario for item in measure.runs(options())}
    bed = [scenario for name, scenario in ours.items() if name.startswith("bed")]
    for variant in ("step-at-any-length", "virtual-rtt"):
        changed = measure.runs(options(**VARIANTS[variant]))
        assert len(changed) == len(bed)
        for item in changed:
            then, now = ours[item.name].to_dict(), item.scenario.to_dict()
            prague = any(flow["algorithm"] == "prague:linux" for flow in now["flows"])
            dualpi2 = isinstance(now["queue"], dict) and now["queue"]["kind"] == "dualpi2"
            assert (then != now) == (prague if variant == "virtual-rtt" else dualpi2)
    for scenario in bed:
        queue, parameters = (scenario.to_dict().get(key) for key in ("queue", "parameters"))
        assert not isinstance(queue, dict) or queue.get("th_len", 2) == 2
        assert parameters in (None, {}, {"prague:linux": {"rtt_virt_min": 0}})
    back = measure.runs(options(**VARIANTS["fallback"]))
    assert all("prague:linux" in item.scenario.to_dict()["parameters"] for item in back)
    older = measure.runs(options(**VARIANTS["older-edition"]))
    assert {item.scenario.to_dict()["profile"] for item in older} == {"linux-4.18"}
    assert {item.name for item in older} == {name for name in ours if "design" not in name}


def test_replicates_differ_in_seed_and_in_the_start_of_the_second_flow():
    first, second = measure.runs(options(replicates=2, concerned=["second"]))
    assert (first.seed, second.seed) == (1, 2)
    assert [flow.start for flow in first.scenario.flows] == [0.0, 1.0]
    assert [flow.start for flow in second.scenario.flows] == [0.0, pytest.approx(1.37)]
