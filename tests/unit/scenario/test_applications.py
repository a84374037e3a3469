"""Applications of flows: what they resolve to, and what is wrong with them."""

import pytest

import mesonet
from mesonet.plan import expected

NADA = {"kind": "call", "rate": "2 Mbit/s", "adaptation": "nada", "over": "udp"}
WEB = {"kind": "web", "objects": 3, "size": "20 kB", "pause": "2 s", "connections": 2}


def _lab(*applications, **fields):
    names = "abcdef"
    flows = [
        mesonet.flow("cubic", name=name, application=each)
        for name, each in zip(names, applications, strict=False)
    ]
    return mesonet.dumbbell(
        **({"rate": "10 Mbit/s", "rtt": "40 ms", "flows": flows, "duration": "10 s"} | fields)
    )


def test_every_connection_is_a_flow_of_its_application():
    lab = _lab({"kind": "call", "rate": "1 Mbit/s"}, WEB)
    spec = lab.resolve()
    assert [flow["name"] for flow in spec["flows"]] == ["a", "b-1", "b-2"]
    assert [flow["application"] for flow in spec["flows"]] == [0, 1, 1]
    assert [application["name"] for application in spec["applications"]] == ["a", "b"]
    assert list(lab.applications()) == ["a", "b"]


def test_several_applications_alike_have_their_own_connections():
    flows = [mesonet.flow("cubic", name="tab", application=WEB, count=2, start="1 s", stop="5 s")]
    spec = _lab(flows=flows).resolve()
    assert [flow["name"] for flow in spec["flows"]] == ["tab-1-1", "tab-1-2", "tab-2-1", "tab-2-2"]
    assert {(each["start"], each["stop"]) for each in spec["applications"]} == {(1.0, 5.0)}
    assert {flow["stop"] for flow in spec["flows"]} == {None}


def test_laws_are_those_of_the_engine():
    law = {"law": "pareto", "mean": "14.6 kB", "shape": 1.2}
    (own,) = _lab({"kind": "rpc", "size": law, "every": "50 ms"}).resolve()["applications"]
    assert own["separate"]
    assert own["behaviour"]["open"] == {"gap": {"exponential": 0.05}, "size": {"pareto": [10, 1.2]}}
    fixed = {"law": "constant", "mean": "50 ms"}
    reused = {"kind": "rpc", "size": "1 packets", "pause": fixed, "reuse": True}
    (own,) = _lab(reused).resolve()["applications"]
    assert not own["separate"]
    assert own["behaviour"]["closed"]["pause"] == {"constant": 0.05}


def test_a_film_has_the_buffer_of_its_source():
    """Huang and others: 90 s of 240 s are the reservoir, and the rates are highest from 216 s."""
    (own,) = _lab({"kind": "video", "buffer": "240 s"}).resolve()["applications"]
    adaptation = own["behaviour"]["video"]["adaptation"]
    assert adaptation["buffer"] == pytest.approx({"reservoir": 90.0, "cushion": 126.0})


@pytest.mark.parametrize(
    "application",
    [
        "video",
        WEB,
        {"kind": "call", "rate": "2 Mbit/s"},
        NADA,
        {"kind": "trace", "times": [1], "bytes": [1]},
    ],
)
def test_a_file_says_it_again(application):
    lab = _lab(application)
    assert mesonet.scenario_from_dict(lab.to_dict()).resolve() == lab.resolve()


