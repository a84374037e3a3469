"""Reno and CUBIC of the examples, in Python, give the runs of the built-in ones, bit for bit."""

import math
import sys
from pathlib import Path

import pytest
from labs import assert_same, lab, world

import mesonet
from mesonet import controller

pytestmark = pytest.mark.usefixtures("path")
EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "controllers"
TWINS = {"reno": "python:reno.Reno", "cubic": "python:cubic.Cubic"}


def assert_twins(scenario, algorithm):
    again = scenario.replace(
        {
            f"flows[{here}].algorithm": TWINS[algorithm]
            for here, flow in enumerate(scenario.flows)
            if flow.algorithm == algorithm
        }
    )
    runs = [mesonet.simulate(it, seed=3) for it in (scenario, again)]
    assert_same(*runs)
    return runs[0]


@pytest.mark.parametrize(
    "changes",
    [
        {"loss": 0.002},
        {"loss": 0.03, "profile": "mesonet"},
        {"initial_ssthresh": 20, "flows[0].size": "200 p"},
        {"rate": "2 p/ms", "buffer": "20 p", "profile": "linux"},
        # Packets a round trip late: reductions are taken back.
        {"path": {"reordering": {"probability": 0.01, "delay": "60 ms"}}, "profile": "linux"},
    ],
)
def test_reno_in_python_is_reno(changes):
    run = assert_twins(
        lab({"algorithm": "reno", "count": 3}, duration="20 s").replace(changes), "reno"
    )
    assert run.totals["recoveries"] > 0


@pytest.mark.parametrize(
    ("changes", "happens"),
    [
        # HyStart++, then the whole cubic function, alone and against another flow of its kind.
        pytest.param({}, "recoveries", id="clean"),
        pytest.param({"flows[0].count": 2}, "timeouts", id="two flows"),
        # All of Conservative Slow Start without a loss.
        pytest.param(
            {"rate": "4 Mbit/s", "rtt": "60 ms", "buffer": "30 bdp"}, "acks", id="large buffer"
        ),
        pytest.param(
            {
                "buffer": "5 p",
                "profile": "linux",
                "transport": {"recovery": "sack"},
                "flows[0].count": 2,
            },
            "timeouts",
            id="shallow",
        ),
        pytest.param({"loss": 0.002}, "recoveries", id="random loss"),
        pytest.param(
            {"loss": 0.08, "profile": "mesonet", "flows[0].count": 2}, "timeouts", id="heavy loss"
        ),
        # The function runs away from a small window, so that its bound counts.
        pytest.param(
            {"rtt": "900 ms", "loss": 0.02, "duration": "200 s"}, "timeouts", id="long round trip"
        ),
        pytest.param({"rtt": "400 ms", "rate": "50 Mbit/s"}, "recoveries", id="large window"),
        pytest.param({"transport": {"ack_every": 16}}, "recoveries", id="few ACKs"),
        pytest.param(
            {"transport": {"receive_window": 40}, "loss": 0.003}, "recoveries", id="receive window"
        ),
        pytest.param({"queue": {"kind": "droptail", "mark_above": 5}}, "recoveries", id="marking"),
        pytest.param(
            {"initial_ssthresh": 20, "flows[0].size": "300 p", "buffer": "20 p", "loss": 0.02},
            "recoveries",
            id="finite flow",
        ),
    ],
)
def test_cubic_in_python_is_cubic(changes, happens):
    run = assert_twins(lab("cubic", duration="20 s").replace(changes), "cubic")
    assert run.totals[happens] > 0


def test_cubic_in_python_is_cubic_among_others():
    flows = [
        {"algorithm": "cubic"},
        {"algorithm": "reno", "size": "400 p", "start": "600 ms"},
        {"algorithm": "cubic", "start": "5 s", "stop": "9 s"},
        {"algorithm": "reno", "reverse": True},
    ]
    assert assert_twins(lab(*flows, duration="20 s"), "cubic").totals["recoveries"] > 0


@pytest.mark.parametrize("algorithm", TWINS)
@pytest.mark.parametrize("profile", ["mesonet", "rfc"])
def test_twins_in_many_regions_and_on_many_threads(profile, algorithm):
    plain = mesonet.simulate(world(algorithm, profile=profile), seed=1)
    scenario = world(TWINS[algorithm], profile=profile)
    assert scenario.resolve()["regions"] > 1
    assert plain.totals["timeouts"] > 0
    for threads in (1, 2):
        assert_same(plain, mesonet.simulate(scenario, seed=1, threads=threads))


def test_parameters_of_cubic_are_those_of_the_built_in_one():
    parameters = {"c": 4.0, "beta": 0.5}
    names = ("cubic", TWINS["cubic"])
    lossy = {"loss": 0.001, "duration": "20 s"}
    scenarios = [lab(name, parameters={name: parameters}, **lossy) for name in names]
    runs = [mesonet.simulate(scenario, seed=1) for scenario in scenarios]
    assert_same(*runs)
    plain = mesonet.simulate(lab("cubic", **lossy), seed=1)
    assert not plain.flows["cwnd"].equals(runs[0].flows["cwnd"])


def test_a_changed_base_class_makes_other_runs(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    algorithms = [{"name": TWINS["cubic"], "params": {}}]
    prints = set()
    for addition in ("", "# changed\n"):
        for module in ("cubic", "reno"):
            text = (EXAMPLES / f"{module}.py").read_text("utf-8")
            tail = addition if module == "reno" else ""
            (tmp_path / f"{module}.py").write_text(text + tail, "utf-8")
            sys.modules.pop(module, None)
        prints.add(controller.fingerprint(algorithms))
    assert len(prints) == 2


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        (controller.cbrt(2.0), "0x1.428a2f98d728bp+0"),
        (controller.exp(1.0), "0x1.5bf0a8b14576ap+1"),
        (controller.exp2(0.5), "0x1.6a09e667f3bcdp+0"),
        (controller.log(10.0), "0x1.26bb1bbb55516p+1"),
        (controller.log1p(1e-10), "0x1.b7cdfd9d1d693p-34"),
        (controller.power(10.0, -0.5), "0x1.43d136248490fp-2"),
    ],
)
def test_elementary_functions_have_the_same_bits_everywhere(value, bits):
    assert value.hex() == bits


def test_elementary_functions_are_those_of_mathematics():
    for x in (1e-9, 0.1, 1.0, 3.7, 250.0):
        assert controller.cbrt(x) == pytest.approx(x ** (1 / 3), rel=1e-15)
        assert controller.exp(x) == pytest.approx(math.exp(x), rel=1e-15)
        assert controller.exp2(x) == pytest.approx(2**x, rel=1e-15)
        assert controller.log(x) == pytest.approx(math.log(x), rel=1e-15)
        assert controller.log1p(x) == pytest.approx(math.log1p(x), rel=1e-15)
        assert controller.power(x, 0.3) == pytest.approx(x**0.3, rel=1e-15)


def test_elementary_functions_do_not_raise():
    assert math.isnan(controller.log(-1.0))
    assert controller.log(0.0) == -math.inf
    assert controller.exp(1e4) == math.inf
    assert math.isnan(controller.power(-8.0, 1 / 3))
