// One dumbbell under active queue management in ns-3, to be linked against its wheel.
//
// Options: `disc` and `congestion` (types), `flows`, `rate` [bit/s], `rtt` [s], `from`, `to` and `step` [s], `starts`
// [s], `ahead`, `seed`; and any attribute of ns-3, as `--ns3::CoDelQueueDisc::MinBytes=1502`. Prints a JSON object:
// payload delivered between the two moments [bit/s], the mean over steps of the packets that wait at the bottleneck,
// packets dropped there, timeouts and fast recoveries of all flows.
//
// Congestion controls of its own: ByteReno and ByteCubic have windows in bytes, and grow by what an ACK newly delivers.
// NewlyDeliveredReno and NewlyDeliveredCubic are ns-3's with that growth: ns-3 hands the ACK that ends a recovery to
// them with all segments that it covers, those included that were selectively acknowledged and counted before.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-layout-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/queue-limits.h"
#include "ns3/traffic-control-module.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t SEGMENT = 1448; // payload [bytes]

// Growth by what an ACK newly delivers (RFC 5681 section 3.1 counts bytes "newly acknowledged").
template <typename Base>
class NewlyDelivered : public Base
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId type = TypeId(name).SetParent<Base>().template AddConstructor<NewlyDelivered>();
        return type;
    }

    void IncreaseWindow(Ptr<TcpSocketState> state, uint32_t segments) override
    {
        const uint32_t delivered = state->m_lastAckedSackedBytes / state->m_segmentSize;
        if (delivered > 0)
        {
            Base::IncreaseWindow(state, std::min(segments, delivered));
        }
    }

    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<NewlyDelivered>(this);
    }

  private:
    static const char* const name;
};

using NewlyDeliveredReno = NewlyDelivered<TcpLinuxReno>;
using NewlyDeliveredCubic = NewlyDelivered<TcpCubic>;
template <>
const char* const NewlyDeliveredReno::name = "NewlyDeliveredReno";
template <>
const char* const NewlyDeliveredCubic::name = "NewlyDeliveredCubic";

// Reno with a window in bytes: RFC 5681 equation 3, "cwnd += SMSS*SMSS/cwnd", where TcpLinuxReno adds whole segments.
class ByteReno : public TcpNewReno
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId type = TypeId("ByteReno").SetParent<TcpNewReno>().AddConstructor<ByteReno>();
        return type;
    }

    void IncreaseWindow(Ptr<TcpSocketState> state, uint32_t) override
    {
        const double window = state->m_cWnd.Get(), threshold = state->m_ssThresh.Get();
        const double delivered = state->m_lastAckedSackedBytes;
        const double used = std::min(delivered, std::max(threshold - window, 0.0));
        const double grown = window + used;
        state->m_cWnd = std::lround(grown + state->m_segmentSize * (delivered - used) / grown);
    }

    uint32_t GetSsThresh(Ptr<const TcpSocketState> state, uint32_t) override
    {
        return std::max(2 * state->m_segmentSize, state->m_cWnd.Get() / 2);
    }

    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<ByteReno>(this);
    }
};

