"""Transfers of a run on the real engine."""

from mesonet import dumbbell, flow, simulate


def test_transfers_over_many_round_trip_times_have_classes_of_their_own():
    flows = [flow("reno", rtt=f"{rtt} ms", size="3 packets") for rtt in (10, 20, 30, 40)]
    scenario = dumbbell(
        rate="10 Mbit/s", rtt="40 ms", flows=flows, duration="2 s", record_transfers=True
    )
    transfers = simulate(scenario).transfers
    assert sorted(transfers["interface"]) == ["class 3", "class 4", "fast", "normal"]
