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

/* A flow: the socket that the module knows, and what the transport remembers. */
struct flow {
	struct tcp_sock tp;
	u64 random;
	u32 high_seq; /* SND.NXT when the window was reduced for a mark */
	struct raw_segment newest; /* that the ACK at hand delivers; for modules that hear of segments */
	u32 prior_in_flight, sent;
	u32 limited_from, limited_to; /* samples of what was sent between these counts are application-limited */
	bool has_clock;
	bool has_progressed; /* something was delivered since the timeout */
};

_Static_assert(sizeof(struct flow) <= 400, "a flow is small");

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

u32 minmax_reset(struct minmax *m, u32 t, u32 value)
{
	m->s[0] = m->s[1] = m->s[2] = (struct minmax_sample){t, value};
	return value;
}

u32 minmax_running_max(struct minmax *m, u32 window, u32 t, u32 value)
{
	struct minmax_sample *s = m->s, new = {t, value};

	if (value >= s[0].v || t - s[2].t > window)
		return minmax_reset(m, t, value);
	if (value >= s[1].v)
		s[1] = s[2] = new;
	else if (value >= s[2].v)
		s[2] = new;
	if (t - s[0].t > window) {
		bool both = t - s[1].t > window;

		s[0] = both ? s[2] : s[1];
		s[1] = both ? new : s[2];
		s[2] = new;
	} else if (s[1].t == s[0].t && t - s[0].t > window / 4) {
		s[1] = s[2] = new;
	} else if (s[2].t == s[1].t && t - s[0].t > window / 2) {
		s[2] = new;
	}
	return s[0].v;
}

/* Slow start by what is acknowledged, up to the threshold; what is left of it. */
u32 tcp_slow_start(struct tcp_sock *tp, u32 acked)
{
	u32 used = min(acked, tp->snd_ssthresh - min(tp->snd_cwnd, tp->snd_ssthresh));

	tp->snd_cwnd = min(tp->snd_cwnd + used, tp->snd_cwnd_clamp);
	return acked - used;
}

/* Growth by one for every `w` acknowledged. Credit of a larger `w` counts as one. */
void tcp_cong_avoid_ai(struct tcp_sock *tp, u32 w, u32 acked)
{
	if (tp->snd_cwnd_cnt >= w) {
		tp->snd_cwnd_cnt = 0;
		tp->snd_cwnd++;
	}
	tp->snd_cwnd_cnt += acked;
	tp->snd_cwnd += tp->snd_cwnd_cnt / w;
	tp->snd_cwnd_cnt %= w;
	tp->snd_cwnd = min(tp->snd_cwnd, tp->snd_cwnd_clamp);
}

/* Threshold that remembers the window, three quarters of it, unless the window is being reduced. */
u32 tcp_current_ssthresh(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	bool reduces = inet_csk(sk)->icsk_ca_state == TCP_CA_CWR || inet_csk(sk)->icsk_ca_state == TCP_CA_Recovery;

	return reduces ? tp->snd_ssthresh : max(tp->snd_ssthresh, tp->snd_cwnd / 2 + tp->snd_cwnd / 4);
}

u32 tcp_reno_ssthresh(struct sock *sk) { return max(tcp_sk(sk)->snd_cwnd / 2, 2U); }

u32 tcp_reno_undo_cwnd(struct sock *sk) { return max(tcp_sk(sk)->snd_cwnd, tcp_sk(sk)->prior_cwnd); }

void tcp_reno_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	(void)ack;
	if (!tcp_is_cwnd_limited(sk))
		return;
	if (tcp_in_slow_start(tp))
		acked = tcp_slow_start(tp, acked);
	if (acked)
		tcp_cong_avoid_ai(tp, tp->snd_cwnd, acked);
}

static void set_state(struct sock *sk, u8 state)
{
	if (inet_csk(sk)->icsk_ca_ops->set_state)
		inet_csk(sk)->icsk_ca_ops->set_state(sk, state);
	inet_csk(sk)->icsk_ca_state = state;
}

