"""Profiles of the transport and editions of Linux."""

import re
from pathlib import Path
from typing import get_args

import pytest
from refusals import refused

from mesonet import dumbbell, flow, simulate
from mesonet.errors import ScenarioError
from mesonet.scenario.mechanisms import TRANSPORT_OPTIONS
from mesonet.scenario.transport import OFF, PARAMETERS, PROFILES, SUMMARIES, Profile

DOCS = Path(__file__).resolve().parents[3] / "docs"
OLD, NEW = "linux-4.18", "linux-6.18"
SHOWN = {True: "true", False: "false", None: "none"}


def scenario(profile, algorithm="cubic:linux", **more):
    return dumbbell(
        rate="10 Mbit/s",
        rtt="20 ms",
        duration="1 s",
        profile=profile,
        flows=[flow(algorithm)],
        **more,
    )


def test_every_profile_has_a_name_a_summary_and_all_options():
    assert tuple(PROFILES) == tuple(SUMMARIES) == get_args(Profile)
    assert PARAMETERS.keys() <= PROFILES.keys()
    for options in PROFILES.values():
        assert options.keys() - OFF.keys() == PROFILES["rfc"].keys() - OFF.keys()


def test_what_opens_the_window_is_said_by_every_profile():
    """RFC 5681 section 3.1: each ACK "that cumulatively acknowledges new data"."""
    growth = {name: options["growth"] for name, options in PROFILES.items()}
    assert growth == {
        "mesonet": "delivered",
        "rfc": "cumulative",
        "linux": "cumulative",
        OLD: "delivered",
        NEW: "cumulative",
        "quic": "delivered",
    }


@pytest.mark.parametrize("profile", ["rfc", None])
def test_a_dumbbell_in_bits_grows_by_acks_that_advance(profile):
    assert scenario(profile).resolve()["transport"]["growth"] == "cumulative"
    # What is off is left out, so that runs of these profiles keep their ids.
    assert "growth" not in scenario("mesonet").resolve()["transport"]
    assert "growth" not in scenario(OLD).resolve()["transport"]


def test_the_oldest_edition_is_what_linux_was():
    """Studies pin it, so none of its values may move."""
    resolved = scenario(OLD).resolve()
    assert resolved["algorithms"] == [{"name": "cubic:linux", "params": {}}]
    assert resolved["transport"] == {
        "recovery": "rack",
        "dup_thresh": 3,
        "rto_initial": 1.0,
        "rto_min": 0.2,
        "rto_max": 120.0,
        "rto_rule": "linux",
        "syn_timeout": 1.0,
        "syn_tries": 7,
        "ack_every": 2,
        "ack_delay": 0.04,
        "ack_cost": True,
        "receive_window": None,
        "initial_window": 10.0,
        "syn_loss_window": 1.0,
        "initial_ssthresh": None,
        "restart_window": 1.0,
        "halve": "window",
        "cwnd_validation": True,
    }


def test_linux_is_the_newest_edition():
    """The alias brings the parameters of its edition, too."""
    assert scenario("linux").resolve() == scenario(NEW).resolve()
    assert scenario("linux").resolve() != scenario(OLD).resolve()
    assert SUMMARIES["linux"].endswith(NEW)


def test_the_page_lists_all_options_with_their_values():
    page = (DOCS / "models" / "transport.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\| (\S+) \| (\S+) \| (\S+) \|", page, re.M)
    names = [option["name"] for option in TRANSPORT_OPTIONS]
    values = {name: OFF | PROFILES[name] for name in ("mesonet", "rfc", OLD)}
    expected = {name: [shown(it[name]) for it in values.values()] for name in names}
    page_words = {"yes": "true", "no": "false"}
    assert {name: [page_words.get(it, it) for it in row] for name, *row in rows} == expected


def test_the_page_lists_where_editions_differ():
    section = (
        (DOCS / "reference" / "parameters.md")
        .read_text("utf-8")
        .split("### Editions of Linux")[1]
        .split("\n## ")[0]
    )
    rows = re.findall(r"^\| `(\w+)`(?: of `([\w:]+)`)? \| (\S+) \| (\S+) \|$", section, re.M)
    page = {(name, of): (old.strip("`"), new.strip("`")) for name, of, old, new in rows}
    old, new = OFF | PROFILES[OLD], OFF | PROFILES[NEW]
    differ = {(n, ""): (shown(old[n]), shown(new[n])) for n in new if old[n] != new[n]}
    parameters = {
        (name, algorithm): shown(value)
        for algorithm, values in PARAMETERS[NEW].items()
        for name, value in values.items()
    }
    assert {key: value[1] for key, value in page.items() if key[1]} == parameters
    assert {key: value for key, value in page.items() if not key[1]} == differ


