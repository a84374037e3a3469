/*
 * Calls of the simulator, mapped to those that the transport of Linux makes of a congestion-control module, in its
 * order (net/ipv4/tcp_input.c): what an ACK acknowledges, the state of recovery, then window and pacing rate.
 */
#include "plugin.h"
#include "shim.h"

#define EXPORT __attribute__((visibility("default")))
#define ARRIVAL 1000 /* The kernel's clock when the simulation begins [s]: zero means "never" to modules. */
#define PS_PER_US 1000000ULL
#define PS_PER_SECOND 1000000000000ULL

enum { MAX_MODULES = 8 };
static struct tcp_congestion_ops *modules[MAX_MODULES];

_Thread_local u64 shim_jiffies;
static _Thread_local u64 *random_state;

void *calloc(size_t, size_t);
void free(void *);
size_t strlen(const char *);

extern EXPORT struct header MESONET_PLUGIN;

int tcp_register_congestion_control(struct tcp_congestion_ops *ops)
{
	u32 count = MESONET_PLUGIN.controllers;

	if (!ops->ssthresh || !ops->undo_cwnd || !(ops->cong_avoid || ops->cong_control) || count == MAX_MODULES)
		return -22;
	modules[count] = ops;
	MESONET_PLUGIN.controllers = count + 1;
	return 0;
}

void tcp_unregister_congestion_control(struct tcp_congestion_ops *ops) { (void)ops; }

/* SplitMix64 (Steele, Lea, Flood 2014), as for controllers that are built in. */
u32 shim_random_below(u32 count)
{
	u64 x = *random_state += 0x9e3779b97f4a7c15;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return (x ^ (x >> 31)) % count;
}

#include "flow.h"

/* RTT of the last segment that an ACK acknowledges; of a retransmitted one, by time stamps in milliseconds. */
static long last_rtt(const struct raw_ack *ack, const struct raw_flow *raw)
{
	const u64 ms = PS_PER_SECOND / 1000;

	if (ack->present & ACK_HAS_RATE_RTT)
		return ack->rate_rtt / PS_PER_US;
	if (!(ack->present & ACK_HAS_RTT))
		return -1;
	if (!(ack->present & ACK_HAS_RATE))
		return ack->rtt / PS_PER_US;
	return max(raw->now / ms - (raw->now - ack->rtt) / ms, 1ULL) * USEC_PER_MSEC;
}

static struct rate_sample sampled(struct flow *flow, const struct raw_ack *ack, const struct raw_flow *raw, u32 acked,
				  u32 lost)
{
	struct tcp_sock *tp = &flow->tp;
	struct rate_sample rs = {
		.prior_delivered = tp->delivered,
		.delivered = -1,
		.interval_us = -1,
		.rtt_us = last_rtt(ack, raw),
		.losses = lost,
		.acked_sacked = acked,
		.prior_in_flight = tp->in_flight + acked + lost,
		.is_app_limited = ack->present & ACK_IS_APP_LIMITED,
		.is_ece = ack->ce_marked,
	};

	if (follows_segments(tp)) {
		const struct raw_segment *newest = &flow->newest;

		rs.prior_in_flight = flow->prior_in_flight;
		rs.prior_delivered = newest->delivered / tp->mss_cache;
		rs.tx_in_flight = newest->in_flight / tp->mss_cache;
		rs.lost = tp->lost - newest->lost / tp->mss_cache;
		rs.delivered_ce = tp->delivered_ce - newest->ce_marked / tp->mss_cache;
	}
	if (ack->present & ACK_HAS_RATE) {
		rs.delivered = ack->rate_delivered / tp->mss_cache;
		rs.interval_us = ack->rate_interval / PS_PER_US;
		rs.prior_delivered = tp->delivered - rs.delivered;
	}
	if (flow->limited_to)
		rs.is_app_limited |= between(rs.prior_delivered, flow->limited_from, flow->limited_to);
	return rs;
}

