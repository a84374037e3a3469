/* Functions of the kernel that modules call, written from what they do. */
#include "shim.h"

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
