"""The studies of wide-area TCP: paths, printed tables, measures, claims and pages."""

import dataclasses
import functools
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from mesonet.responses.flow_series import instantaneous_fairness
from mesonet.scenario.keywords import dumbbell
from mesonet.simulation import check, simulate
from mesonet.studies import Options, find_study
from mesonet_studies.slac import charts
from mesonet_studies.slac.cern.measure import measure_phases
from mesonet_studies.slac.paths import path_tests, scenario, short_flows
from mesonet_studies.slac.samples import Samples, measure_test, ratio
from mesonet_studies.slac.wan import measure as wan

NAMES = ("slac-wan", "slac-ctcp", "slac-impact", "slac-2005")


@functools.cache
def options_of(name, size="desk"):
    """Options of a study as its code sees them."""
    return find_study(name).prepare(Options(size)).options


def keyed(name):
    options = options_of(name)
    return {test.key: test for test in path_tests(options)}, options.values


@functools.cache
def printed(name, *tables):
    options = options_of(name)
    return [charts.printed_values(options, table) for table in tables]


def test_paths_have_the_printed_round_trips_and_buffers():
    tests, _ = keyed("slac-wan")
    paths = {test.path.name: test.path for test in tests.values()}
    assert [path.rtt_ms for path in paths.values()] == [8, 70, 150]
    assert (paths["florida"].buffer, paths["ireland"].buffer) == (375, 250)
    assert {test.path.rtt_ms for test in keyed("slac-2005")[0].values()} == {180}


def test_hosts_are_those_of_a_named_edition():
    """The experiments came before RACK, and what later kernels do must not move them."""
    for name in NAMES:
        tests, values = keyed(name)
        for test in tests.values():
            hosts = scenario(test, values, seed=1)
            assert hosts.profile == "linux-4.18"
            assert hosts.transport_options()["recovery"] == "sack"


def test_loss_gives_the_printed_single_flow_by_renos_response_function():
    tests, _ = keyed("slac-wan")
    for name, rate in (("caltech", 521), ("florida", 114), ("ireland", 62)):
        path = tests[f"{name}.reno.1"].path
        window = math.sqrt(1.5 / path.loss)
        assert window * 1460 * 8 / (path.rtt_ms / 1000) / 1e6 == pytest.approx(rate)


def test_printed_tables():
    throughput, sigma, xi = printed("slac-wan", "throughput", "sigma", "xi")
    assert throughput["ireland.ctcp.1"] == (146, 37)
    assert throughput["caltech.hstcp.2"] == (504, 136)
    assert throughput["florida.hstcp.reverse"] == (114, 4)
    assert sigma["florida.hstcp.4"] == (0.622, 0.311)
    assert xi["florida.hstcp.2"] == (1.0, 0.065)
    assert (len(throughput), len(sigma), len(xi)) == (45, 27, 27)
    assert printed("slac-ctcp", "burst-xi")[0]["ireland.ctcp:slac-muted.8"] == (0.52, 0.03)
    assert printed("slac-impact", "change")[0]["florida.hstcp"] == (-0.25, 0.01)
    rows = {row["algorithm"]: row for row in charts.printed_rows(options_of("slac-2005"))}
    assert rows["htcp"]["rtt"] == 57


def test_a_test_starts_its_flows_one_after_the_other():
    tests, values = keyed("slac-ctcp")
    world = scenario(tests["ireland.ctcp.8"], values, seed=1)
    assert [flow.start for flow in world.flows] == [12.0 * turn for turn in range(8)]
    assert world.resolve()["stations"][0]["buffer"] == {"packets": 250}
    assert world.loss == tests["ireland.ctcp.8"].path.loss
    assert world.duration == 240.0
    check(world)


def test_reverse_flows_stand_against_one():
    tests, values = keyed("slac-wan")
    world = scenario(tests["caltech.reno.reverse"], values, seed=1)
    assert world.forward_flows() == ("flow 1",)
    assert sum(flow.count for flow in world.flows if flow.reverse) == 16


def test_a_new_flow_starts_after_seven_standard_ones():
    tests, _ = keyed("slac-impact")
    assert tests["ireland.reno"].flows == ("reno",) * 8
    assert tests["ireland.ctcp"].flows == ("reno",) * 7 + ("ctcp",)
    assert [key for key in tests if key.startswith("florida")] == [
        "florida.reno",
        "florida.ctcp",
        "florida.hstcp",
    ]


def test_short_flows_are_the_same_for_a_seed_and_ask_for_their_part():
    tests, values = keyed("slac-wan")
    path, values = tests["florida.reno.1"].path, values | {"web": 0.1}
    flows = short_flows(path, values, duration=2000.0, seed=3)
    assert flows == short_flows(path, values, duration=2000.0, seed=3)
    assert flows != short_flows(path, values, duration=2000.0, seed=4)
    expected = 0.1 * path.rate * 1e6 * 2000 / (8 * 1500 * 1000)
    assert len(flows) == pytest.approx(expected, rel=0.1)
    packets = [int(flow["size"].split()[0]) for flow in flows]
    assert np.mean(packets) == pytest.approx(1000, rel=0.5)
    check(scenario(tests["caltech.reno.1"], values | {"scale": 0.1}, seed=1))