static void tell(struct sock *sk, enum tcp_ca_event event)
{
	const struct tcp_congestion_ops *ops = inet_csk(sk)->icsk_ca_ops;

	if (event == CA_EVENT_TX_START && ops->cwnd_event_tx_start)
		ops->cwnd_event_tx_start(sk);
	else if (ops->cwnd_event)
		ops->cwnd_event(sk, event);
}

static void init(struct flow *flow)
{
	struct sock *sk = &flow->tp.inet_conn.sk;

	memset(flow->tp.inet_conn.icsk_ca_priv, 0, ICSK_CA_PRIV_SIZE);
	if (flow->tp.inet_conn.icsk_ca_ops->init)
		flow->tp.inet_conn.icsk_ca_ops->init(sk);
}

static u64 ticks(u64 ps)
{
	return (ARRIVAL + ps / PS_PER_SECOND) * HZ + ps % PS_PER_SECOND * HZ / PS_PER_SECOND;
}

static void set_clock(struct flow *flow, const struct raw_flow *raw, u64 now)
{
	struct tcp_sock *tp = &flow->tp;

	random_state = &flow->random;
	shim_jiffies = ticks(now);
	tp->tcp_mstamp = ARRIVAL * USEC_PER_SEC + now / PS_PER_US;
	tp->tcp_clock_cache = tp->tcp_mstamp * NSEC_PER_USEC;
	tp->tcp_wstamp_ns = ARRIVAL * NSEC_PER_SEC + max(now, raw->next_send_time) / 1000;
	tp->srtt_us = raw->srtt / (PS_PER_US / 8);
	tp->min_rtt_us = raw->min_rtt ? raw->min_rtt / PS_PER_US : U32_MAX;
}

/* Begin the module once more at the first call, which tells the time; an ACK tells when the connection began. */
static void begin(struct flow *flow, const struct raw_flow *raw, u64 ago)
{
	if (!flow->has_clock) {
		flow->has_clock = true;
		set_clock(flow, raw, raw->now - ago);
		init(flow);
	}
}

/* Bring the socket up to date with the flow. */
static void enter(struct flow *flow, const struct raw_flow *raw)
{
	struct tcp_sock *tp = &flow->tp;

	begin(flow, raw, 0);
	set_clock(flow, raw, raw->now);
	tp->in_flight = raw->in_flight / raw->smss;
	tp->packets_out = raw->flight_size / raw->smss;
	tp->is_cwnd_limited = raw->flags & FLOW_CWND_LIMITED;
	tp->snd_nxt = tp->snd_una + raw->flight_size;
}

static double ssthresh_bytes(const struct tcp_sock *tp)
{
	bool is_set = tp->snd_ssthresh < TCP_INFINITE_SSTHRESH;

	return is_set ? (double)tp->snd_ssthresh * tp->mss_cache : __builtin_inf();
}

static u32 whole_ssthresh(double segments)
{
	return segments < TCP_INFINITE_SSTHRESH ? segments : TCP_INFINITE_SSTHRESH;
}

static bool follows_segments(const struct tcp_sock *tp)
{
	return tp->inet_conn.icsk_ca_ops->skb_marked_lost;
}

/*
 * Answers: the window, and a threshold for those whose window the transport may put down. A module that says that it
 * limits itself, as BBR does in ProbeRTT, has samples that are application-limited until what is in flight is delivered.
 */
