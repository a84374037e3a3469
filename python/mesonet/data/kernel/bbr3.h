/* What version 3 of BBR includes in addition, from trees that have it; mainline has not. Part of shim.h. */
#ifndef MESONET_BBR3_H
#define MESONET_BBR3_H

#define DIV_ROUND_UP_ULL(n, d) DIV_ROUND_UP((u64)(n), (u64)(d))
#define BITS_PER_TYPE(type) (8 * sizeof(type))
#define __stringify(x) #x
#define TCP_CONG_WANTS_CE_EVENTS 4
enum { CA_EVENT_TLP_RECOVERY = 6 };

/* Precise ECN needs a route with that property; there is none, so that BBR leaves marks alone. */
enum { TCP_ECN_OK = 1, TCP_ECN_LOW = 16, TCP_ECN_ECT_PERMANENT = 32 };
#define tcp_ecn_mode_any(tp) ((tp)->ecn_flags & TCP_ECN_OK)

/* What receivers of DCTCP do, in place of tcp_dctcp.h. */
#define _TCP_DCTCP_H
#define dctcp_ece_ack_update(sk, event, prior_rcv_nxt, ce_state) ((void)(ce_state))

/* PLB, which moves flows to other paths, is off. */
#define TCP_PLB_SCALE 8
struct tcp_plb_state {
	u8 consec_cong_rounds : 5, unused : 3;
	u32 pause_until;
};
#define tcp_plb_update_state(sk, plb, ratio) ((void)(ratio))
#define tcp_plb_check_rehash(sk, plb) ((void)(plb))
#define tcp_plb_update_state_upon_rto(sk, plb) ((void)(plb))

/* A segment, as it was when it left; counts of segments. */
struct tcp_skb_cb {
	struct {
		u32 in_flight, lost, delivered;
		u64 delivered_mstamp;
		bool is_app_limited;
	} tx;
};
struct sk_buff {
	struct tcp_skb_cb cb;
};
#define TCP_SKB_CB(skb) ((struct tcp_skb_cb *)&(skb)->cb)
#define tcp_skb_pcount(skb) ((void)(skb), 1)
#define tcp_skb_tx_in_flight_is_suspicious(...) false

enum tcp_bbr_phase {
	BBR_PHASE_INVALID,
	BBR_PHASE_STARTUP,
	BBR_PHASE_DRAIN,
	BBR_PHASE_PROBE_RTT,
	BBR_PHASE_PROBE_BW_UP,
	BBR_PHASE_PROBE_BW_DOWN,
	BBR_PHASE_PROBE_BW_CRUISE,
	BBR_PHASE_PROBE_BW_REFILL,
};

#endif
