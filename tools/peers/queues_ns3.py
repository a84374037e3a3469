"""One dumbbell under active queue management in ns-3, to be run by a Python that has its wheel.

Arguments: a JSON object with `discipline`, `settings` (attributes of ns-3's queue disc), `defaults`
(values of attributes of other types), `congestion` (an ns-3 type), `flows`, `rate` [bit/s], `rtt`
[s], `room` [packets], `from` and `to` [s], `step` [s], `starts` [s], `seed`. Prints a JSON object:
payload delivered between the two moments [bit/s], the mean over steps of the packets that wait at
the bottleneck, packets dropped there.
"""

import json
import sys

from ns import ns

SEGMENT = 1448
case = json.loads(sys.argv[1])
rate, rtt = int(case["rate"]), case["rtt"]

ns.RngSeedManager.SetSeed(1 + case["seed"])
socket = "ns3::TcpSocket::"
ns.Config.SetDefault("ns3::TcpL4Protocol::SocketType", ns.StringValue(case["congestion"]))
ns.Config.SetDefault(socket + "SegmentSize", ns.UintegerValue(SEGMENT))
ns.Config.SetDefault(socket + "DelAckCount", ns.UintegerValue(1))
ns.Config.SetDefault(socket + "SndBufSize", ns.UintegerValue(1 << 24))
ns.Config.SetDefault(socket + "RcvBufSize", ns.UintegerValue(1 << 24))
ns.Config.SetDefault("ns3::TcpSocketBase::MinRto", ns.TimeValue(ns.Seconds(0.2)))
for name, value in case["defaults"].items():
    ns.Config.SetDefault(name, ns.StringValue(str(value)))

access = ns.PointToPointHelper()
access.SetDeviceAttribute("DataRate", ns.StringValue(f"{50 * rate}bps"))
access.SetChannelAttribute("Delay", ns.StringValue("1us"))
access.SetQueue("ns3::DropTailQueue", "MaxSize", ns.StringValue("100000p"))
middle = ns.PointToPointHelper()
middle.SetDeviceAttribute("DataRate", ns.StringValue(f"{rate}bps"))
middle.SetChannelAttribute("Delay", ns.TimeValue(ns.Seconds(rtt / 2 - 2e-6)))
# The device holds the packet in service, as a station does, and the disc all that wait.
middle.SetQueue("ns3::DropTailQueue", "MaxSize", ns.StringValue("1p"))

flows = case["flows"]
network = ns.PointToPointDumbbellHelper(flows, access, flows, access, middle)
network.InstallStack(ns.InternetStackHelper())
device = network.GetLeft().GetDevice(0)
control = ns.TrafficControlHelper()
settings = {"MaxSize": f"{case['room']}p", **case["settings"]}
pairs = [part for name, value in settings.items() for part in (name, ns.StringValue(str(value)))]
control.SetRootQueueDisc(case["discipline"], *pairs)
disc = control.Install(device).Get(0)
network.AssignIpv4Addresses(
    ns.Ipv4AddressHelper(ns.Ipv4Address("10.1.0.0"), ns.Ipv4Mask("255.255.255.0")),
    ns.Ipv4AddressHelper(ns.Ipv4Address("10.128.0.0"), ns.Ipv4Mask("255.255.255.0")),
    ns.Ipv4AddressHelper(ns.Ipv4Address("11.0.0.0"), ns.Ipv4Mask("255.255.255.0")),
)
ns.Ipv4GlobalRoutingHelper.PopulateRoutingTables()

sinks = ns.ApplicationContainer()
for number in range(flows):
    address = ns.InetSocketAddress(network.GetRightIpv4Address(number), 5000)
    source = ns.BulkSendHelper("ns3::TcpSocketFactory", address.ConvertTo())
    source.SetAttribute("MaxBytes", ns.UintegerValue(0))
    source.SetAttribute("SendSize", ns.UintegerValue(SEGMENT))
    apps = source.Install(network.GetLeft(number))
    apps.Start(ns.Seconds(case["starts"][number]))
    here = ns.InetSocketAddress(ns.Ipv4Address.GetAny(), 5000)
    sink = ns.PacketSinkHelper("ns3::TcpSocketFactory", here.ConvertTo())
    sinks.Add(sink.Install(network.GetRight(number)))


def received():
    """Bytes of payload that have arrived."""
    return sum(sinks.Get(at).__deref__().GetTotalRx() for at in range(sinks.GetN()))


def advance(seconds):
    """Simulate for some time."""
    ns.Simulator.Stop(ns.Seconds(seconds))
    ns.Simulator.Run()


advance(case["from"])
before, dropped = received(), disc.GetStats().nTotalDroppedPackets
steps = round((case["to"] - case["from"]) / case["step"])
waiting = 0
for _ in range(steps):
    advance(case["step"])
    waiting += disc.GetNPackets()
json.dump(
    {
        "goodput": (received() - before) * 8 / (case["to"] - case["from"]),
        "queue": waiting / steps,
        "dropped": disc.GetStats().nTotalDroppedPackets - dropped,
    },
    sys.stdout,
)
