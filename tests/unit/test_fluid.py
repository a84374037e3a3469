"""The fluid model: known constants, the queue, what it refuses, and the engine beside it."""

from pathlib import Path

import polars as pl
import pytest

import mesonet
from mesonet import fluid
from mesonet.errors import ScenarioError
from mesonet.fluid import known


def world(**changed):
    """Ten Reno flows that a path of 100 Mbit/s and 40 ms has room for."""
    fields = {"rate": "100 Mbit/s", "rtt": "40 ms", "flows": [mesonet.flow("reno", count=10)]}
    return mesonet.dumbbell(**{**fields, "duration": "60 s", **changed})


def late(scenario):
    """Means of the last third."""
    return fluid.solve(scenario).tail(200).mean().row(0, named=True)


@pytest.mark.parametrize("loss", [1e-3, 1e-2])
def test_under_random_loss_reno_has_a_window_of_the_square_root_of_two_over_p(loss):
    """`dw/dt = 0` where `w^2 p = 2`: Misra, Gong, Towsley 2000, with equal windows."""
    means = late(world(rate="1 Gbit/s", loss=loss))
    assert means["window"] == pytest.approx((2 / loss) ** 0.5, rel=0.01)
    assert means["loss"] == pytest.approx(loss)
    assert means["queue"] < 1


def test_under_random_loss_cubic_has_its_published_response():
    """`w = W` and `s = K`: `w^4 = c / (1 - beta) (T / p)^3`, RFC 9438 5.1 but for its average."""
    own = {"cubic": {"c": 0.5, "beta": 0.6, "reno_friendly": 0}}
    flows = [mesonet.flow("cubic", count=10)]
    # It begins near the answer, which it nears as a power of time only.
    near = world(rate="60 Mbit/s", buffer="0.1 bdp", loss=1e-3, flows=flows, parameters=own)
    means = late(near.replace({"duration": "1000 s"}))
    assert means["window"] == pytest.approx((0.5 / 0.4 * (0.04 / 1e-3) ** 3) ** 0.25, rel=0.04)


@pytest.mark.parametrize("algorithm", ["reno", "cubic"])
def test_flows_fill_a_link_that_has_a_buffer_of_its_product(algorithm):
    scenario = world(flows=[mesonet.flow(algorithm, count=10)])
    means = late(scenario)
    assert 10 * means["rate"] == pytest.approx(scenario.bottleneck(), rel=1e-3)
    queue = fluid.solve(scenario)["queue"].to_numpy()
    assert 0 <= queue.min() < queue.max() <= scenario.resolve()["stations"][0]["buffer"]["packets"]


def test_a_full_queue_loses_what_does_not_fit():
    """The smallest windows leave a stable queue; Reno's balance of `w^2 p = 2` holds there, too."""
    means = late(world(rate="20 Mbit/s", rtt="20 ms", flows=[mesonet.flow("reno", count=15)]))
    assert means["window"] ** 2 * means["loss"] == pytest.approx(2, rel=0.1)
    assert means["loss"] > 0.05


def test_a_receive_window_bounds_it():
    means = late(world(transport={"receive_window": 12}))
    assert means["window"] == 12
    assert means["loss"] == 0


BBR = [mesonet.flow("bbr1", count=10)]


def test_bbr_over_a_short_buffer_overdrives_it_by_what_probes_find():
    """`b = 1.25 b C / (N b + b / 4)`, so `b = 5 C / (4 N + 1)`, and `(N - 1) / (5 N)` is lost."""
    means = late(world(buffer="0.25 bdp", flows=BBR))
    assert means["loss"] == pytest.approx(9 / 50, abs=0.01)


def test_bbr_over_a_long_buffer_keeps_two_products_under_way():
    """`N (2 b m + 3) = C T`: beside a product, three segments of each flow wait."""
    scenario = world(buffer="4 bdp", flows=BBR)
    means, product = late(scenario), scenario.bottleneck() * 0.04
    assert means["queue"] == pytest.approx(product + 30, rel=0.05)
    assert means["loss"] == 0


@pytest.mark.parametrize("beside", ["reno", "cubic"])
def test_bbr_counts_the_queue_of_others_as_its_path(beside):
    """Ware and others 2019: its window is two products of a path with the others' queue."""
    both = [*BBR, mesonet.flow(beside, count=10)]
    means = known.means(world(buffer="4 bdp", flows=both, warm_up=2 / 3))
    share, window, _ = means["bbr1"]
    product = share * world().bottleneck() / 10 * 0.04
    assert window > 1.5 * (2 * product + 3)
    assert share + means[beside].share == pytest.approx(1, abs=0.02)
    assert 0.2 < share < 0.8


def test_errors_are_known_between_levels_that_were_measured_and_not_outside():
    near = world(rate="50 Mbit/s", buffer="0.6 bdp")
    assert known.known_error(near, "reno").share < 0.1
    assert known.known_error(world(rate="1 Gbit/s"), "reno") is None
    assert known.known_error(world(profile="linux"), "reno") is None
    for changes in (
        {"transport": {"recovery": "tahoe"}},
        {"transport": {"receive_window": 20}},
        {"parameters": {"reno": {"decrease": 0.3}}},
    ):
        assert known.known_error(near.replace(changes), "reno") is None
    both = world(flows=[mesonet.flow("bbr1", count=2), "cubic", "cubic"])
    assert all(known.known_error(both, name).share > 0 for name in ("bbr1", "cubic"))


