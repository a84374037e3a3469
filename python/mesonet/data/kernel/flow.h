/*
 * A flow: the socket that the module knows, its clock, and what the transport of Linux does to it around a module's calls.
 * Part of adapter.c, which has the modules and the clock.
 */

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
