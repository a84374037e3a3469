"""Many servers that answer one client at once.

Phanishayee et al., "Measurement and analysis of TCP throughput collapse in cluster-based storage
systems" (FAST 2008); Vasudevan et al., "Safe and effective fine-grained TCP retransmissions for
datacenter communication" (SIGCOMM 2009).
"""

from statistics import median

import polars as pl
import pytest

from mesonet.scenario.keywords import dumbbell, flow
from mesonet.simulation import simulate

LINUX = {"rto_min": "200 ms"}


def incast(servers, **options):
    """Servers that answer one request at the same time, each over a line as fast as the port."""
    answers = {key: options.pop(key) for key in ("size", "burst", "every") if key in options}
    port = {"rate": "1 Gbit/s", "access_rate": "1 Gbit/s", "rtt": "100 us", "buffer": "64 kB"}
    flows = [flow("reno", count=servers, **answers)]
    return dumbbell(**port | options, flows=flows, record_transfers=True)


def goodput(servers, seed=1, **options):
    """Data over the time that the slowest server takes, as a part of the rate of the port."""
    run = simulate(incast(servers, size="256 kB", duration="20 s", **options), seed=seed)
    assert run.conservation["missing"] == 0
    assert run.transfers.height == servers
    end = run.transfers.select((pl.col("start") + pl.col("duration")).max()).item()
    return float(servers * 256e3 * 8 / end / 1e9)


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
    rounds = incast(4, buffer="1 MB", burst="256 kB", every="100 ms", duration="1950 ms")
    run = simulate(rounds)
    # 256 kB are 176 segments.
    assert run.totals["acked"] == 20 * 4 * 176
    assert run.totals["connections"] == 4