def test_variants_change_loss_short_flows_and_acknowledgements():
    prepared = find_study("slac-2005").prepare(Options("desk"))
    worlds = {
        variant: [item.scenario for item in prepared.items if item.name.endswith(f", {variant}")]
        for variant in ("short", "quiet", "web", "delayed")
    }
    assert {variant: len(each) for variant, each in worlds.items()} == dict.fromkeys(worlds, 6)
    everything = [scenario for each in worlds.values() for scenario in each]
    assert {scenario.duration for scenario in everything} == {240.0}
    assert {variant: {s.loss > 0 for s in each} for variant, each in worlds.items()} == {
        "short": {True},
        "quiet": {False},
        "web": {False},
        "delayed": {True},
    }
    assert all(any(f.name.startswith("web") for f in s.flows) for s in worlds["web"])
    assert {s.transport.ack_every for s in worlds["delayed"]} == {2}


def small_run(flows=2):
    """A run of 4 s in intervals of 0.1 s, flows all sending from 1 s on."""
    world = dumbbell(
        rate="8 Mbit/s",
        rtt="20 ms",
        buffer="20 packets",
        flows=[
            {"algorithm": "reno", "name": f"flow {k + 1}", "start": f"{k / (flows - 1)} s"}
            for k in range(flows)
        ],
        duration="4 s",
    )
    return simulate(world)


def with_rates(run, rates):
    """The run with segments acknowledged per interval and flow in place of its own."""
    count = rates.shape[1]
    acked = pl.Series(rates.reshape(-1), dtype=pl.UInt64)
    phase = pl.Series([2] * rates.size, dtype=pl.Int8)
    frame = run.flows.with_columns(acked=acked, phase=phase)
    assert frame["flow"].n_unique() == count
    return dataclasses.replace(run, tables={**run.tables, "flows": frame})


def test_fairness_of_a_test_by_hand():
    rates = np.array([[28, 12]] * 20 + [[20, 20]] * 20)
    measured = measure_test(with_rates(small_run(), rates))
    segment = 1460 * 8 / 0.1 / 1e6
    assert measured["total"] == pytest.approx(40 * segment)
    assert measured["flows"]["flow 1"] == pytest.approx(24 * segment)
    assert measured["sigma_f"] == pytest.approx(4 / 20)
    # Two seconds with a deviation of 8 between flows and two with none, around a mean of 20.
    assert measured["xi_f_1s"] == pytest.approx(4 / 20)
    assert measured["spread"] == pytest.approx(math.sqrt(32) / 20)
    assert measured["spell"] == 0.0


def test_a_spell_is_a_row_of_seconds_with_less_than_half_a_share():
    rates = np.array([[36, 4]] * 20 + [[20, 20]] * 10 + [[36, 4]] * 10)
    assert measure_test(with_rates(small_run(), rates))["spell"] == pytest.approx(1.5)


def test_phases_by_hand():
    rates = np.array(
        [[40, 0, 0, 0]] * 10 + [[30, 10, 0, 0]] * 10 + [[8, 8, 8, 0]] * 10 + [[10] * 4] * 10
    )
    phases = measure_phases(with_rates(small_run(4), rates))
    segment = 1460 * 8 / 0.1 / 1e6
    assert [phases[f"total.{k}"] / segment for k in (1, 2, 3, 4)] == pytest.approx([40, 40, 24, 40])
    assert phases["fairness"] == pytest.approx(1600 / (2 * 1000))
    assert phases["second_share"] == pytest.approx(0.25)
    assert phases["stability"] == pytest.approx(np.std([40, 40, 24, 40]) / 36)


def fairness(key, sigma, xi):
    tables = {"sigma": sigma, "xi": xi}
    return {name: table[key].value for name, table in tables.items() if key in table}


def test_the_printed_formula_cannot_have_given_the_printed_values():
    folder = Path(wan.__file__).parent
    entries = {}
    for row in pl.read_csv(folder / "printed.csv").iter_rows(named=True):
        for path in wan.PATHS:
            if row["table"] in ("sigma", "xi") and row[path] is not None:
                entries[row["table"], row["test"], path] = row[path]
    tests = [key[1:] for key in entries if key[0] == "xi"]
    assert len(tests) == 27
    # As a root mean square has it, and a deviation over time need not.
    assert all(entries["xi", *each] > entries["sigma", *each] for each in tests)
    # Two flows of steady sum differ by at most all of it: one takes everything, and in turn shares.
    extreme = np.array([[2.0, 0.0], [1.0, 1.0]] * 20)
    most = instantaneous_fairness(extreme, interval=1.0, window=1.0)
    assert most == pytest.approx(0.5)
    assert max(entries["xi", *each] for each in tests if each[0].endswith(".2")) > 2 * most - 1e-9
    assert options_of("slac-wan").values["xi"] == options_of("slac-ctcp").values["xi"] == "spread"


def test_full_size_has_the_printed_repeats():
    options = options_of("slac-ctcp", "full")
    names = [item.name for item in find_study("slac-ctcp").prepare(Options("full")).items]
    assert len(options.values["repeats_of"]) == 9
    for label, count in options.values["repeats_of"].items():
        mine = [name for name in names if name.startswith(f"ireland.{label}.seed")]
        assert sum("," not in name for name in mine) == count


def test_means_of_tests_that_were_not_measured_are_unknown():
    runs = {"a.reno.1": [{"total": 1.0}, {"total": 2.0}], "a.reno.2": [{"total": math.nan}]}
    means = Samples(options_of("slac-wan"), [], runs).means("total", ["a"], ["reno"], [1, 2, 4])
    assert means.shape == (1, 1, 3)
    assert means[0, 0, 0] == 1.5
    assert np.isnan(means[0, 0, 1:]).all()
    assert math.isnan(means.max())
    assert math.isnan(means.min())
    assert math.isnan(ratio(1.0, 0.0))
