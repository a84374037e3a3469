/* C types of what crosses between mesonet and a library, version 4: crates/plugin/src/abi says what each one means. */
#ifndef MESONET_PLUGIN_H
#define MESONET_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

enum { MESONET_ABI = 4 };
enum { DONE = 0, FAILED = 1 };
enum { ENTER_RECOVERY = 0, EXIT_RECOVERY = 1, ECN_ECHO = 2, RTO = 3 };
enum { SLOW_START = 0, STANDARD = 1, ALTERNATE = 2 };
enum { NEEDS_CLASSIC_ECN = 1, NEEDS_RATE_SAMPLES = 2, NEEDS_DCTCP_ECN = 16, NEEDS_SEGMENTS = 128, NEEDS_OWN_RECOVERY = 256 };
enum { ACK_HAS_RTT = 1, ACK_HAS_RATE = 4, ACK_IS_APP_LIMITED = 8, ACK_HAS_RATE_RTT = 64 };
enum { FLOW_IN_RECOVERY = 1, FLOW_CWND_LIMITED = 2 };
enum { ANSWER_PACES = 1, ANSWER_HAS_SSTHRESH = 8 };
enum { SEGMENT_APP_LIMITED = 1 };

struct text {
	const char *start;
	size_t length;
};

struct raw_algorithm {
	struct text name, display, summary, source;
	uint32_t params;
};

struct raw_param {
	struct text name, unit, doc;
	double initial, min, max;
};

struct raw_initial {
	double window, ssthresh, restart_window; /* segments */
	uint64_t seed;
	uint32_t smss, forms;
};

struct raw_answer {
	double cwnd, pacing_rate; /* bytes, bytes/s */
	uint64_t wakeup, departure;
	double ssthresh;
	uint32_t phase, present;
};

struct raw_created {
	void *state;
	struct raw_answer answer;
	uint32_t needs;
};

struct raw_feedback {
	double cwnd, rtt, feedback;
	uint32_t kind, region;
};

struct raw_ack {
	uint64_t delivered, lost, ce_marked; /* bytes */
	uint64_t rtt, forward_delay; /* ps, as all times */
	uint64_t rate_delivered, rate_interval, rate_rtt;
	uint64_t round_min_rtt, round_delivered, round_lost, round_ce_marked;
	uint32_t round_rtt_count, present;
	struct raw_feedback feedback;
};

struct raw_flow {
	uint64_t now, in_flight, flight_size, srtt, min_rtt, next_send_time;
	uint32_t smss, flags;
};

struct raw_segment {
	uint64_t sent, in_flight, delivered, lost, ce_marked;
	uint32_t number, flags;
};

struct raw_delivery {
	struct raw_segment newest;
	uint64_t rtt, delivered, from_flight, prior_in_flight;
	uint32_t first_unacknowledged, has_rtt;
};

struct calls {
	uint32_t (*describe)(uint32_t, struct raw_algorithm *);
	uint32_t (*parameter)(uint32_t, uint32_t, struct raw_param *);
	uint32_t (*create)(uint32_t, const double *, size_t, const struct raw_initial *, struct raw_created *);
	uint32_t (*on_ack)(void *, const struct raw_ack *, const struct raw_flow *, struct raw_answer *);
	uint32_t (*on_congestion)(void *, uint32_t, const struct raw_flow *, struct raw_answer *);
	uint32_t (*on_send)(void *, struct raw_feedback *, const struct raw_flow *, struct raw_answer *);
	uint32_t (*on_wakeup)(void *, const struct raw_flow *, struct raw_answer *);
	uint32_t (*on_segment_sent)(void *, const struct raw_segment *, const struct raw_flow *, struct raw_answer *);
	uint32_t (*on_delivery)(void *, const struct raw_delivery *, const struct raw_flow *, struct raw_answer *);
	uint32_t (*on_segment_lost)(void *, const struct raw_segment *, uint32_t, const struct raw_flow *,
				    struct raw_answer *);
	uint32_t (*on_undo)(void *, double, double, const struct raw_flow *, struct raw_answer *);
	uint32_t (*on_restart)(void *, uint64_t, const struct raw_flow *, struct raw_answer *);
	uint32_t (*override_window)(void *, double, double, const struct raw_flow *, struct raw_answer *);
	uint32_t (*state)(void *, void *, void (*)(void *, struct text, double));
	struct text (*message)(void *);
	void (*destroy)(void *);
};

struct header {
	char magic[16];
	uint32_t abi, reserved;
	struct text plugin_version, name, version;
	uint32_t controllers;
	struct calls calls;
};

#endif
