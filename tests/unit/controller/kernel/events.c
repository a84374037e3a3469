/* A module that says which events reach it: each puts the window at a value of its own. */
#include <linux/module.h>
#include <net/tcp.h>

static void events_init(struct sock *sk)
{
	tcp_snd_cwnd_set(tcp_sk(sk), 10);
}

static u32 events_ssthresh(struct sock *sk)
{
	return 40;
}

static u32 events_undo(struct sock *sk)
{
	return 77;
}

static void events_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
}

static void events_restart(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 idle = tcp_jiffies32 - tp->lsndtime;

	tcp_snd_cwnd_set(tp, 1000 + jiffies_to_msecs(idle) / 100);
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 1, 0)
static void events_cwnd_event(struct sock *sk, enum tcp_ca_event event)
{
	if (event == CA_EVENT_TX_START)
		events_restart(sk);
}
#endif

static struct tcp_congestion_ops events_ops = {
	.name = "events",
	.init = events_init,
	.ssthresh = events_ssthresh,
	.cong_avoid = events_cong_avoid,
	.undo_cwnd = events_undo,
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 1, 0)
	.cwnd_event = events_cwnd_event,
#else
	.cwnd_event_tx_start = events_restart,
#endif
};

static int __init events_register(void)
{
	return tcp_register_congestion_control(&events_ops);
}

module_init(events_register);
MODULE_LICENSE("Dual MIT/GPL");
