"""Names of what the engine numbers, in the order of its numbers."""

from __future__ import annotations

from mesonet import _core

PAIRS = ("DD", "DF", "DN", "FF", "FN", "NN")
"""Classes of flows by the access routers at their two ends, direct, fast or normal."""
PATH_CLASSES = {"DD": "VF", "DF": "F", "FF": "F", "DN": "T", "FN": "T", "NN": "T"}
"""Very fast, fast or typical: the slowest access router that a flow of each pair crosses."""
FILES = ("web_object", "document", "service_pack", "movie")
"""Kinds of file in the order of the engine's numbers."""
FATES = ("sent", "retransmitted", "dropped", "received", "acknowledged")
"""Events of a segment, in the order of the engine's numbers."""
HOSTS = ("sender", "receiver")
"""Hosts of a flow, in the order of the engine's numbers."""
PACKETS = ("syn", "syn-ack", "data", "ack", "fin")
"""Kinds of packet, in the order of the engine's numbers."""
PACKET_CAUSES = ("ordinary", "retransmission", "probe", "duplicate")
"""Causes of sending a packet, in the order of the engine's numbers."""
CODEPOINTS = ("not-ect", "ect1", "ect0", "ce")
"""ECN codepoints, in the order of the two bits of the IP header."""
RECOVERIES = ("none", "fast", "timeout")
"""Phases of loss recovery, in the order of the engine's numbers."""
CAUSES = tuple(_core.causes())
"""Causes of drops and marks in the order of the engine's numbers."""
INTERFACES = ("normal", "fast", *(f"class {number}" for number in range(3, 257)))
"""Kinds of host interface in the order of the engine's numbers. Networks have two; a dumbbell has a
class for every round-trip time."""
