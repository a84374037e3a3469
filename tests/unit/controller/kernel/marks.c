/* Two modules with a window of 100 until a mark is counted, then of 50: as DCTCP needs ECN, and as BBR 3 does. */
#include <linux/module.h>
#include <net/tcp.h>
#include "tcp_dctcp.h"

static void marks_init(struct sock *sk)
{
	tcp_snd_cwnd_set(tcp_sk(sk), tcp_ecn_mode_any(tcp_sk(sk)) ? 100 : 101);
}

static void marks_avoid(struct sock *sk, u32 ack, u32 acked)
{
}

static void marks_in_ack(struct sock *sk, u32 flags)
{
	if (flags & CA_ACK_ECE && tcp_sk(sk)->delivered_ce)
		tcp_snd_cwnd_set(tcp_sk(sk), 50);
}

static void marks_control(struct sock *sk, u32 ack, int flag, const struct rate_sample *rs)
{
	if (rs->is_ece)
		tcp_snd_cwnd_set(tcp_sk(sk), 50);
}

static u32 marks_ssthresh(struct sock *sk)
{
	return tcp_snd_cwnd(tcp_sk(sk));
}

static struct tcp_congestion_ops needs_ecn = {
	.name = "needs-ecn",
	.flags = TCP_CONG_NEEDS_ECN,
	.init = marks_init,
	.ssthresh = marks_ssthresh,
	.cong_avoid = marks_avoid,
	.undo_cwnd = tcp_reno_undo_cwnd,
	.in_ack_event = marks_in_ack,
};

static struct tcp_congestion_ops wants_marks = {
	.name = "wants-marks",
	.flags = TCP_CONG_WANTS_CE_EVENTS,
	.init = marks_init,
	.ssthresh = marks_ssthresh,
	.cong_control = marks_control,
	.undo_cwnd = tcp_reno_undo_cwnd,
};

static int __init marks_register(void)
{
	return tcp_register_congestion_control(&needs_ecn) ?: tcp_register_congestion_control(&wants_marks);
}

module_init(marks_register);
MODULE_LICENSE("Dual MIT/GPL");