def test_an_error_that_was_measured_is_the_difference_of_both_models():
    row = known.measured().filter(algorithm="reno", flows=1, random=0, buffer=1, rtt=0.02)
    scenario = mesonet.dumbbell(
        rate="20 Mbit/s", rtt="20 ms", flows=["reno"], duration="200 s", warm_up=0.4
    )
    share = known.means(scenario)["reno"].share
    carried = mesonet.simulate(scenario, seed=1).responses["utilization"]
    assert row["share"][0] == pytest.approx(share - carried, abs=1e-4)


def test_the_same_scenario_has_the_same_solution():
    assert fluid.solve(world()).equals(fluid.solve(world()))


def test_four_times_as_many_steps_move_it_little(monkeypatch):
    coarse = late(world())
    monkeypatch.setattr(fluid, "STEPS_PER_RTT", 4 * fluid.STEPS_PER_RTT)
    fine = late(world())
    assert coarse["window"] == pytest.approx(fine["window"], rel=0.01)
    assert coarse["queue"] == pytest.approx(fine["queue"], rel=0.03)


def test_time_is_that_of_the_engine():
    scenario = world(duration="2 s", interval="0.25 s")
    times = mesonet.simulate(scenario).series["time"].to_list()
    assert fluid.solve(scenario)["time"].to_list() == pytest.approx(times)


@pytest.mark.parametrize("algorithm", ["reno", "cubic"])
def test_the_engine_has_nearly_the_same_windows(algorithm):
    scenario = world(flows=[mesonet.flow(algorithm, count=10)], warm_up=2 / 3)
    window = mesonet.simulate(scenario).responses["flow_cwnd"]
    assert late(scenario)["window"] == pytest.approx(window, rel=0.1)


@pytest.mark.parametrize(
    ("changed", "place"),
    [
        ({"flows": ["bbr3"]}, "flows[0].algorithm"),
        ({"flows": ["reno", "cubic"]}, "flows[1].algorithm"),
        ({"flows": ["bbr1", "cubic", "reno"]}, "flows[2].algorithm"),
        ({"flows": ["reno", mesonet.flow("reno", rtt="50 ms")]}, "flows[1].rtt"),
        ({"flows": [mesonet.flow("reno", start="1 s")]}, "flows[0].start"),
        ({"flows": [mesonet.flow("reno", size="1 MB")]}, "flows[0].size"),
        ({"queue": "codel"}, "queue"),
        ({"access_rate": "1 Gbit/s"}, "access_rate"),
        ({"rate_changes": [("1 s", "5 Mbit/s")]}, "rate_changes"),
        ({"half_duplex": True}, "half_duplex"),
    ],
)
def test_what_the_equations_do_not_contain_is_refused(changed, place):
    with pytest.raises(ScenarioError) as error:
        fluid.solve(world(**changed))
    assert (place, "unsupported") in [problem[:2] for problem in error.value.problems]


def lot(**changed):
    """A parking lot of three hops, with ten Reno flows over all of them and over each."""
    fields = {"rate": "100 Mbit/s", "rtt": "40 ms", "flows": [mesonet.flow("reno", count=10)]}
    return mesonet.parking_lot(**{**fields, "hops": 3, "duration": "60 s", **changed})


def test_over_hops_in_a_row_losses_add_up():
    """`w^2 p = 2` where p is the sum over the hops: Misra, Gong, Towsley 2000, of a network."""
    solved = fluid.solve(lot(rate="1 Gbit/s", loss=1e-3)).filter(pl.col("time") > 40)
    windows = dict(solved.group_by("hops").agg(pl.col("window").mean()).iter_rows())
    assert windows.keys() == {"1 to 3", "1 to 1", "2 to 2", "3 to 3"}
    assert windows["1 to 3"] == pytest.approx((2 / 3e-3) ** 0.5, rel=0.01)
    assert windows["2 to 2"] == pytest.approx((2 / 1e-3) ** 0.5, rel=0.01)


@pytest.mark.parametrize("algorithm", ["reno", "cubic", "bbr1"])
def test_each_hop_of_a_row_carries_its_capacity_at_most(algorithm):
    scenario = lot(flows=[mesonet.flow(algorithm, count=10)], duration="20 s")
    rates = dict(
        fluid.solve(scenario)
        .filter(pl.col("time") > 10)
        .group_by("hops")
        .agg(pl.col("rate").mean())
        .iter_rows()
    )
    through = rates.pop("1 to 3")
    assert 0 < through < min(rates.values())
    for across in rates.values():
        assert 10 * (through + across) == pytest.approx(scenario.bottleneck(), rel=0.03)


def test_flows_over_one_hop_are_refused_like_those_over_all():
    with pytest.raises(ScenarioError) as error:
        fluid.solve(lot(cross=["cubic", mesonet.flow("reno", start="1 s")]))
    places = [problem[:2] for problem in error.value.problems]
    assert places == [("cross[0].algorithm", "unsupported"), ("cross[1].start", "unsupported")]


def test_other_worlds_are_refused():
    examples = Path(__file__).parents[2] / "examples" / "scenarios"
    with pytest.raises(ScenarioError) as error:
        fluid.solve(mesonet.load_scenario(examples / "internet-small.toml"))
    assert [problem[:2] for problem in error.value.problems] == [("kind", "unsupported")]


def test_a_rate_in_packets_is_modelled_where_acks_are_free():
    assert late(world(rate="1000 packets/s"))["rate"] == pytest.approx(100, rel=0.01)
    with pytest.raises(ScenarioError) as error:
        fluid.solve(world(rate="1000 packets/s", transport={"ack_cost": True}))
    assert error.value.problems[0][:2] == ("transport.ack_cost", "unsupported")