static uint32_t on_ack(void *state, const struct raw_ack *ack, const struct raw_flow *raw, struct raw_answer *answer)
{
	struct flow *flow = state;
	struct tcp_sock *tp = &flow->tp;
	struct sock *sk = &tp->inet_conn.sk;
	const struct tcp_congestion_ops *ops = tp->inet_conn.icsk_ca_ops;
	u32 acked = ack->delivered / raw->smss, lost = ack->lost / raw->smss;

	begin(flow, raw, ack->present & ACK_HAS_RTT ? ack->rtt : 0);
	enter(flow, raw);
	tp->snd_una += ack->delivered;
	tp->snd_nxt += ack->delivered;
	tp->delivered += acked;
	flow->has_progressed = true;
	tp->delivered_ce += ack->ce_marked / raw->smss;
	tp->delivered_mstamp = tp->tcp_mstamp;
	if (tp->app_limited && after(tp->delivered, tp->app_limited))
		tp->app_limited = 0;
	if (!follows_segments(tp))
		tp->lost += lost;
	struct rate_sample rs = sampled(flow, ack, raw, acked, lost);
	if (ops->pkts_acked) {
		s32 rtt = ack->present & ACK_HAS_RTT ? (s32)(ack->rtt / PS_PER_US) : -1;
		struct ack_sample sample = {acked, rtt, (tp->delivered - rs.prior_delivered) * tp->mss_cache};

		ops->pkts_acked(sk, &sample);
	}
	if (ops->in_ack_event)
		ops->in_ack_event(sk, (tp->inet_conn.icsk_ca_state == TCP_CA_Open ? 0 : CA_ACK_SLOWPATH) |
					      (ack->ce_marked ? CA_ACK_ECE : 0));
	if (tp->inet_conn.icsk_ca_state == TCP_CA_CWR && after(tp->snd_una, flow->high_seq))
		end_reduction(sk);
	if (ops->cong_control) {
#if SHIM_KERNEL >= KERNEL_VERSION(6, 10, 0)
		ops->cong_control(sk, tp->snd_una, 0, &rs);
#else
		ops->cong_control(sk, &rs);
#endif
		return leave(flow, answer);
	}
	if (tp->inet_conn.icsk_ca_state != TCP_CA_CWR && tp->inet_conn.icsk_ca_state != TCP_CA_Recovery)
		ops->cong_avoid(sk, tp->snd_una, acked);
	update_pacing_rate(sk);
	return leave(flow, answer);
}

static uint32_t on_congestion(void *state, uint32_t event, const struct raw_flow *raw, struct raw_answer *answer)
{
	struct flow *flow = state;
	struct sock *sk = &flow->tp.inet_conn.sk;

	enter(flow, raw);
	switch (event) {
	case ENTER_RECOVERY:
		reduce(sk, TCP_CA_Recovery);
		break;
	case ECN_ECHO:
		flow->high_seq = flow->tp.snd_nxt;
		reduce(sk, TCP_CA_CWR);
		break;
	case RTO:
		lose(flow);
		break;
	case EXIT_RECOVERY:
		if (flow->tp.inet_conn.icsk_ca_state == TCP_CA_Recovery)
			end_reduction(sk);
		else
			set_state(sk, TCP_CA_Open);
		break;
	}
	return leave(flow, answer);
}

static struct text text(const char *text) { return (struct text){text, strlen(text)}; }

static uint32_t describe(uint32_t index, struct raw_algorithm *out)
{
	const char *name = modules[index]->name;

	*out = (struct raw_algorithm){
		text(name), text(name), text("Congestion-control module of Linux"), text(SHIM_SOURCE), 0};
	return DONE;
}

static uint32_t parameter(uint32_t index, uint32_t number, struct raw_param *out)
{
	(void)index, (void)number, (void)out;
	return FAILED;
}

static uint32_t create(uint32_t index, const double *values, size_t count, const struct raw_initial *initial,
		       struct raw_created *out)
{
	struct flow *flow = calloc(1, sizeof(*flow));
	struct tcp_sock *tp = &flow->tp;
	struct sock *sk = &tp->inet_conn.sk;
	const struct tcp_congestion_ops *ops = modules[index];
	bool counts_marks = ops->flags & (TCP_CONG_NEEDS_ECN | (SHIM_ECN_LOW ? TCP_CONG_WANTS_CE_EVENTS : 0));

	(void)values, (void)count;
	sk->sk_pacing_rate = sk->sk_max_pacing_rate = ~0UL;
	sk->sk_gso_max_size = GSO_MAX_SIZE - 1 - MAX_TCP_HEADER;
	sk->sk_pacing_shift = 10;
	tp->inet_conn.icsk_ca_ops = ops;
	tp->snd_cwnd = initial->window < 1 ? 1 : initial->window;
	tp->snd_ssthresh = whole_ssthresh(initial->ssthresh);
	tp->snd_cwnd_clamp = ~0U;
	tp->mss_cache = initial->smss;
	tp->min_rtt_us = U32_MAX;
	tp->ecn_flags = counts_marks ? TCP_ECN_OK | TCP_ECN_LOW : 0;
	flow->random = initial->seed;
	random_state = &flow->random;
	init(flow);
	*out = (struct raw_created){
		.state = flow,
		.needs = (ops->cong_control ? NEEDS_OWN_RECOVERY : 0) |
			 (counts_marks ? NEEDS_DCTCP_ECN : ops->cong_control ? 0 : NEEDS_CLASSIC_ECN) |
			 (ops->cong_control || ops->pkts_acked ? NEEDS_RATE_SAMPLES : 0) |
			 (ops->skb_marked_lost ? NEEDS_SEGMENTS : 0),
	};
	return leave(flow, &out->answer);
}

