"""Recorded packets of a run as files of other tools: pcapng for Wireshark, qlog for qvis.

Both are written from the tables `packets` and `senders` alone; nothing is simulated here.
"""

from mesonet.capture.files import as_pcapng, as_qlog, refuse_place
from mesonet.capture.recording import Recording

__all__ = ["Recording", "as_pcapng", "as_qlog", "refuse_place"]
