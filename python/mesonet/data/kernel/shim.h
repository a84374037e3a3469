/*
 * What a congestion-control module of Linux includes, written from the names, types and meaning of that interface.
 * Names are the kernel's, for modules use them. A field that the simulator has no value for is not declared: a module
 * that needs it does not compile. Windows and counts are in segments, times in microseconds unless a name says otherwise.
 */
#ifndef MESONET_SHIM_H
#define MESONET_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SHIM_KERNEL, SHIM_HZ and SHIM_ECN_LOW come from the command line. */
#define KERNEL_VERSION(major, minor, patch) (((major) << 16) + ((minor) << 8) + (patch))
#define LINUX_VERSION_CODE SHIM_KERNEL
#define HZ SHIM_HZ

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;
typedef u32 __u32;
typedef u64 __u64;
typedef u8 __u8;

/* Compiler and module macros. */
#define likely(x) (x)
#define unlikely(x) (x)
#define READ_ONCE(x) (x)
#define WRITE_ONCE(x, value) ((x) = (value))
#define __read_mostly
#define __init
#define __exit
#define __bpf_kfunc
#define __maybe_unused __attribute__((unused))
#define fallthrough __attribute__((fallthrough))
#define THIS_MODULE NULL
#define module_param(name, type, mode)
struct kernel_param;
struct kernel_param_ops {
	int (*set)(const char *, const struct kernel_param *);
	int (*get)(char *, const struct kernel_param *);
};
#define module_param_cb(name, ops, variable, mode)
#define param_set_uint_minmax(text, param, low, high) (-1)
#define param_get_uint NULL
#define module_param_named(name, variable, type, mode)
#define MODULE_PARM_DESC(name, text)
#define MODULE_AUTHOR(text)
#define MODULE_LICENSE(text)
#define MODULE_DESCRIPTION(text)
#define MODULE_VERSION(text)
#define MODULE_ALIAS(text)
#define EXPORT_SYMBOL_GPL(name)
#define module_init(function) \
	static void __attribute__((constructor)) shim_load(void) { function(); }
#define module_exit(function) \
	static void __attribute__((unused)) shim_unload(void) { function(); }

/* Tables for BPF: there is none. */
#define BTF_SET8_START(name) static int name __maybe_unused;
#define BTF_SET8_END(name)
#define BTF_KFUNCS_START(name) static int name __maybe_unused;
#define BTF_KFUNCS_END(name)
#define BTF_ID_FLAGS(...)
#define BPF_PROG_TYPE_STRUCT_OPS 0
struct btf_kfunc_id_set {
	void *owner;
	int *set;
};
#define register_btf_kfunc_id_set(type, set) ((void)(set), 0)
#define tcp_call_bpf(sk, op, count, arguments) (-1)

/* Messages and statistics go nowhere. */
#define pr_debug(...) ((void)0)
#define pr_info(...) ((void)0)
#define pr_err(...) ((void)0)
#define printk(...) ((void)0)
#define WARN_ON(condition) (condition)
#define WARN_ON_ONCE(condition) (condition)
#define WARN_ONCE(condition, ...) (condition)
#define BUG_ON(condition) ({ if (condition) __builtin_trap(); })
#define BUILD_BUG_ON(condition) _Static_assert(!(condition), #condition)
#define NET_INC_STATS(net, counter) ((void)0)
#define NET_ADD_STATS(net, counter, count) ((void)0)

