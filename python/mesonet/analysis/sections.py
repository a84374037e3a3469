"""Pages of the report, in their order."""

from __future__ import annotations

from mesonet.analysis.declaration import Section

_WHO, _WHY, _TOGETHER = "Who gains, who loses", "What decides", "What goes together"
_SET, _REFERENCE = "What was simulated", "To look things up"

SECTIONS: tuple[Section, ...] = (
    Section("paired", "Differences from the baseline",
            "How much better or worse is each algorithm, and how sure is that?", _WHO),
    Section("ranks", "Ranks", "Who comes first, and does that hold everywhere?", _WHO),
    Section("condition-response", "Condition by condition",
            "Under which conditions does one algorithm stand out?", _WHO),
    Section("goodput", "Versus standard flows",
            "What do new flows gain, and what do the others lose?", _WHO),
    Section("harm", "Harm",
            "How much worse do flows do in the company of others?", _WHO),
    Section("clusters", "Which algorithms are alike",
            "Who behaves like whom, and who is an outlier?", _WHO),
    Section("main-effects", "Main effects", "Which factors matter, and by how much?", _WHY),
    Section("ten-steps", "The ten steps", "What does the experiment say about one response?", _WHY),
    Section("reduction", "Responses that say the same",
            "How many different things were measured?", _TOGETHER),
    Section("components", "Principal components", "What separates conditions and algorithms most?",
            _TOGETHER),
    Section("network", "The network", "Where does the traffic run?", _SET),
    Section("design", "The experiment", "Which conditions were simulated?", _SET),
    Section("congestion", "How congested", "Which conditions hurt?", _SET),
    Section("through-time", "Through time", "Where was it congested, and when?", _SET),
    Section("responses", "Responses", "What exactly was measured?", _REFERENCE),
    Section("provenance", "Provenance", "Where do these numbers come from?", _REFERENCE),
    Section("runs", "Every run", "How is a run repeated?", _REFERENCE),
)  # fmt: skip
"""The pages of the report, in order: findings first, then how they were found."""
