"""CUBIC and BBR of s2n-quic, where `make adapters` has built them, which needs the network."""

from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

import mesonet
from mesonet.cli import app
from mesonet.controller import controllers, fingerprint, library
from mesonet.errors import ControllerError

BUILT = Path(library._ADAPTER).is_file()
built = pytest.mark.skipif(not BUILT, reason="make adapters has not been called here")
NAMES = ("s2n:cubic", "s2n:bbr")


def scenario(*flows, **changes):
    settings = {"rate": "20 Mbit/s", "rtt": "40 ms", "duration": "20 s", "profile": "rfc"}
    return mesonet.dumbbell(**(settings | changes), flows=list(flows))


def test_without_the_library_the_name_says_how_to_build_it(monkeypatch, tmp_path):
    monkeypatch.setattr(library, "_ADAPTER", str(tmp_path / "libs2n.so"))
    with pytest.raises(ControllerError, match="make adapters"):
        library.load("s2n:cubic")
    done = CliRunner().invoke(app, ["compare", "cubic", "s2n:cubic"])
    assert done.exit_code == 2
    assert "make adapters" in done.stderr


@built
def test_once_loaded_it_is_listed_under_its_own_name():
    library.load("s2n:cubic")
    listed = {info.name: info for info in controllers()}
    assert set(NAMES) <= set(listed)
    assert listed["s2n:bbr"].display == "BBR of s2n-quic"
    assert fingerprint([{"name": "s2n:cubic", "params": {}}])
    with pytest.raises(ControllerError, match="cubik"):
        library.load("s2n:cubik")


@built
def test_slow_start_doubles_from_12000_bytes_per_round_trip():
    """RFC 9002 7.3.1: "the congestion window increases by the number of bytes acknowledged"."""
    packet = {"smss": 1200, "header": 40, "control": 40}
    flow = mesonet.flow("s2n:cubic")
    fast = scenario(flow, rate="1 Gbit/s", packet=packet, interval="40 ms", duration="240 ms")
    cwnd = mesonet.simulate(fast).flows["cwnd"].to_list()
    # A handshake of one round trip; delayed acknowledgements take the last of a round 200 ms.
    assert cwnd[2:5] == pytest.approx([20, 40, 80], rel=0.01)


@built
def test_a_loss_leaves_seven_tenths_of_the_window():
    """RFC 8312 section 4.5: "cwnd = cwnd * beta_cubic", with 0.7."""
    run = mesonet.simulate(scenario(mesonet.flow("s2n:cubic"), interval="1 ms", duration="30 s"))
    cwnd = run.flows.filter(run.flows["time"] > 5.0)["cwnd"].to_list()
    cuts = [after / before for before, after in pairwise(cwnd) if after < before]
    assert cuts == pytest.approx([0.7] * len(cuts), abs=0.001)
    assert cuts


@built
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("profile", ["rfc", "linux", "quic"])
@pytest.mark.parametrize("queue", ["droptail", "fq_codel"])
def test_bytes_in_flight_agree_with_the_transport_at_every_packet(name, profile, queue):
    """The adapter compares them at each packet and each ACK; where they differ, the run fails."""
    lossy = scenario(
        mesonet.flow(name), mesonet.flow("cubic"), profile=profile, queue=queue, loss=0.01
    )
    run = mesonet.simulate(lossy)
    assert run.conservation["injected"] > 1000
    assert run.series["retransmitted"].sum() > 10


@built
@pytest.mark.parametrize("name", NAMES)
def test_results_are_the_same_on_any_number_of_threads(name):
    national = mesonet.internet(
        duration="10 s",
        source_multiplier=0.05,
        record_transfers=True,
        algorithms={name: 1},
        transport={"ecn": True},
        queue="codel",
    )
    single, three = (mesonet.simulate(national, threads=threads) for threads in (1, 3))
    assert single.series.equals(three.series)
    assert single.transfers.equals(three.transfers)


@built
def test_its_random_numbers_come_from_the_seed():
    probing = scenario(mesonet.flow("s2n:bbr"))
    first, again, other = (mesonet.simulate(probing, seed=seed).flows for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)


@built
def test_duplicate_acks_alone_are_no_evidence_for_it():
    with pytest.raises(mesonet.ScenarioError) as caught:
        mesonet.simulate(scenario(mesonet.flow("s2n:cubic"), transport={"recovery": "newreno"}))
    assert [problem.kind for problem in caught.value.problems] == ["segments"]