/* Arithmetic. */
#define min(a, b) ({ __auto_type a_ = (a); __auto_type b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b) ({ __auto_type a_ = (a); __auto_type b_ = (b); a_ > b_ ? a_ : b_; })
#define min_t(type, a, b) ({ type a_ = (a), b_ = (b); a_ < b_ ? a_ : b_; })
#define min_not_zero(a, b) ({ __auto_type p_ = (a); __auto_type q_ = (b); !p_ || (q_ && q_ < p_) ? q_ : p_; })
#define max_t(type, a, b) ({ type a_ = (a), b_ = (b); a_ > b_ ? a_ : b_; })
#define clamp(x, low, high) min((__typeof__(x))max(x, low), high)
#define clamp_t(type, x, low, high) min_t(type, max_t(type, x, low), high)
#define min3(a, b, c) min(min(a, b), c)
#define max3(a, b, c) max(max(a, b), c)
#define abs(x) ({ __auto_type x_ = (x); x_ < 0 ? -x_ : x_; })
#define swap(a, b) ({ __auto_type a_ = (a); (a) = (b); (b) = a_; })
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define do_div(n, base) ({ u32 base_ = (base), rest_ = (n) % base_; (n) /= base_; rest_; })
#define div_u64(n, d) ((u64)(n) / (u32)(d))
#define div64_u64(n, d) ((u64)(n) / (u64)(d))
#define div64_ul(n, d) ((u64)(n) / (unsigned long)(d))
#define div64_long(n, d) ((s64)(n) / (long)(d))
#define fls(x) ((x) ? 32 - __builtin_clz(x) : 0)
#define fls64(x) ((x) ? 64 - __builtin_clzll(x) : 0)
#define ilog2(x) (fls64((u64)(x)) - 1)
#define cmpxchg(place, old, new) \
	({ __auto_type place_ = (place); __auto_type was_ = *place_; if (was_ == (old)) *place_ = (new); was_; })
void *memset(void *, int, size_t);
void *memcpy(void *, const void *, size_t);
#define U32_MAX UINT32_MAX
#define USEC_PER_MSEC 1000L
#define USEC_PER_SEC 1000000L
#define NSEC_PER_USEC 1000L
#define NSEC_PER_SEC 1000000000L
#define MSEC_PER_SEC 1000L

static inline bool before(u32 a, u32 b) { return (s32)(a - b) < 0; }
#define after(a, b) before(b, a)
#define between(x, low, high) ((u32)((high) - (low)) >= (u32)((x) - (low)))

/* Clock, and random numbers of the flow at hand; a thread serves one flow at a time. */
extern _Thread_local u64 shim_jiffies;
u32 shim_random_below(u32 count);
#define jiffies ((unsigned long)shim_jiffies)
#define tcp_jiffies32 ((u32)shim_jiffies)
#define time_after_eq(late, early) ((long)((late) - (early)) >= 0)
#define usecs_to_jiffies(us) DIV_ROUND_UP((u64)(us) * HZ, USEC_PER_SEC)
#define msecs_to_jiffies(ms) DIV_ROUND_UP((u64)(ms) * HZ, MSEC_PER_SEC)
#define jiffies_to_msecs(ticks) ((u32)((u64)(ticks) * MSEC_PER_SEC / HZ))
#define jiffies_to_usecs(ticks) ((u32)((u64)(ticks) * USEC_PER_SEC / HZ))
#define get_random_u32_below(count) shim_random_below(count)
#define prandom_u32_max(count) shim_random_below(count)
static inline void get_random_bytes(void *bytes, size_t count)
{
	while (count--)
		((u8 *)bytes)[count] = shim_random_below(256);
}

/* Windowed maximum of K. Nichols: the best of the window, the best since that, and the best since the second. */
struct minmax_sample {
	u32 t, v;
};
struct minmax {
	struct minmax_sample s[3];
};
static inline u32 minmax_get(const struct minmax *m) { return m->s[0].v; }
u32 minmax_reset(struct minmax *m, u32 t, u32 value);
u32 minmax_running_max(struct minmax *m, u32 window, u32 t, u32 value);

