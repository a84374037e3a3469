/* ECN of DCTCP and of BBR 3: every mark is echoed. Part of shim.h. */
#ifndef MESONET_ECN_H
#define MESONET_ECN_H

/* A module with TCP_CONG_WANTS_CE_EVENTS, BBR 3, uses ECN on a route with the feature ecn_low. */
#define TCP_CONG_WANTS_CE_EVENTS 4
enum { TCP_ECN_OK = 1, TCP_ECN_LOW = 16, TCP_ECN_ECT_PERMANENT = 32 };
#define tcp_ecn_mode_any(tp) ((tp)->ecn_flags & TCP_ECN_OK)
#define INET_ECN_dontxmit(sk) ((void)(sk))
enum { TCP_ESTABLISHED = 1, TCP_CLOSE = 7, TCP_LISTEN = 10 };

/* What receivers of DCTCP do, in place of tcp_dctcp.h; those of the simulator do it. */
#define _TCP_DCTCP_H
#define dctcp_ece_ack_update(sk, event, prior_rcv_nxt, ce_state) ((void)(ce_state))

/* PLB, which moves flows to other paths, is off. */
#define TCP_PLB_SCALE 8
struct tcp_plb_state {
	u8 consec_cong_rounds : 5, unused : 3;
	u32 pause_until;
};
#define tcp_plb_init(sk, plb) ((void)(plb))
#define tcp_plb_update_state(sk, plb, ratio) ((void)(ratio))
#define tcp_plb_check_rehash(sk, plb) ((void)(plb))
#define tcp_plb_update_state_upon_rto(sk, plb) ((void)(plb))

#endif
