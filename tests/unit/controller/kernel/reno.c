/* Reno in whole segments, as a module of Linux that leaves most to the kernel's shared functions. */
#include <linux/module.h>
#include <net/tcp.h>

static struct tcp_congestion_ops reno_ops = {
	.name = "whole-reno",
	.owner = THIS_MODULE,
	.flags = TCP_CONG_NON_RESTRICTED,
	.ssthresh = tcp_reno_ssthresh,
	.undo_cwnd = tcp_reno_undo_cwnd,
	.cong_avoid = tcp_reno_cong_avoid,
};

static int __init reno_register(void)
{
	return tcp_register_congestion_control(&reno_ops);
}

static void __exit reno_unregister(void)
{
	tcp_unregister_congestion_control(&reno_ops);
}

module_init(reno_register);
module_exit(reno_unregister);
MODULE_LICENSE("Dual MIT/GPL");
