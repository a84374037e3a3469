"""Two flows over one bottleneck: simulate, read responses, look at a table."""

import mesonet

scenario = mesonet.dumbbell(
    rate="100 Mbit/s",
    rtt="40 ms",
    buffer="1 bdp",
    flows=[mesonet.flow("reno"), mesonet.flow("ctcp", start="5 s")],
    duration="20 s",
)

run = mesonet.simulate(scenario, seed=1)

print(f"packets sent {run.totals['injected']}, of which dropped {run.totals['dropped']}")
print(f"bottleneck utilization {run.responses['utilization']:.3f}")
print(run.flows.tail(4).select("time", "flow", "cwnd", "srtt"))