static uint32_t leave(struct flow *flow, struct raw_answer *answer)
{
	struct tcp_sock *tp = &flow->tp;
	struct sock *sk = &tp->inet_conn.sk;
	bool is_reno = tp->inet_conn.icsk_ca_ops->cong_avoid == tcp_reno_cong_avoid;

	if (tp->app_limited && tp->app_limited != flow->limited_to) {
		if (!flow->limited_to || after(tp->delivered, flow->limited_to))
			flow->limited_from = tp->delivered;
		flow->limited_to = tp->app_limited;
	}
	answer->cwnd = (double)tp->snd_cwnd * tp->mss_cache;
	answer->phase = tcp_in_slow_start(tp) ? SLOW_START : is_reno ? STANDARD : ALTERNATE;
	answer->present = 0;
	/* Linux does not pace the first ten segments (`tcp_update_skb_after_send`). */
	if (sk->sk_pacing_status != SK_PACING_NONE && !(follows_segments(tp) && flow->sent < 10)) {
		answer->present |= ANSWER_PACES;
		answer->pacing_rate = max(sk->sk_pacing_rate, 1UL);
	}
	if (!tp->inet_conn.icsk_ca_ops->cong_control) {
		answer->present |= ANSWER_HAS_SSTHRESH;
		answer->ssthresh = ssthresh_bytes(tp);
	}
	return DONE;
}

/* A reduction of the window begins. It ends at the threshold, unless the module has a window of its own. */
static void reduce(struct sock *sk, u8 state)
{
	struct tcp_sock *tp = tcp_sk(sk);

	tp->prior_cwnd = tp->snd_cwnd;
	tp->snd_cwnd_cnt = 0;
	tp->snd_ssthresh = inet_csk(sk)->icsk_ca_ops->ssthresh(sk);
	set_state(sk, state);
	if (!inet_csk(sk)->icsk_ca_ops->cong_control)
		tp->snd_cwnd = min(tp->snd_cwnd, tp->snd_ssthresh);
}

static void end_reduction(struct sock *sk)
{
	if (!inet_csk(sk)->icsk_ca_ops->cong_control)
		tell(sk, CA_EVENT_COMPLETE_CWR);
	set_state(sk, TCP_CA_Open);
}

/*
 * A timeout: the threshold goes down once per episode, and again after one that was followed by progress; there is room
 * for one segment more than is in flight.
 */
static void lose(struct flow *flow)
{
	struct tcp_sock *tp = &flow->tp;
	struct sock *sk = &tp->inet_conn.sk;
	u8 state = tp->inet_conn.icsk_ca_state;

	if (state < TCP_CA_CWR || (state == TCP_CA_Loss && flow->has_progressed)) {
		tp->prior_cwnd = tp->snd_cwnd;
		tp->snd_ssthresh = tp->inet_conn.icsk_ca_ops->ssthresh(sk);
		tell(sk, CA_EVENT_LOSS);
	}
	flow->has_progressed = false;
	tp->snd_cwnd = tp->in_flight + 1;
	tp->snd_cwnd_cnt = 0;
	set_state(sk, TCP_CA_Loss);
}

/* Pacing rate of a window that the module does not pace itself: twice the window per RTT in slow start, else 1.2. */
static void update_pacing_rate(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u64 percent = tp->snd_cwnd < tp->snd_ssthresh / 2 ? 200 : 120;
	u64 window = (u64)max(tp->snd_cwnd, tp->packets_out) * tp->mss_cache;

	if (tp->srtt_us)
		sk->sk_pacing_rate = window * percent * (8 * USEC_PER_SEC / 100) / tp->srtt_us;
}

/* RTT of the last segment that an ACK acknowledges; of one that was sent again, by time stamps in milliseconds. */
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
	if (ops->in_ack_event)
		ops->in_ack_event(sk, (tp->inet_conn.icsk_ca_state == TCP_CA_Open ? 0 : CA_ACK_SLOWPATH) |
					      (ack->ce_marked ? CA_ACK_ECE : 0));
	if (ops->pkts_acked) {
		s32 rtt = ack->present & ACK_HAS_RTT ? (s32)(ack->rtt / PS_PER_US) : -1;
		struct ack_sample sample = {acked, rtt, tp->in_flight};

		ops->pkts_acked(sk, &sample);
	}
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
	flow->random = initial->seed;
	random_state = &flow->random;
	init(flow);
	*out = (struct raw_created){
		.state = flow,
		.needs = (ops->cong_control ? NEEDS_RATE_SAMPLES | NEEDS_OWN_RECOVERY : NEEDS_CLASSIC_ECN) |
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