/* Sockets. */
#define ICSK_CA_PRIV_SIZE 144 /* 104 before BBR 3 */
#define TCP_CA_NAME_MAX 16
#define TCP_INIT_CWND 10U
#define TCP_INFINITE_SSTHRESH 0x7fffffff
#define MAX_TCP_HEADER 320
#define GSO_MAX_SIZE 65536
#define GSO_LEGACY_MAX_SIZE 65536
#define TCP_CONG_NON_RESTRICTED 1
#define TCP_CONG_NEEDS_ECN 2

enum tcp_ca_state { TCP_CA_Open, TCP_CA_Disorder, TCP_CA_CWR, TCP_CA_Recovery, TCP_CA_Loss };
enum { TCPF_CA_Open = 1, TCPF_CA_Disorder = 2, TCPF_CA_CWR = 4, TCPF_CA_Recovery = 8, TCPF_CA_Loss = 16 };
enum { CA_ACK_SLOWPATH = 1, CA_ACK_WIN_UPDATE = 2, CA_ACK_ECE = 4 };
enum tcp_ca_event {
	CA_EVENT_TX_START,
	CA_EVENT_CWND_RESTART,
	CA_EVENT_COMPLETE_CWR,
	CA_EVENT_LOSS,
	CA_EVENT_ECN_NO_CE,
	CA_EVENT_ECN_IS_CE,
};
enum sk_pacing { SK_PACING_NONE, SK_PACING_NEEDED, SK_PACING_FQ };

#include <ecn.h>
#include <bbr3.h>

struct net {
	struct {
		u8 sysctl_tcp_min_tso_segs, sysctl_tcp_plb_enabled;
	} ipv4;
};
static const struct net shim_net = {.ipv4 = {.sysctl_tcp_min_tso_segs = 2}};
#define sock_net(sk) ((struct net *)&shim_net)

struct tcp_congestion_ops;

struct sock {
	unsigned long sk_pacing_rate, sk_max_pacing_rate; /* bytes/s */
	u32 sk_pacing_status, sk_gso_max_size;
	u8 sk_state;
	u8 sk_pacing_shift;
};

struct inet_connection_sock {
	struct sock sk;
	const struct tcp_congestion_ops *icsk_ca_ops;
	u8 icsk_ca_state;
	u64 icsk_ca_priv[ICSK_CA_PRIV_SIZE / sizeof(u64)];
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u64 tcp_mstamp, delivered_mstamp;
	u64 tcp_clock_cache, tcp_wstamp_ns; /* ns */
	u32 lsndtime; /* jiffies */
	u32 snd_cwnd, snd_cwnd_cnt, snd_cwnd_clamp, snd_ssthresh, prior_cwnd;
	u32 snd_una, snd_nxt, mss_cache; /* bytes */
	u32 srtt_us; /* 1/8 us */
	u32 min_rtt_us;
	u32 delivered, delivered_ce, lost, app_limited;
	u32 packets_out, in_flight;
	bool is_cwnd_limited;
	u32 rcv_nxt;
	u8 ecn_flags;
	/* BBR 3; zero, but for what it sets. */
	u8 fast_ack_mode, is_sack_reneg, tlp_orig_data_app_limited;
	u32 lost_out;
};

#define tcp_sk(sk) ((struct tcp_sock *)(sk))
#define inet_csk(sk) ((struct inet_connection_sock *)(sk))
#define inet_csk_ca(sk) ((void *)inet_csk(sk)->icsk_ca_priv)
#define tcp_min_rtt(tp) ((tp)->min_rtt_us)
#define tcp_packets_in_flight(tp) ((tp)->in_flight)
#define tcp_is_cwnd_limited(sk) (tcp_sk(sk)->is_cwnd_limited)
#define tcp_in_slow_start(tp) ((tp)->snd_cwnd < (tp)->snd_ssthresh)
#define tcp_snd_cwnd(tp) ((tp)->snd_cwnd)
#define tcp_stamp_us_delta(late, early) ((u32)max_t(s64, (s64)((late) - (early)), 0))

