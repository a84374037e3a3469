"""Many servers that answer one client at once.

Phanishayee et al., "Measurement and analysis of TCP throughput collapse in cluster-based storage
systems" (FAST 2008); Vasudevan et al., "Safe and effective fine-grained TCP retransmissions for
datacenter communication" (SIGCOMM 2009).
"""

from statistics import median

import polars as pl
import pytest
from refusals import refused

from mesonet.errors import ScenarioError
from mesonet.scenario.keywords import dumbbell, flow, incast
from mesonet.simulation import simulate

LINUX = {"rto_min": "200 ms"}


def goodput(servers, seed=1, **options):
    """Data over the time that the slowest server takes, as a part of the rate of the port."""
    run = simulate(
        incast(**{"servers": servers, "algorithm": "reno", "duration": "20 s", **options}),
        seed=seed,
    )
    assert run.conservation["missing"] == 0
    assert run.transfers.height == servers
    end = run.transfers.select((pl.col("start") + pl.col("duration")).max()).item()
    return float(servers * 256e3 * 8 / end / 1e9)


def test_it_is_a_dumbbell_of_many_alike():
    spec = incast(servers=3, algorithm="reno").resolve()
    same = dumbbell(
        rate="1 Gbit/s",
        rtt="100 us",
        buffer="64 kB",
        access_rate="1 Gbit/s",
        flows=[flow("reno", name="server", size="256 kB", count=3)],
        record_transfers=True,
    ).resolve()
    for world in (spec, same):
        for part in ("stations", "flows"):
            for named in world[part]:
                del named["name"]
    assert spec == same


@pytest.mark.parametrize("servers", [8, 16, 32])
def test_goodput_collapses_by_up_to_90_percent(servers):
    """Vasudevan et al.: "throughput is reduced by up to 90%"."""
    assert goodput(1) > 0.8
    assert goodput(servers, transport=LINUX) < 0.2


@pytest.mark.parametrize("servers", [4, 8, 16, 32])
def test_short_timeouts_prevent_it(servers):
    """Both papers: what is lost is the time in which servers wait for timeouts."""
    assert goodput(servers, transport={"rto_min": "1 ms"}) > 0.8


@pytest.mark.parametrize(
    ("servers", "small", "large"),
    [(3, "128 kB", "256 kB"), (6, "256 kB", "512 kB"), (12, "512 kB", "1024 kB")],
)
def test_twice_the_buffer_serves_twice_the_servers(servers, small, large):
    """Phanishayee et al. double the buffer, and with it the servers before the collapse."""
    jitter = {**LINUX, "host_jitter": "20 us"}
    before, after = (
        median(goodput(servers, seed, buffer=buffer, transport=jitter) for seed in range(9))
        for buffer in (small, large)
    )
    assert before < 0.2
    assert after > 0.9


def test_requests_are_repeated_over_the_same_connections():
    rounds = incast(servers=4, algorithm="reno", buffer="1 MB", every="100 ms", duration="1950 ms")
    run = simulate(rounds)
    # 256 kB are 176 segments.
    assert run.totals["acked"] == 20 * 4 * 176
    assert run.totals["connections"] == 4


@pytest.mark.parametrize(
    ("options", "loc", "kind"),
    [
        ({"servers": 0}, "servers", "greater_than_equal"),
        ({"servers": 100_001}, "servers", "less_than_equal"),
        ({"size": "0 B"}, "size", "value_error"),
        ({"every": "2 h", "duration": "3 h", "interval": "1 s"}, "every", "out_of_range"),
        ({"buffer": "100 B"}, "buffer", "too_small"),
        ({"parameters": {"cubic": {"beta": 0.5}}}, "parameters.cubic", "unknown_key"),
        ({"flows": ["reno"]}, "flows", "unknown_key"),
    ],
)
def test_what_cannot_be_honoured(options, loc, kind):
    with refused(ScenarioError, (loc, kind)):
        incast(**{"servers": 4, "algorithm": "reno", **options})
