/* A window that follows a cubic function of the kernel's clock: what a module may use of headers, macros and clock. */
#include <linux/mm.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/module.h>
#include <linux/math64.h>
#include <net/tcp.h>
#include <asm/div64.h>

static int beta __read_mostly = 717;
module_param(beta, int, 0444);
MODULE_PARM_DESC(beta, "part of the window kept on loss, in 1/1024");

struct curve {
	u32 begin; /* jiffies */
	u32 origin;
	u32 delay; /* smallest round trip [us] */
};

__bpf_kfunc static void curve_init(struct sock *sk)
{
	struct curve *curve = inet_csk_ca(sk);

	memset(curve, 0, sizeof(*curve));
	curve->delay = U32_MAX;
}

__bpf_kfunc static u32 curve_ssthresh(struct sock *sk)
{
	struct curve *curve = inet_csk_ca(sk);

	curve->begin = 0;
	curve->origin = tcp_snd_cwnd(tcp_sk(sk));
	return max_t(u32, curve->origin * beta / 1024, 2U);
}

/* Segments per segment of growth that lead to the function, a segment per 2.5 s^3 beyond 2 s. */
static u32 curve_count(struct curve *curve, u32 cwnd)
{
	s64 ms = jiffies_to_msecs(tcp_jiffies32 - curve->begin) + curve->delay / USEC_PER_MSEC - 2000;
	u64 cube = (u64)abs(ms) * abs(ms) * abs(ms);
	u32 target = curve->origin, delta;

	do_div(cube, 2500000000U);
	delta = min_t(u64, cube, target);
	target = ms < 0 ? target - delta : target + delta;
	return target > cwnd ? clamp(cwnd / (target - cwnd), 2U, 100 * cwnd) : 100 * cwnd;
}

__bpf_kfunc static void curve_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct curve *curve = inet_csk_ca(sk);

	if (!tcp_is_cwnd_limited(sk))
		return;
	if (tcp_in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (!acked)
			return;
	}
	if (!curve->begin)
		curve->begin = tcp_jiffies32;
	tcp_cong_avoid_ai(tp, curve_count(curve, tcp_snd_cwnd(tp)), acked);
}

__bpf_kfunc static void curve_acked(struct sock *sk, const struct ack_sample *sample)
{
	struct curve *curve = inet_csk_ca(sk);

	if (sample->rtt_us > 0)
		curve->delay = min_t(u32, curve->delay, sample->rtt_us);
}

static struct tcp_congestion_ops curve_ops __read_mostly = {
	.init = curve_init,
	.ssthresh = curve_ssthresh,
	.cong_avoid = curve_cong_avoid,
	.undo_cwnd = tcp_reno_undo_cwnd,
	.pkts_acked = curve_acked,
	.owner = THIS_MODULE,
	.name = "curve",
};

BTF_KFUNCS_START(curve_ids)
BTF_ID_FLAGS(func, curve_init)
BTF_KFUNCS_END(curve_ids)

static const struct btf_kfunc_id_set curve_set = {
	.owner = THIS_MODULE,
	.set = &curve_ids,
};

static int __init curve_register(void)
{
	BUILD_BUG_ON(sizeof(struct curve) > ICSK_CA_PRIV_SIZE);
	if (register_btf_kfunc_id_set(BPF_PROG_TYPE_STRUCT_OPS, &curve_set) < 0)
		return -1;
	return tcp_register_congestion_control(&curve_ops);
}

module_init(curve_register);
MODULE_LICENSE("Dual MIT/GPL");
