"""Recorded packets of a run as files of other tools: pcapng for Wireshark, qlog for qvis.

Both are written from the tables `packets` and `senders` alone; nothing is simulated here.
"""

from mesonet.capture.files import as_pcapng, as_qlog
from mesonet.capture.recording import NO_FLOWS, Recording, chosen_flows

__all__ = ["NO_FLOWS", "Recording", "as_pcapng", "as_qlog", "chosen_flows"]