@pytest.mark.parametrize(
    ("fields", "places"),
    [
        ({"application": "call"}, {"application.rate"}),
        ({"application": "films"}, {"application.kind"}),
        ({"application": {"size": "1 kB"}}, {"application.kind"}),
        ({"application": 3}, {"application"}),
        ({"application": {"kind": "call", "rate": "64 kbit/s"}}, {"application.rate"}),
        ({"application": NADA | {"over": "tcp"}}, {"application.over"}),
        ({"application": NADA | {"least_rate": "3 Mbit/s"}}, {"application.least_rate"}),
        ({"application": NADA | {"least_rate": 0}}, {"application.least_rate"}),
        ({"application": {"kind": "rpc", "size": "1 kB"}}, {"application.every"}),
        (
            {"application": {"kind": "rpc", "size": "1 kB", "every": "1 s", "pause": "1 s"}},
            {"application.every"},
        ),
        (
            {"application": {"kind": "rpc", "size": "1 kB", "every": "0 s"}},
            {"application.every"},
        ),
        (
            {"application": WEB | {"size": {"law": "pareto", "mean": "1 kB", "shape": 0.9}}},
            {"application.size.shape"},
        ),
        (
            {"application": WEB | {"size": {"mean": "1 kB", "shape": 2}, "objects": "3"}},
            {"application.size.shape", "application.objects.mean"},
        ),
        (
            {"application": {"kind": "video", "rates": ["1 Mbit/s"] * 2, "buffer": "5 s"}},
            {"application.rates", "application.buffer"},
        ),
        (
            {"application": {"kind": "trace", "times": [2, 1], "bytes": [1]}},
            {"application.times", "application.bytes"},
        ),
        ({"application": "video", "size": "1 MB", "pause": "1 s"}, {"size", "pause"}),
    ],
)
def test_applications_that_make_no_sense_are_told(fields, places):
    with pytest.raises(mesonet.ScenarioError) as caught:
        _lab(flows=[{"algorithm": "reno", **fields}])
    locs = {problem.loc.removeprefix("flows[0].") for problem in caught.value.problems}
    # A gap without a burst is told of, too.
    assert locs - {"pause"} == places - {"pause"}


def test_transfers_come_from_a_file_beside_the_scenario(tmp_path):
    (tmp_path / "m.txt").write_text("# start, size\n0.5 14600\n1.5, 100\n", "utf-8-sig")
    flow = '[[flows]]\nalgorithm = "reno"\napplication = { kind = "trace", file = "m.txt" }\n'
    path = tmp_path / "lab.toml"
    path.write_text(f'kind = "dumbbell"\nrate = "10 Mbit/s"\nrtt = "40 ms"\n{flow}')
    lab = mesonet.load_scenario(path)
    (own,) = lab.resolve()["applications"]
    assert own["behaviour"]["listed"] == {"times": [0.5, 1.5], "sizes": [10, 1]}
    assert mesonet.transfer_trace(tmp_path / "m.txt")["bytes"] == [14600, 100]
    share = flow.replace("flows", "application_shares").replace('algorithm = "reno"', "share = 0.1")
    path.write_text(f'kind = "internet"\n{share}')
    assert mesonet.load_scenario(path).application_shares[0].application.bytes == (14600, 100)


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", [None]),
        (b"\xff\xfe\x00", [None]),
        (b"1 10\n0.5 10\n2 0\n3\n4 5 6\ninf 3\n", [2, 3, 4, 5, 6]),
    ],
)
def test_files_of_transfers_that_make_no_sense_are_told(tmp_path, content, lines):
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    with pytest.raises(mesonet.ScenarioError) as caught:
        mesonet.transfer_trace(path)
    places = [str(path) if line is None else f"{path}:{line}" for line in lines]
    assert [problem.loc for problem in caught.value.problems] == places


@pytest.mark.parametrize(
    ("application", "packets"),
    [
        ({"kind": "rpc", "size": "10 packets", "every": "100 ms"}, 1010),
        ({"kind": "rpc", "size": "10 packets", "pause": "1 s", "reuse": True}, 110),
        ({"kind": "trace", "times": [0, 1], "bytes": [14600, 14600]}, 20),
        (NADA, 2e6 * 10 / (1460 * 8)),
    ],
)
def test_a_plan_expects_what_the_application_asks_for(application, packets):
    assert expected(_lab(application).resolve()).packets == pytest.approx(packets, rel=0.02)


def test_applications_are_on_flows_of_every_laboratory():
    crossing = {"algorithm": "reno", "name": "web", "application": WEB}
    lot = mesonet.parking_lot(
        hops=2, rate="10 Mbit/s", rtt="40 ms", flows=["cubic"], cross=[crossing], duration="5 s"
    )
    assert list(lot.applications()) == ["hop 1 web", "hop 2 web"]
    run = mesonet.simulate(lot)
    assert set(run.requests["application"]) == {"hop 1 web", "hop 2 web"}
    assert run.responses["page_load_time"] > 0.04
    link = {"ends": ["server", "client"], "rate": "10 Mbit/s", "delay": "20 ms"}
    flow = {"algorithm": "reno", "source": "server", "receiver": "client", "name": "film"}
    network = mesonet.custom(links=[link], flows=[flow | {"application": "video"}])
    assert network.applications()["film"].base_rtt == pytest.approx(0.04)
