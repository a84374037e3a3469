/* What version 3 of BBR includes in addition, from trees that have it; mainline has not. Part of shim.h. */
#ifndef MESONET_BBR3_H
#define MESONET_BBR3_H

#define DIV_ROUND_UP_ULL(n, d) DIV_ROUND_UP((u64)(n), (u64)(d))
#define BITS_PER_TYPE(type) (8 * sizeof(type))
#define __stringify(x) #x

enum { CA_EVENT_TLP_RECOVERY = 6 };

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
