"""Pictures of laboratories."""

from drawings import values
from labs import world

import mesonet
from mesonet.figures import laboratory_chart
from mesonet.report import ReportInputs, build
from mesonet.report.run import render_run

EDGE = {"rate": "100 Mbit/s", "delay": "1 ms"}
NETWORK = mesonet.custom(
    links=[
        {
            "ends": ["west", "east"],
            "rate": "20 Mbit/s",
            "delay": "9 ms",
            "reverse_rate": "5 Mbit/s",
        },
        {"ends": ["ann", "west"], **EDGE, "loss": 0.1, "queue": "codel"},
        {"ends": ["ada", "west"], **EDGE},
        {"ends": ["east", "bob"], **EDGE},
    ],
    flows=[
        {"algorithm": "reno", "source": "ann", "receiver": "bob", "count": 3},
        {"algorithm": "reno", "source": "bob", "receiver": "ada"},
    ],
    duration="1 s",
)


def drawn(scenario):
    """Links and nodes of the picture by name."""
    rows = values(laboratory_chart(scenario))
    links = {row["link"]: row for row in rows if "link" in row}
    return links, {row["node"]: row for row in rows if "node" in row}


def test_links_say_what_they_are_and_what_crosses_them():
    links, _ = drawn(NETWORK)
    assert links["west to east"]["label"].split("\n") == [
        *("20 Mbit/s, 9 ms", "droptail, 1000 packets", "3 flows"),
        *("back: 5 Mbit/s, 9 ms", "droptail, 1000 packets", "back: 1 flow"),
    ]
    there = links["ann to west"]["label"].split("\n")
    assert there[:3] == ["100 Mbit/s, 1 ms, loss 0.1", "codel, 1000 packets", "3 flows"]
    assert links["ada to west"]["label"].endswith("back: 1 flow")


def test_nodes_have_places_of_their_own_from_left_to_right():
    _, nodes = drawn(NETWORK)
    places = [(node["x"], node["y"]) for node in nodes.values()]
    assert len(set(places)) == len(nodes) == 5
    way = [nodes[name]["x"] for name in ("ann", "west", "east", "bob")]
    assert way == [0, 1, 2, 3]


def test_parts_that_nothing_joins_are_drawn_too():
    apart = NETWORK.to_dict()
    apart["links"].append({"ends": ["x", "y"], **EDGE})
    _, nodes = drawn(mesonet.scenario_from_dict(apart))
    assert len({(node["x"], node["y"]) for node in nodes.values()}) == 7


def test_links_of_large_networks_have_no_words():
    def star(hosts):
        links = [{"ends": ["hub", f"host {k}"], **EDGE} for k in range(hosts)]
        flows = [{"algorithm": "reno", "source": "host 0", "receiver": "host 1"}]
        chart = laboratory_chart(mesonet.custom(links=links, flows=flows)).to_dict()
        assert chart["height"] <= 1200
        return [layer["data"]["values"] for layer in chart["layer"]]

    assert [text == "[]" for text in star(15)] == [False] * 5
    assert [text == "[]" for text in star(300)] == [False, True, True, False, False]


def test_the_report_of_a_campaign_has_it_too(tmp_path):
    plan = {
        "name": "net",
        "scenario": NETWORK.to_dict(),
        "responses": ["flow_goodput"],
        "alternatives": [
            {"label": name, "set": {"flows[0].algorithm": name}} for name in ("reno", "cubic")
        ],
    }
    campaign = mesonet.run_campaign(mesonet.plan_from_dict(plan), out=tmp_path / "net")
    page = build(ReportInputs.from_campaign(campaign), tmp_path / "net.html")
    assert "Hosts and links" in page.read_text("utf-8")


def test_the_page_of_a_run_has_the_network_where_it_is_more_than_a_link():
    lot = mesonet.parking_lot(rate="1 Mbit/s", rtt="20 ms", flows=["reno"], duration="1 s")
    bell = mesonet.dumbbell(rate="1 Mbit/s", rtt="20 ms", flows=["reno"], duration="1 s")
    pages = [render_run(mesonet.simulate(it)) for it in (lot, bell, NETWORK)]
    assert ["Hosts, routers and links" in page for page in pages] == [True, False, True]


def test_the_page_of_a_national_network_is_of_all_its_algorithms():
    page = render_run(mesonet.simulate(world({"reno": 0.3, "cubic": 0.7})))
    assert "<h1>reno, cubic</h1>" in page
    assert "retransmitted by named flows" in page