static inline void tcp_snd_cwnd_set(struct tcp_sock *tp, u32 cwnd) { tp->snd_cwnd = cwnd; }
u32 tcp_slow_start(struct tcp_sock *tp, u32 acked);
void tcp_cong_avoid_ai(struct tcp_sock *tp, u32 w, u32 acked);
u32 tcp_current_ssthresh(const struct sock *sk);
u32 tcp_reno_ssthresh(struct sock *sk);
u32 tcp_reno_undo_cwnd(struct sock *sk);
void tcp_reno_cong_avoid(struct sock *sk, u32 ack, u32 acked);

/* What an ACK tells; negative where it does not. */
struct ack_sample {
	u32 pkts_acked;
	s32 rtt_us;
	u32 in_flight; /* bytes delivered since the newest segment left */
};
struct rate_sample {
	u32 prior_delivered;
	s32 delivered;
	long interval_us, rtt_us;
	int losses;
	u32 acked_sacked, prior_in_flight;
	bool is_app_limited, is_ack_delayed;
	/* BBR 3: since the segment left that an ACK delivers, and how many were in flight with it. */
	s32 lost, delivered_ce;
	u32 tx_in_flight;
	bool is_ece, is_acking_tlp_retrans_seq;
};

/* Reports of `ss`: modules fill them in, and nobody asks. */
enum { INET_DIAG_VEGASINFO = 3, INET_DIAG_DCTCPINFO = 9, INET_DIAG_BBRINFO = 16 };
struct tcpvegas_info {
	u32 tcpv_enabled, tcpv_rttcnt, tcpv_rtt, tcpv_minrtt;
};
struct tcp_dctcp_info {
	u16 dctcp_enabled, dctcp_ce_state;
	u32 dctcp_alpha, dctcp_ab_ecn, dctcp_ab_tot;
};
struct tcp_bbr_info {
	u32 bbr_bw_lo, bbr_bw_hi, bbr_min_rtt, bbr_pacing_gain, bbr_cwnd_gain;
	u32 bbr_bw_hi_lsb, bbr_bw_hi_msb, bbr_bw_lo_lsb, bbr_bw_lo_msb;
	u32 bbr_inflight_lo, bbr_inflight_hi, bbr_extra_acked;
	u8 bbr_mode, bbr_phase, bbr_version;
};
union tcp_cc_info {
	struct tcpvegas_info vegas;
	struct tcp_dctcp_info dctcp;
	struct tcp_bbr_info bbr;
};

struct tcp_congestion_ops {
	char name[TCP_CA_NAME_MAX];
	void *owner;
	u32 key, flags;
	void (*init)(struct sock *);
	void (*release)(struct sock *);
	u32 (*ssthresh)(struct sock *);
	void (*cong_avoid)(struct sock *, u32 ack, u32 acked);
#if SHIM_KERNEL >= KERNEL_VERSION(6, 10, 0)
	void (*cong_control)(struct sock *, u32 ack, int flag, const struct rate_sample *);
#else
	void (*cong_control)(struct sock *, const struct rate_sample *);
#endif
	void (*set_state)(struct sock *, u8 state);
	void (*cwnd_event)(struct sock *, enum tcp_ca_event);
	void (*cwnd_event_tx_start)(struct sock *);
	void (*in_ack_event)(struct sock *, u32 flags);
	void (*pkts_acked)(struct sock *, const struct ack_sample *);
	u32 (*undo_cwnd)(struct sock *);
	void (*skb_marked_lost)(struct sock *, const struct sk_buff *);
	u32 (*min_tso_segs)(struct sock *);
	u32 (*tso_segs)(struct sock *, unsigned int mss);
	u32 (*sndbuf_expand)(struct sock *);
	size_t (*get_info)(struct sock *, u32 ext, int *attribute, union tcp_cc_info *);
};
int tcp_register_congestion_control(struct tcp_congestion_ops *ops);
void tcp_unregister_congestion_control(struct tcp_congestion_ops *ops);

#endif