static uint32_t on_send(void *state, struct raw_feedback *feedback, const struct raw_flow *raw,
			struct raw_answer *answer)
{
	(void)feedback;
	enter(state, raw);
	return leave(state, answer);
}

static uint32_t on_undo(void *state, double cwnd, double ssthresh, const struct raw_flow *raw, struct raw_answer *answer)
{
	struct tcp_sock *tp = &((struct flow *)state)->tp;

	enter(state, raw);
	tp->prior_cwnd = cwnd / raw->smss;
	tp->snd_cwnd = tp->inet_conn.icsk_ca_ops->undo_cwnd(&tp->inet_conn.sk);
	/* Not a number is no threshold. */
	if (ssthresh == ssthresh)
		tp->snd_ssthresh = max(tp->snd_ssthresh, whole_ssthresh(ssthresh / raw->smss));
	return leave(state, answer);
}

static uint32_t on_restart(void *state, uint64_t idle, const struct raw_flow *raw, struct raw_answer *answer)
{
	struct tcp_sock *tp = &((struct flow *)state)->tp;

	enter(state, raw);
	tp->lsndtime = ticks(raw->now - idle);
	if (!tp->is_cwnd_limited)
		tp->app_limited = max(tp->delivered, 1U);
	tell(&tp->inet_conn.sk, CA_EVENT_TX_START);
	return leave(state, answer);
}

/* The transport puts down a window that was idle for long, or not used, or at a timeout. */
static uint32_t override_window(void *state, double cwnd, double ssthresh, const struct raw_flow *raw,
				struct raw_answer *answer)
{
	struct tcp_sock *tp = &((struct flow *)state)->tp;

	enter(state, raw);
	if (tp->in_flight == 0 && tp->inet_conn.icsk_ca_state == TCP_CA_Open)
		tell(&tp->inet_conn.sk, CA_EVENT_CWND_RESTART);
	tp->snd_cwnd = cwnd / raw->smss;
	tp->snd_ssthresh = whole_ssthresh(ssthresh / raw->smss);
	return leave(state, answer);
}

static uint32_t on_segment_sent(void *state, const struct raw_segment *segment, const struct raw_flow *raw,
				struct raw_answer *answer)
{
	struct flow *flow = state;

	(void)segment;
	enter(flow, raw);
	flow->sent++;
	return leave(flow, answer);
}

static uint32_t on_delivery(void *state, const struct raw_delivery *delivery, const struct raw_flow *raw,
			    struct raw_answer *answer)
{
	struct flow *flow = state;

	flow->newest = delivery->newest;
	flow->prior_in_flight = delivery->prior_in_flight / raw->smss;
	enter(flow, raw);
	return leave(flow, answer);
}

static uint32_t on_segment_lost(void *state, const struct raw_segment *segment, uint32_t starts_run,
				const struct raw_flow *raw, struct raw_answer *answer)
{
	struct tcp_sock *tp = &((struct flow *)state)->tp;
	struct sk_buff skb = {.cb.tx = {
		.in_flight = segment->in_flight / raw->smss,
		.lost = segment->lost / raw->smss,
		.delivered = segment->delivered / raw->smss,
		.delivered_mstamp = 1,
		.is_app_limited = segment->flags & SEGMENT_APP_LIMITED,
	}};

	(void)starts_run;
	enter(state, raw);
	tp->lost++;
	if (follows_segments(tp))
		tp->inet_conn.icsk_ca_ops->skb_marked_lost(&tp->inet_conn.sk, &skb);
	return leave(state, answer);
}

static uint32_t on_wakeup(void *state, const struct raw_flow *raw, struct raw_answer *answer)
{
	enter(state, raw);
	return leave(state, answer);
}

static uint32_t record(void *state, void *context, void (*record)(void *, struct text, double))
{
	record(context, text("ssthresh"), ssthresh_bytes(&((struct flow *)state)->tp));
	return DONE;
}

static struct text message(void *state)
{
	(void)state;
	return text("a kernel module does not fail");
}

static void destroy(void *state)
{
	struct flow *flow = state;
	const struct tcp_congestion_ops *ops = flow->tp.inet_conn.icsk_ca_ops;

	if (ops->release)
		ops->release(&flow->tp.inet_conn.sk);
	free(flow);
}

struct header MESONET_PLUGIN = {
	.magic = "mesonet plugin\r\n",
	.abi = MESONET_ABI,
	.plugin_version = {SHIM_PLUGIN, sizeof(SHIM_PLUGIN) - 1},
	.name = {SHIM_NAME, sizeof(SHIM_NAME) - 1},
	.version = {SHIM_VERSION, sizeof(SHIM_VERSION) - 1},
	.calls = {
		describe, parameter, create, on_ack, on_congestion, on_send, on_wakeup, on_segment_sent, on_delivery,
		on_segment_lost, on_undo, on_restart, override_window, record, message, destroy,
	},
};