def shown(value):
    if value is None or isinstance(value, bool):
        return SHOWN[value]
    return value if isinstance(value, str) else f"{value:g}"


def test_what_a_scenario_gives_goes_before_its_edition():
    spec = scenario(
        NEW, transport={"prr": "rfc9937"}, parameters={"cubic:linux": {"hz": 1000}}
    ).resolve()
    assert spec["transport"]["prr"] == "rfc9937"
    assert spec["transport"]["quick_acks"] == 22
    assert spec["algorithms"][0]["params"] == {"hystart_linux": 1, "hz": 1000}
    assert scenario(NEW, "cubic").resolve()["algorithms"][0]["params"] == {}


def test_a_recovery_without_sack_leaves_out_what_needs_it():
    transport = scenario(NEW, transport={"recovery": "newreno"}).resolve()["transport"]
    assert not transport.keys() & {"prr", "timeout_rule", "sack_compression"}
    assert transport["growth"] == "cumulative"
    invalid = scenario(NEW, transport={"recovery": "newreno", "prr": "linux"})
    with refused(ScenarioError, ("transport.prr", "sack")):
        simulate(invalid)


def test_a_window_after_timeouts_goes_before_the_rule_of_an_edition():
    assert scenario(NEW).resolve()["transport"]["timeout_rule"] == "linux"
    transport = scenario(NEW, transport={"restart_window": 2}).resolve()["transport"]
    assert transport["restart_window"] == 2
    assert "timeout_rule" not in transport


def test_a_recovery_without_sack_runs_with_the_new_edition():
    assert simulate(scenario(NEW, transport={"recovery": "newreno"})).totals["acked"] > 0


def test_windows_that_are_not_validated_have_no_rule_for_it():
    free = scenario(NEW, transport={"cwnd_validation": False})
    assert "validation_rule" not in free.resolve()["transport"]
    assert simulate(free).totals["acked"] > 0
    invalid = scenario(NEW, transport={"cwnd_validation": False, "validation_rule": "linux"})
    with refused(ScenarioError, ("transport.validation_rule", "validation")):
        simulate(invalid)


def test_syns_of_the_new_edition_leave_at_even_times_at_first():
    """0, 1, 2, 3, 4 and 5 s, then doubling: nothing of a path that loses all comes back."""
    lost = {"loss": 0.9999, "duration": "20 s"}
    sent = {
        name: simulate(scenario(name, transport={}).replace(lost), seed=1).totals["syns"]
        for name in (OLD, NEW)
    }
    assert sent == {OLD: 5, NEW: 9}


def test_the_profile_waits_a_second_for_the_handshake():
    """RFC 9002 section 6.2.2: 333 ms, "handshakes starting with a PTO of 1 second"."""
    initial_rtt = 0.333
    quic = scenario("quic").resolve()["transport"]
    pto = initial_rtt + max(4 * initial_rtt / 2, quic["rto_min"])
    assert quic["rto_initial"] == quic["syn_timeout"] == pytest.approx(pto)


def test_quic_needs_its_own_estimate_of_the_round_trip():
    for profile, transport in [("rfc", {"recovery": "quic"}), ("quic", {"recovery": "rack"})]:
        with refused(ScenarioError, ("transport.rto_rule", "quic")):
            simulate(scenario(profile, "cubic", transport=transport))
    with refused(ScenarioError, ("transport.prr", "sack"), ("transport.undo", "rack")):
        simulate(scenario("quic", "cubic", transport={"prr": "rfc9937", "undo": "linux"}))


@pytest.mark.parametrize("algorithm", ["cubic", "bbr3", "ledbat", "prague", "dctcp"])
def test_quic_fills_a_path_under_any_controller(algorithm):
    """Packets that are lost at random are found without a timeout."""
    lossy = dumbbell(
        rate="10 Mbit/s",
        rtt="20 ms",
        duration="10 s",
        profile="quic",
        flows=[flow(algorithm)],
        loss=0.001,
        transport={"ecn": True},
    )
    totals = simulate(lossy).totals
    assert totals["acked"] > 4000
    assert totals["recoveries"] > 0
    assert totals["timeouts"] == 0
