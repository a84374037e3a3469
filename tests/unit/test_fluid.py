"""The fluid model: known constants, the queue, what it refuses, and the engine beside it."""

import pytest

import mesonet
from mesonet import fluid
from mesonet.errors import ScenarioError


def world(**changed):
    """Ten Reno flows that a path of 100 Mbit/s and 40 ms has room for."""
    given = {"rate": "100 Mbit/s", "rtt": "40 ms", "flows": [mesonet.flow("reno", count=10)]}
    return mesonet.dumbbell(**{**given, "duration": "60 s", **changed})


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


def test_other_worlds_are_refused():
    incast = mesonet.incast(
        rate="1 Gbit/s", rtt="1 ms", servers=3, algorithm="reno", duration="1 s"
    )
    with pytest.raises(ScenarioError) as error:
        fluid.solve(incast)
    assert [problem[:2] for problem in error.value.problems] == [("kind", "unsupported")]


def test_a_rate_in_packets_is_modelled_where_acks_are_free():
    assert late(world(rate="1000 packets/s"))["rate"] == pytest.approx(100, rel=0.01)
    with pytest.raises(ScenarioError) as error:
        fluid.solve(world(rate="1000 packets/s", transport={"ack_cost": True}))
    assert error.value.problems[0][:2] == ("transport.ack_cost", "unsupported")
