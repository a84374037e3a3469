/* A module whose window is 20, and 21 while 16 to 21 segments are delivered while one is on its way. */
#include <linux/module.h>
#include <net/tcp.h>

static void delivered_acked(struct sock *sk, const struct ack_sample *sample)
{
	struct tcp_sock *tp = tcp_sk(sk);

	tcp_snd_cwnd_set(tp, 20 + (sample->in_flight > 15 * tp->mss_cache && sample->in_flight <= 21 * tp->mss_cache));
}

static void delivered_avoid(struct sock *sk, u32 ack, u32 acked)
{
}

static struct tcp_congestion_ops delivered_ops = {
	.name = "delivered",
	.ssthresh = tcp_reno_ssthresh,
	.cong_avoid = delivered_avoid,
	.undo_cwnd = tcp_reno_undo_cwnd,
	.pkts_acked = delivered_acked,
};

static int __init delivered_register(void)
{
	return tcp_register_congestion_control(&delivered_ops);
}

module_init(delivered_register);
MODULE_LICENSE("Dual MIT/GPL");