// CUBIC in the form of Linux with a window in bytes, where TcpCubic rounds the window, its target and the ACKs per
// segment to whole numbers.
class ByteCubic : public ByteReno
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId type = TypeId("ByteCubic").SetParent<ByteReno>().AddConstructor<ByteCubic>();
        return type;
    }

    void IncreaseWindow(Ptr<TcpSocketState> state, uint32_t segments) override
    {
        if (state->m_cWnd < state->m_ssThresh)
        {
            ByteReno::IncreaseWindow(state, segments);
            return;
        }
        const double segment = state->m_segmentSize, window = state->m_cWnd.Get() / segment;
        const double acked = state->m_lastAckedSackedBytes / segment, now = Simulator::Now().GetSeconds();
        if (begin < 0)
        {
            begin = now;
            origin = std::max(last, window);
            flat = std::cbrt((origin - window) / C);
            reno = window;
        }
        reno += 3 * (1 - BETA) / (1 + BETA) * acked / window;
        const double at = now - begin + state->m_minRtt.GetSeconds() - flat;
        const double toward = std::clamp(C * at * at * at + origin - window, 0.0, window / 2);
        const double least = last > 0 ? 0.01 : 0.05 * window;
        const double growth = std::max({toward, least, reno - window}) / window;
        state->m_cWnd += std::lround(std::min(growth, 1.0) * acked * segment);
    }

    uint32_t GetSsThresh(Ptr<const TcpSocketState> state, uint32_t) override
    {
        const double segment = state->m_segmentSize, window = state->m_cWnd.Get() / segment;
        last = window < last ? window * (1 + BETA) / 2 : window;
        begin = -1;
        return std::lround(std::max(2.0, BETA * window) * segment);
    }

    void CongestionStateSet(Ptr<TcpSocketState>, const TcpSocketState::TcpCongState_t next) override
    {
        if (next == TcpSocketState::CA_LOSS)
        {
            last = 0;
        }
    }

    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<ByteCubic>(this);
    }

  private:
    static constexpr double C = 410.0 / 1024, BETA = 717.0 / 1024;
    double last = 0;   // window at the last loss, perhaps less; 0: none since the last timeout [segments]
    double begin = -1; // of the stage; negative: none [s]
    double origin = 0, flat = 0, reno = 0;
};

// Keeps the device from taking a packet before it can send it: ns-3 frees the room of a packet when its transmission
// begins, so that one more would wait in the device.
class WhileSending : public QueueLimits
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId type = TypeId("WhileSending").SetParent<QueueLimits>().AddConstructor<WhileSending>();
        return type;
    }

    void Reset() override
    {
        sending = false;
    }

    void Queued(uint32_t) override
    {
        sending = true;
    }

    void Completed(uint32_t) override
    {
    }

    int32_t Available() const override
    {
        return sending ? -1 : 0;
    }

    bool sending = false;
};

void takeWhenFree(Ptr<PointToPointNetDevice> device)
{
    Ptr<NetDeviceQueue> queue = device->GetObject<NetDeviceQueueInterface>()->GetTxQueue(0);
    Ptr<WhileSending> limits = CreateObject<WhileSending>();
    queue->SetQueueLimits(limits);
    const auto sent = [queue, limits](Ptr<const Packet>) {
        Simulator::ScheduleNow([queue, limits] {
            limits->sending = false;
            queue->NotifyTransmittedBytes(1);
        });
    };
    device->TraceConnectWithoutContext("PhyTxEnd", Callback<void, Ptr<const Packet>>(sent));
}

} // namespace

