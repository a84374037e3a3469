"""The dumbbell of compare.py for ns-3, to be run by a Python that has its wheel.

Arguments: flows, bit/s of the bottleneck, room in its buffer [packets], end [s]. Prints the packets
delivered and the processor time of the simulation [s].
"""

import sys
import time

from ns import ns

flows, rate, room, end = int(sys.argv[1]), sys.argv[2], sys.argv[3], float(sys.argv[4])

socket = "ns3::TcpSocket::"
ns.Config.SetDefault("ns3::TcpL4Protocol::SocketType", ns.StringValue("ns3::TcpLinuxReno"))
ns.Config.SetDefault(socket + "SegmentSize", ns.UintegerValue(1448))
ns.Config.SetDefault(socket + "DelAckCount", ns.UintegerValue(1))
ns.Config.SetDefault(socket + "SndBufSize", ns.UintegerValue(1 << 30))
ns.Config.SetDefault(socket + "RcvBufSize", ns.UintegerValue(1 << 30))

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
# Only the devices queue, as in the others.
network.AssignIpv4Addresses(
    ns.Ipv4AddressHelper(ns.Ipv4Address("10.1.0.0"), ns.Ipv4Mask("255.255.255.0")),
    ns.Ipv4AddressHelper(ns.Ipv4Address("10.128.0.0"), ns.Ipv4Mask("255.255.255.0")),
    ns.Ipv4AddressHelper(ns.Ipv4Address("11.0.0.0"), ns.Ipv4Mask("255.255.255.0")),
)
control = ns.TrafficControlHelper()
for number in range(ns.NodeList.GetNNodes()):
    node = ns.NodeList.GetNode(number)
    for at in range(node.GetNDevices()):
        device = node.GetDevice(at)
        if device.IsPointToPoint():
            control.Uninstall(device)
ns.Ipv4GlobalRoutingHelper.PopulateRoutingTables()

sinks = ns.ApplicationContainer()
for number in range(flows):
    address = ns.InetSocketAddress(network.GetRightIpv4Address(number), 5000)
    source = ns.BulkSendHelper("ns3::TcpSocketFactory", address.ConvertTo())
    source.SetAttribute("MaxBytes", ns.UintegerValue(0))
    apps = source.Install(network.GetLeft(number))
    apps.Start(ns.Seconds(0.1 * number / flows))
    here = ns.InetSocketAddress(ns.Ipv4Address.GetAny(), 5000)
    sink = ns.PacketSinkHelper("ns3::TcpSocketFactory", here.ConvertTo())
    sinks.Add(sink.Install(network.GetRight(number)))

ns.Simulator.Stop(ns.Seconds(end))
before = time.process_time()
ns.Simulator.Run()
seconds = time.process_time() - before
received = sum(sinks.Get(number).__deref__().GetTotalRx() for number in range(sinks.GetN()))
print(received // 1448, seconds)
