"""Explanations of differences in Experiment 1, by claim."""

from __future__ import annotations

from collections.abc import Mapping

_SIZES = (
    "Flows per run agree, packets per flow do not. The mean size of a file is 142 packets at the "
    "printed settings, yet 93 (1a) and 108 (1b) were sent per flow, retransmissions included. A "
    "Pareto distribution with a shape of about 1.1 has such samples (0.79 of its mean in eight "
    "million draws); with our 1.5, samples of that number have 0.997. Added to ours are "
    "retransmissions and the long-lived flows, which weigh more in a scaled network. The shape is "
    "not published, and it was not chosen by these numbers."
)
_BIC = (
    "One algorithm explains it: our BIC loses nearly as much as FAST, the study's did not. Without "
    "BIC, FAST stands apart in 11 conditions of 1a at pocket size and is the high outlier of "
    "retransmission in 21; in 1b, without FAST-AT too, in 20 and 24 (printed, for 1a: 23 and 23); "
    "nobody else does in any. BIC has the constants of Linux, with which it loses less than with "
    "its paper's, but still more than the rest above its low window of 14 segments. In the study "
    "losses went up to 50 %, so windows were mostly below 14 and BIC was standard TCP. How much "
    "is lost hangs on retransmission timers, which are not published. Under condition 25 of 1a at "
    "pocket size the retransmission rates of Reno, BIC and FAST are 0.133, 0.140 and 0.160 with "
    "timers of at least 1 s (ours), 0.182, 0.186 and 0.222 with 200 ms, 0.289, 0.297 and 0.331 "
    "with 20 ms: the sooner flows send again, the more BIC is like Reno and FAST apart. The "
    "readings nist-1a-timers and nist-1b-timers have 200 ms."
)
_TUNED = (
    "Our FAST-AT begins with its smallest alpha, 8 segments, and raises it above 12,000 "
    "segments/s, a threshold that was fitted to the study's bench of two flows and that hardly any "
    "ordinary flow reaches; so it is gentle. The study's goodput latencies of FAST and FAST-AT are "
    "the same, 3.7 s, and the paper says that congestion forces a reduction of alpha: it seems to "
    "have begun with the largest, and so to have behaved as FAST until the first reduction. "
    "Neither the beginning nor the thresholds are published, and where the paper describes two "
    "flows, the later one raises its alpha. With 200 throughout, 35 instead of 33 claims of "
    "nist-1b agree in pocket size (docs/validation/choices.md)."
)
_LOSSES = (
    "Our sources wait at least a second before they send again (RFC 2988), and three seconds for a "
    "lost SYN, so that a full router loses at most a sixth. With timers of at least 200 ms, "
    "condition 25 of 1a at pocket size loses 15 % (Reno) to 19 % (FAST) instead of 11 % and 14 %, "
    "with 20 ms 22 % to 25 %. The study's timers are not published."
)
_SCALE = (
    "Scaled networks lose more where the full size loses nothing: a burst of a hundred packets is "
    "a larger part of their buffers, and fewer flows even each other out. Under condition 12 of "
    "1b, with line rates as published, Reno loses 1.2 % at a scale of 0.05, 0.003 % at 0.25 and "
    "0.002 % at 0.5; with line rates that shrink as well, 0.3 % at 0.05 and 0.0003 % at 0.5. So "
    "few conditions of small sizes are without congestion, and their order says little."
)
_SWING = (
    "Measured on three flows between D-class routers, which are not the congested ones: conditions "
    "are ordered by what N-class routers lose. Where line rates shrink with the network, the 200 "
    "segments that FAST keeps in queues wait at the flow's own interface, which drops none, so its "
    "window is steady at small sizes. With unscaled line rates at 1b's pocket size FAST swings by "
    "0.34 of its mean and the others by 0.16, and the correlation with congestion is 0.69; at half "
    "of the size, 1b's desk, by 0.35 and 0.26, and it is 0.49. FAST-AT, with its smallest alpha, "
    "swings by 0.27 there, and its correlation is -0.11."
)
_VERY_FAST = (
    "Only flows between the six D-class routers carry the large files: with the printed "
    "distributions 0.07 to 0.1 % of all flows, a hundred times as large, so about a tenth of all "
    "packets, through routers that are used to less than a third of their speed. They do not fill "
    "these routers, and the long-lived flows, which begin at the same routers, are not driven down "
    "but go on to grow. In the study they were, which the printed settings do not explain; where "
    "its long-lived flows ran is not published."
)

_LATENCIES = (
    "Windows that fill a path shrink with the size of the network, and at desk size the congestion "
    "begins after 24 s, so the seven lie within a factor of two of each other (8 to 15 s), where "
    "the published ones span a factor of six. One algorithm decides the order: FAST-AT, which "
    "begins with its smallest alpha here, is the last of the seven (15.4 s against 3.7 s). FAST is "
    "the first as published, then come H-TCP, CTCP, BIC, HSTCP and Scalable TCP; the rank "
    "correlation of these six is 0.77."
)
_SEEN_AT_BIC = (
    "Observed on the long-lived flows, once per interval: a trigger shows only if a window passes "
    "just above it while it is looked at, which hangs on chance. The rule itself, 14, has a unit "
    "test."
)

EXPLANATIONS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "volume-packets-mean",
            "volume-packets-min",
            "volume-packets-max",
            "volume-flows-max",
            "packets-per-flow",
        ),
        _SIZES,
    ),
    **dict.fromkeys(
        (
            "fast-retransmits-most",
            "fast-disparity",
            "macroscopic-change",
            "macroscopic-change-of-fast",
            "fast-apart",
            "nobody-else-apart",
            "high-outliers",
            "largest-residual-of",
            "largest-residual-where",
            "outliers-of-fast",
            "others-alike",
        ),
        _BIC,
    ),
    **dict.fromkeys(
        (
            "fast-at-apart",
            "fast-at-retransmission",
            "fast-at-connecting",
            "fast-at-completed",
            "fast-at-like-fast",
        ),
        _TUNED,
    ),
    **dict.fromkeys(("loss-largest", "largest-residual"), _LOSSES),
    **dict.fromkeys(
        (
            "loss-smallest",
            "congested-half",
            "condition-12-identical",
            "equal-retransmission",
            "equal-retransmission-where",
            "outliers-in-condition-12",
            "outliers-with-congestion",
        ),
        _SCALE,
    ),
    **dict.fromkeys(
        (
            "fast-oscillates",
            "fast-at-oscillates",
            "fast-oscillates-with-congestion",
            "fast-at-oscillates-with-congestion",
        ),
        _SWING,
    ),
    "long-flows-in-congestion": _VERY_FAST,
    "goodput-latency-order": _LATENCIES,
    "ctcp-increases": _LATENCIES,
    "trigger-bic": _SEEN_AT_BIC,
}
