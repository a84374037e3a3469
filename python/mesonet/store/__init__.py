"""Campaign folders: files that only grow, and a ledger that follows them."""

from mesonet.store.files import Files, LocalFiles, RemoteFiles, open_files
from mesonet.store.ledger import STATES, Ledger, Mark, State
from mesonet.store.lock import LOCK, holder, lock
from mesonet.store.parts import Parts
from mesonet.store.store import CELLS, MANIFEST, TIMINGS, Failure, Store, read_manifest

__all__ = [
    "CELLS",
    "LOCK",
    "MANIFEST",
    "STATES",
    "TIMINGS",
    "Failure",
    "Files",
    "Ledger",
    "LocalFiles",
    "Mark",
    "Parts",
    "RemoteFiles",
    "State",
    "Store",
    "holder",
    "lock",
    "open_files",
    "read_manifest",
]