int main(int count, char** arguments)
{
    // A type is known by its name once it has been asked for.
    NewlyDeliveredReno::GetTypeId();
    NewlyDeliveredCubic::GetTypeId();
    ByteReno::GetTypeId();
    ByteCubic::GetTypeId();
    std::string disc, congestion, starts;
    uint32_t seed = 0;
    uint64_t rate = 0;
    double rtt = 0, from = 0, to = 0, step = 0;
    bool ahead = false;
    CommandLine options;
    options.AddValue("disc", "type of the queue disc", disc);
    options.AddValue("congestion", "type of the congestion control", congestion);
    options.AddValue("starts", "starts of the flows [s], joined by commas", starts);
    options.AddValue("rate", "bottleneck [bit/s]", rate);
    options.AddValue("rtt", "base round-trip time [s]", rtt);
    options.AddValue("from", "begin of the measurement [s]", from);
    options.AddValue("to", "end of the measurement [s]", to);
    options.AddValue("step", "time between samples of the queue [s]", step);
    options.AddValue("ahead", "the device takes one packet before it can send it, ns-3's way", ahead);
    options.AddValue("seed", "seed of the random draws", seed);
    options.Parse(count, arguments);
    RngSeedManager::SetSeed(1 + seed);
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue(congestion));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT));
    std::vector<double> begins;
    std::istringstream list(starts);
    for (std::string each; std::getline(list, each, ',');)
    {
        begins.push_back(std::stod(each));
    }
    const uint32_t flows = begins.size();

    PointToPointHelper access;
    access.SetDeviceAttribute("DataRate", DataRateValue(DataRate(50 * rate)));
    access.SetChannelAttribute("Delay", StringValue("1us"));
    access.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("100000p"));
    PointToPointHelper middle;
    middle.SetDeviceAttribute("DataRate", DataRateValue(DataRate(rate)));
    middle.SetChannelAttribute("Delay", TimeValue(Seconds(rtt / 2 - 2e-6)));
    middle.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1p"));
    PointToPointDumbbellHelper network(flows, access, flows, access, middle);
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    network.InstallStack(stack);
    Ptr<PointToPointNetDevice> device = DynamicCast<PointToPointNetDevice>(network.GetLeft()->GetDevice(0));
    TrafficControlHelper control;
    control.SetRootQueueDisc(disc);
    Ptr<QueueDisc> queue = control.Install(device).Get(0);
    network.AssignIpv4Addresses(Ipv4AddressHelper("10.1.0.0", "255.255.255.0"),
                                Ipv4AddressHelper("10.128.0.0", "255.255.255.0"),
                                Ipv4AddressHelper("11.0.0.0", "255.255.255.0"));
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    // Hosts and their links queue nothing; a disc there would only cost time.
    for (uint32_t number = 0; number < flows; ++number)
    {
        for (Ptr<Node> host : {network.GetLeft(number), network.GetRight(number)})
        {
            control.Uninstall(host->GetDevice(0));
        }
        for (Ptr<Node> router : {network.GetLeft(), network.GetRight()})
        {
            control.Uninstall(router->GetDevice(1 + number));
        }
    }
    if (!ahead)
    {
        // The device has its queues once all is initialised.
        Simulator::Schedule(Seconds(0.01), [device] { takeWhenFree(device); });
    }

    std::vector<Ptr<BulkSendApplication>> sources;
    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t number = 0; number < flows; ++number)
    {
        const InetSocketAddress far(network.GetRightIpv4Address(number), 5000);
        BulkSendHelper source("ns3::TcpSocketFactory", far);
        source.SetAttribute("MaxBytes", UintegerValue(0));
        source.SetAttribute("SendSize", UintegerValue(SEGMENT));
        ApplicationContainer apps = source.Install(network.GetLeft(number));
        apps.Start(Seconds(begins[number]));
        sources.push_back(DynamicCast<BulkSendApplication>(apps.Get(0)));
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 5000));
        sinks.push_back(DynamicCast<PacketSink>(sink.Install(network.GetRight(number)).Get(0)));
    }

    uint64_t timeouts = 0, recoveries = 0, before = 0, dropped = 0, waiting = 0, samples = 0;
    const auto received = [&sinks] {
        uint64_t bytes = 0;
        for (const auto& sink : sinks)
        {
            bytes += sink->GetTotalRx();
        }
        return bytes;
    };
    const std::function<void(TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t)> changed =
        [&](TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t next) {
            timeouts += next == TcpSocketState::CA_LOSS;
            recoveries += next == TcpSocketState::CA_RECOVERY;
        };
    Simulator::Schedule(Seconds(from), [&] {
        before = received();
        dropped = queue->GetStats().nTotalDroppedPackets;
        for (const auto& source : sources)
        {
            source->GetSocket()->TraceConnectWithoutContext(
                "CongState",
                Callback<void, TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t>(changed));
        }
    });
    const uint64_t steps = std::llround((to - from) / step);
    const std::function<void()> sample = [&] {
        waiting += queue->GetNPackets();
        if (++samples < steps)
        {
            Simulator::Schedule(Seconds(step), sample);
        }
    };
    Simulator::Schedule(Seconds(from + step), sample);
    Simulator::Stop(Seconds(to) + NanoSeconds(1));
    Simulator::Run();
    std::cout << "{\"goodput\": " << static_cast<double>(received() - before) * 8 / (to - from)
              << ", \"queue\": " << static_cast<double>(waiting) / samples
              << ", \"dropped\": " << queue->GetStats().nTotalDroppedPackets - dropped
              << ", \"timeouts\": " << timeouts << ", \"recoveries\": " << recoveries << "}" << std::endl;
}
