"""Campaign folders: files that only grow, and a ledger that follows them."""

from mesonet.store.digests import DIGESTS, REMEDY, digest_of_data
from mesonet.store.files import DAMAGED, Files, LocalFiles, RemoteFiles, open_files, set_aside
from mesonet.store.ledger import STATES, Ledger, Mark, State
from mesonet.store.lock import LOCK, holder, lock
from mesonet.store.manifest import MANIFEST, holds_rows, read_manifest
from mesonet.store.parts import Parts
from mesonet.store.store import CELLS, TIMINGS, Failure, Store, results_schema

__all__ = [
    "CELLS",
    "DAMAGED",
    "DIGESTS",
    "LOCK",
    "MANIFEST",
    "REMEDY",
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
    "digest_of_data",
    "holder",
    "holds_rows",
    "lock",
    "open_files",
    "read_manifest",
    "results_schema",
    "set_aside",
]
