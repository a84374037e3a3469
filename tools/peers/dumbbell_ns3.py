"""The dumbbell of compare.py for ns-3, to be run by a Python that has its wheel.

Arguments: flows, bit/s of the bottleneck, room in its buffer [packets], initial threshold
[packets], two moments [s]. Prints, for each moment, packets delivered, processor time [s], and
packets that the queues of all devices have taken.
"""

import sys
import time

from ns import ns

SEGMENT = 1448
flows, rate, room, threshold = (int(float(text)) for text in sys.argv[1:5])
moments = [float(text) for text in sys.argv[5:7]]

socket = "ns3::TcpSocket::"
ns.Config.SetDefault("ns3::TcpL4Protocol::SocketType", ns.StringValue("ns3::TcpLinuxReno"))
ns.Config.SetDefault(socket + "SegmentSize", ns.UintegerValue(SEGMENT))
ns.Config.SetDefault(socket + "InitialSlowStartThreshold", ns.UintegerValue(threshold * SEGMENT))
ns.Config.SetDefault(socket + "DelAckCount", ns.UintegerValue(1))
# Twice what the path and its buffer hold; sources fill more than that before they send anything.
room_at_hosts = max(8 * threshold * SEGMENT, 1 << 20)
ns.Config.SetDefault(socket + "SndBufSize", ns.UintegerValue(room_at_hosts))
ns.Config.SetDefault(socket + "RcvBufSize", ns.UintegerValue(room_at_hosts))

access = ns.PointToPointHelper()
access.SetDeviceAttribute("DataRate", ns.StringValue(f"{rate}bps"))
access.SetChannelAttribute("Delay", ns.StringValue("1ms"))
access.SetQueue("ns3::DropTailQueue", "MaxSize", ns.StringValue("100000000p"))
middle = ns.PointToPointHelper()
middle.SetDeviceAttribute("DataRate", ns.StringValue(f"{rate}bps"))
middle.SetChannelAttribute("Delay", ns.StringValue("18ms"))
middle.SetQueue("ns3::DropTailQueue", "MaxSize", ns.StringValue(f"{room}p"))

network = ns.PointToPointDumbbellHelper(flows, access, flows, access, middle)
network.InstallStack(ns.InternetStackHelper())
network.AssignIpv4Addresses(
    ns.Ipv4AddressHelper(ns.Ipv4Address("10.1.0.0"), ns.Ipv4Mask("255.255.255.0")),
    ns.Ipv4AddressHelper(ns.Ipv4Address("10.128.0.0"), ns.Ipv4Mask("255.255.255.0")),
    ns.Ipv4AddressHelper(ns.Ipv4Address("11.0.0.0"), ns.Ipv4Mask("255.255.255.0")),
)
# Only the devices queue, as in the others.
control = ns.TrafficControlHelper()
queues = []
for number in range(ns.NodeList.GetNNodes()):
    node = ns.NodeList.GetNode(number)
    for at in range(node.GetNDevices()):
        device = node.GetDevice(at)
        if device.IsPointToPoint():
            control.Uninstall(device)
            queues.append(device.GetObject[ns.PointToPointNetDevice]().GetQueue())

# Routes by hand: computing them takes minutes for thousands of hosts.
static = ns.Ipv4StaticRoutingHelper()
mask, side = ns.Ipv4Mask("255.0.0.0"), ns.Ipv4Mask("255.128.0.0")


def routes(node):
    """The table of static routes of a node."""
    return static.GetStaticRouting(node.GetObject[ns.Ipv4]()).__deref__()


# Router's interface 1 is the one between the routers, a host's is its only one.
routes(network.GetLeft()).AddNetworkRouteTo(ns.Ipv4Address("10.128.0.0"), side, 1)
routes(network.GetRight()).AddNetworkRouteTo(ns.Ipv4Address("10.0.0.0"), side, 1)
for number in range(flows):
    for host in (network.GetLeft(number), network.GetRight(number)):
        routes(host).AddNetworkRouteTo(ns.Ipv4Address("10.0.0.0"), mask, 1)

sinks = ns.ApplicationContainer()
for number in range(flows):
    address = ns.InetSocketAddress(network.GetRightIpv4Address(number), 5000)
    source = ns.BulkSendHelper("ns3::TcpSocketFactory", address.ConvertTo())
    source.SetAttribute("MaxBytes", ns.UintegerValue(0))
    source.SetAttribute("SendSize", ns.UintegerValue(SEGMENT))
    apps = source.Install(network.GetLeft(number))
    apps.Start(ns.Seconds(0.1 * number / flows))
    here = ns.InetSocketAddress(ns.Ipv4Address.GetAny(), 5000)
    sink = ns.PacketSinkHelper("ns3::TcpSocketFactory", here.ConvertTo())
    sinks.Add(sink.Install(network.GetRight(number)))

begun, now = time.process_time(), 0.0
for moment in moments:
    ns.Simulator.Stop(ns.Seconds(moment - now))
    ns.Simulator.Run()
    now = moment
    seconds = time.process_time() - begun
    received = sum(sinks.Get(number).__deref__().GetTotalRx() for number in range(sinks.GetN()))
    served = sum(queue.GetTotalReceivedPackets() for queue in queues)
    print(received // SEGMENT, seconds, served)
