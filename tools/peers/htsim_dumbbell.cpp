// The dumbbell of compare.py for htsim, built by it against htsim's headers and library.
//
// Arguments: flows, bit/s of the bottleneck, room in its buffer [packets], initial threshold [packets], and two
// moments [s]. Prints, for each moment, packets delivered, processor time [s], and packets that queues have served.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <memory>
#include <vector>

#include "eventlist.h"
#include "network.h"
#include "pipe.h"
#include "queue.h"
#include "tcp.h"

namespace {

constexpr int packet_bytes = 1500;
uint64_t served = 0;

class CountingQueue : public Queue {
public:
    CountingQueue(linkspeed_bps rate, mem_b bytes, EventList& events) : Queue(rate, bytes, events, nullptr) {}

protected:
    void completeService() override {
        ++served;
        Queue::completeService();
    }
};

// A queue and the delay behind it, one way.
struct Link {
    CountingQueue queue;
    Pipe pipe;

    Link(linkspeed_bps rate, mem_b bytes, int milliseconds, EventList& events)
        : queue(rate, bytes, events), pipe(timeFromMs(milliseconds), events) {}

    void append_to(Route& route) {
        route.push_back(&queue);
        route.push_back(&pipe);
    }
};

}  // namespace

int main(int count, char** arguments) {
    if (count != 7) {
        std::fprintf(stderr, "expected FLOWS RATE ROOM THRESHOLD EARLY LATE\n");
        return 2;
    }
    const int flows = std::atoi(arguments[1]);
    const auto rate = static_cast<linkspeed_bps>(std::atof(arguments[2]));
    const auto room = static_cast<mem_b>(std::atoll(arguments[3])) * packet_bytes;
    const auto threshold = static_cast<uint64_t>(std::atoll(arguments[4])) * packet_bytes;
    const double moments[] = {std::atof(arguments[5]), std::atof(arguments[6])};
    const mem_b unlimited = static_cast<mem_b>(1) << 40;

    // Timeouts are announced on standard output.
    std::cout.setstate(std::ios::failbit);
    Packet::set_packet_size(packet_bytes);
    EventList& events = EventList::getTheEventList();
    EventList::setEndtime(timeFromSec(moments[1]));
    TcpRtxTimerScanner timers(timeFromMs(10), events);

    Link forth(rate, room, 18, events), back(rate, room, 18, events);
    std::vector<std::unique_ptr<Link>> access;
    std::vector<std::unique_ptr<Route>> routes;
    std::vector<std::unique_ptr<TcpSrc>> sources;
    std::vector<std::unique_ptr<TcpSink>> sinks;
    const auto route = [&](Link& middle, PacketSink& end) -> Route& {
        routes.push_back(std::make_unique<Route>());
        for (int side = 0; side < 2; ++side) {
            access.push_back(std::make_unique<Link>(rate, unlimited, 1, events));
            access.back()->append_to(*routes.back());
            if (side == 0) middle.append_to(*routes.back());
        }
        routes.back()->push_back(&end);
        return *routes.back();
    };
    for (int flow = 0; flow < flows; ++flow) {
        sources.push_back(std::make_unique<TcpSrc>(nullptr, nullptr, events));
        sinks.push_back(std::make_unique<TcpSink>());
        TcpSrc& source = *sources.back();
        source.set_ssthresh(threshold);
        timers.registerTcp(source);
        Route& out = route(forth, *sinks.back());
        Route& home = route(back, source);
        source.connect(out, home, *sinks.back(), timeFromSec(0.1 * flow / flows));
    }

    const std::clock_t begun = std::clock();
    for (const double moment : moments) {
        const simtime_picosec until = timeFromSec(moment);
        while (EventList::now() < until && EventList::doNextEvent()) {
        }
        uint64_t bytes = 0;
        for (const auto& sink : sinks) bytes += sink->_packets;
        const double seconds = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
        std::printf("%llu %.6f %llu\n", static_cast<unsigned long long>(bytes / packet_bytes), seconds,
                    static_cast<unsigned long long>(served));
    }
    return 0;
}
