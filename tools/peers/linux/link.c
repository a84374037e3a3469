/* Emulates a link between two network namespaces, in user space.
 *
 *   link NAMESPACE_A NAMESPACE_B RATE_BIT_S RTT_US LIMIT LOSS SEED FROM_S SECONDS
 *
 * Opens the device tun0 in each namespace. From A to B: random loss (of packets of 100 bytes or more),
 * room for LIMIT packets that wait, serialisation of IP bytes, half of the round trip. From B to A: half
 * of the round trip. Departures are computed in virtual time, so late wake-ups do not add up. Prints
 * "up" when the devices are there. At the end: a line "drop SECONDS" for each packet that found no
 * room, then one line "end" of names and values; times count from the first packet.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { RING = 1 << 16, LARGEST = 2048, DROPS = 1 << 20, SMALL = 100 };
#define SECOND 1000000000LL
#define LATE 1000000LL

struct packet {
    int64_t due;
    int length;
    unsigned char bytes[LARGEST];
};

struct direction {
    struct packet *ring;
    uint32_t head, tail;
    int to;
};

static int64_t starts[RING]; /* Start of transmission of the packets that wait. */
static uint32_t first_waiting, end_waiting;
static int64_t drops[DROPS];
static int64_t dropped, lost, forwarded, returned, deliveries, late, lateness, latest, waited;
static volatile sig_atomic_t stopped;

static void stop(int signal) {
    (void)signal;
    stopped = 1;
}

static void fail(const char *what) {
    fprintf(stderr, "link: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int64_t clock_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * SECOND + now.tv_nsec;
}

static int open_tun(const char *namespace) {
    char path[256];
    snprintf(path, sizeof path, "/run/netns/%s", namespace);
    int space = open(path, O_RDONLY | O_CLOEXEC);
    if (space < 0) fail(path);
    if (setns(space, CLONE_NEWNET) != 0) fail("setns");
    close(space);
    int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (device < 0) fail("/dev/net/tun");
    struct ifreq request;
    memset(&request, 0, sizeof request);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    strncpy(request.ifr_name, "tun0", IFNAMSIZ - 1);
    if (ioctl(device, TUNSETIFF, &request) != 0) fail("TUNSETIFF");
    return device;
}

/* xorshift64*: a stream of its own, so that a seed loses the same packets on every machine. */
static double draw(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 2685821657736338717ULL) >> 11) / 9007199254740992.0;
}

static struct packet *room(struct direction *way) {
    if (way->head - way->tail == RING) {
        errno = ENOBUFS;
        fail("more packets on the way than the program has room for");
    }
    return &way->ring[way->head % RING];
}

static void deliver(struct direction *way, int64_t now) {
    while (way->tail != way->head && way->ring[way->tail % RING].due <= now) {
        struct packet *packet = &way->ring[way->tail++ % RING];
        int64_t behind = now - packet->due;
        if (write(way->to, packet->bytes, packet->length) < 0 && errno != EIO) fail("write");
        deliveries++;
        lateness += behind;
        late += behind > LATE;
        if (behind > latest) latest = behind;
        now = clock_now();
    }
}

int main(int count, char **given) {
    if (count != 10) {
        fprintf(stderr, "link: expected 9 arguments, got %d\n", count - 1);
        return 2;
    }
    double rate = atof(given[3]), loss = atof(given[6]);
    int64_t one_way = atoll(given[4]) * 500, limit = atoll(given[5]);
    uint64_t random = strtoull(given[7], NULL, 10) * 0x9E3779B97F4A7C15ULL + 1;
    int64_t from = (int64_t)(atof(given[8]) * SECOND), length = (int64_t)(atof(given[9]) * SECOND);
    if (!(rate > 0) || one_way < 0 || limit < 1 || limit >= RING || loss < 0 || loss >= 1) {
        fprintf(stderr, "link: an argument is out of range\n");
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* Ends with the script that started it. */
    signal(SIGTERM, stop);
    signal(SIGINT, stop);
    int a = open_tun(given[1]), b = open_tun(given[2]);
    struct direction forth = {malloc(sizeof(struct packet) * RING), 0, 0, b};
    struct direction back = {malloc(sizeof(struct packet) * RING), 0, 0, a};
    if (!forth.ring || !back.ring) fail("malloc");
    puts("up");
    fflush(stdout);

    int64_t begin = -1, free_at = 0, busy = 0;
    while (!stopped) {
        int64_t now = clock_now();
        if (begin >= 0 && now - begin > length) break;
        deliver(&forth, now);
        deliver(&back, now);
        int64_t next = now + SECOND / 10;
        if (forth.tail != forth.head && forth.ring[forth.tail % RING].due < next)
            next = forth.ring[forth.tail % RING].due;
        if (back.tail != back.head && back.ring[back.tail % RING].due < next)
            next = back.ring[back.tail % RING].due;
        int64_t wait = next - clock_now();
        struct timespec until = {0, wait > 0 ? wait : 0};
        struct pollfd ends[2] = {{a, POLLIN, 0}, {b, POLLIN, 0}};
        if (ppoll(ends, 2, &until, NULL) < 0 && errno != EINTR) fail("ppoll");
        for (;;) {
            struct packet *packet = room(&forth);
            packet->length = read(a, packet->bytes, LARGEST);
            if (packet->length <= 0) break;
            if (packet->bytes[0] >> 4 != 4) continue; /* IPv6 looks for neighbours. */
            now = clock_now();
            if (begin < 0) begin = now;
            if (packet->length >= SMALL && draw(&random) < loss) {
                lost += now - begin >= from;
                continue;
            }
            while (first_waiting != end_waiting && starts[first_waiting % RING] <= now) first_waiting++;
            if ((int64_t)(end_waiting - first_waiting) >= limit) {
                if (dropped < DROPS) drops[dropped] = now - begin;
                dropped++;
                continue;
            }
            int64_t start = free_at > now ? free_at : now;
            starts[end_waiting++ % RING] = start;
            free_at = start + (int64_t)(packet->length * 8 * (double)SECOND / rate);
            if (now - begin >= from) {
                waited += start - now;
                busy += free_at - start;
            }
            packet->due = free_at + one_way;
            forth.head++;
            forwarded++;
        }
        for (;;) {
            struct packet *packet = room(&back);
            packet->length = read(b, packet->bytes, LARGEST);
            if (packet->length <= 0) break;
            if (packet->bytes[0] >> 4 != 4) continue;
            packet->due = clock_now() + one_way;
            back.head++;
            returned++;
        }
    }
    for (int64_t each = 0; each < dropped && each < DROPS; each++)
        printf("drop %.6f\n", (double)drops[each] / SECOND);
    double measured = begin < 0 ? 0 : (double)(clock_now() - begin - from);
    /* Mean number that wait: Little's law, times that packets wait over the time measured. */
    printf("end forwarded %lld returned %lld dropped %lld lost %lld queue %.5f utilization %.5f "
           "late_share %.6f late_mean_us %.2f late_most_us %.1f\n",
           (long long)forwarded, (long long)returned, (long long)dropped, (long long)lost,
           measured > 0 ? waited / measured : 0, measured > 0 ? busy / measured : 0,
           deliveries ? (double)late / deliveries : 0, deliveries ? lateness / 1e3 / deliveries : 0, latest / 1e3);
    return 0;
}
