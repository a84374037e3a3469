"""Explanations of claims of the sensitivity analysis that disagree at smaller sizes."""

from __future__ import annotations

from collections.abc import Mapping

_RARE_PATHS = (
    "About one flow in a thousand runs between two D-class routers. In the second period of the "
    "smaller sizes that is a handful of flows or fewer in each condition, against thousands at "
    "full size, and jumbo files (X9) change their throughput by more than any other factor: the "
    "sign of a weak effect is left to chance."
)
_RARE_FAILURES = (
    "A connection fails when three SYNs in a row are lost, which takes heavy loss and at least 9 "
    "s. In periods of seconds most conditions have no failure at all, and a handful of conditions "
    "decide the effect; at full size periods last five and ten minutes."
)
_LONG_FLOW_ENDS = (
    "The paper does not say where its long-lived flows begin and end. By our rule the medium flow "
    "ends at D-class routers on Abilene and at F-class ones, of a fifth of their speed, on our map "
    "of the provider's network, and the short flow the other way round; a flow's throughput "
    "follows the class of its ends and the sources that it shares them with. The short flow's "
    "topology effect, positive and not published, is the other side of the same coin."
)
_CLUSTER_DATA = (
    "The paper's clusters come from 64 combinations of parameters that it does not describe, and "
    "from counts per measurement interval; ours come from the 256 conditions of the sensitivity "
    "analysis and counts per second."
)
_CHAIN = (
    " Few pairs near the threshold of .65 decide whether clusters merge: one such pair joins two "
    "clusters into one, for a cluster is self-contained."
)

EXPLANATIONS: Mapping[str, str] = {
    "table-7-y1-x3": (
        "A source is connecting for a round trip, and for 3 s and more when its SYN is lost. "
        "Larger buffers lengthen the round trip and make losses fewer, so that the sign tells "
        "which of the two weighs more: here they nearly cancel, in the paper it is the delay. So "
        "MesoNet either waits less for the answer to a SYN or loses fewer of them; that it waits "
        "3, 6 and 12 s is known from a program built after it, not from the study. First waits of "
        "0.5 s in place of 3 s moved the effect up at pocket size, though that of propagation "
        "delay (X2), for which the paper has none, then turned from −20 % to +26 %."
    ),
    **dict.fromkeys(
        (f"table-7-y8-x{factor}" for factor in (1, 2, 3, 5, 12, 13, 16)), _RARE_FAILURES
    ),
    "table-7-y11-x2": (
        "The published effect is a weak one (p < .05), and ours is near zero. Longer delays "
        "stretch transfers by a part of a second in a cycle that think time and congestion make "
        "many seconds long, and lower the loss rate; the two nearly cancel."
    ),
    "table-7-y13-x7": (
        "At a tenth of the size the effect is near zero and far from significant; at a hundredth "
        "its sign was the published one. One flow a run is behind this response, in a period of "
        "15 or 30 s instead of five or ten minutes, which is 75 to 300 round trips of the longest "
        "path: too few for a loss-driven window to settle, so chance decides a weak effect."
    ),
    "table-7-y14-x4": _LONG_FLOW_ENDS,
    "table-7-y13-x4": _LONG_FLOW_ENDS,
    "table-7-y15-x12": _LONG_FLOW_ENDS,
    "table-7-y15-x13": _LONG_FLOW_ENDS,
    **dict.fromkeys((f"table-7-y16-x{factor}" for factor in (2, 4, 7, 12, 13, 17)), _RARE_PATHS),
    "table-7-y17-x14": (
        "The effect is far from significant here. Moving receivers away from D- and F-class "
        "routers makes flows between fast routers rarer and leaves the load of these routers, "
        "which is that of the sources below them, almost as it was. Why the paper finds a strong "
        "effect we cannot tell; which shares of receivers its two levels stand for is not printed."
    ),
    "table-7-speed": (
        "Connection failures and throughput on very fast paths rest on a handful of events in "
        "periods of seconds, and the test counts the effects of the other nineteen factors as "
        "noise. The congestion window, whose only published effect this is, and the other "
        "responses follow speed as in the paper."
    ),
    "figure-10-low": (
        "Fewer sources are sending than published. The number falls as the world grows: 13,200 at "
        "a hundredth of the size (where rounding gives very fast paths too many sources), 11,100 "
        "at a fiftieth, 10,000 at a tenth. How many send is think time against the time that a "
        "transfer takes under congestion, so it follows the mean of the file sizes that are "
        "drawn, whose Pareto shape is not published, and the timers, which are not either; which "
        "of them it is has not been found."
    ),
    "figure-10-six": (
        "Factors that are not among the six have effects of some per cent. Larger buffers "
        "and larger files are the first to come near p = .05."
    ),
    "table-8-main": (
        "The initial window (X16), of lesser influence in the paper, comes before topology "
        "and Web objects here. It moves the goodput of the groups of Web objects, as it should: "
        "eight segments at once save a short transfer two round trips. Groups of movies and "
        "service packs complete few transfers or none in runs of minutes and drop out or are "
        "noisy, so that short transfers have more weight among the goodputs than in the paper. "
        "Topology moves the macroscopic responses here and hardly any goodput."
    ),
    "table-8-lesser": (
        "Larger files (X6) come before the initial slow-start threshold (X17) here: they shift "
        "the shares of flows by rule and the work done. How much larger these files are is not "
        "printed for this experiment, and in short runs the largest of them never complete and "
        "accumulate. A threshold of 43 segments matters only to flows whose window gets there "
        "without loss, which are rarer where routers are slow."
    ),
    "clusters-pairs": _CLUSTER_DATA,
    "clusters-count": _CLUSTER_DATA + _CHAIN,
    "clusters-completions": (
        _CLUSTER_DATA + " Flows that complete and packets that leave both follow the offered load, "
        "and their correlation lies near the threshold."
    ),
    "clusters-packets": (
        _CLUSTER_DATA + " Segments entering and leaving are a pair here, too, with a correlation "
        "of almost one, but congestion-window increases join them: every acknowledgement of a new "
        "segment is an increase, so per second the two are nearly one count."
    ),
    "clusters-f-class": (
        _CLUSTER_DATA
        + " That the pair is the throughput of DF and FF flows is our reading. Theirs "
        "are correlated here, below the threshold: DF flows are few, and noisy in short runs."
    ),
    "clusters-delay": _CLUSTER_DATA + _CHAIN,
    "clusters-dd": _CLUSTER_DATA,
    "clusters-congestion": _CLUSTER_DATA + _CHAIN,
    "clusters-losses": (
        _CLUSTER_DATA + " Loss, retransmission and timeouts are correlated with each other here, "
        "too, but some of them also with throughput on typical paths and the flow-completion "
        "rate, and so they are part of the cluster of congestion." + _CHAIN
    ),
}
"""Paragraphs by the id of the claim."""
