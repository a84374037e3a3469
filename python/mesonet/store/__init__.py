"""Campaign folders: files that only grow, and a ledger that follows them."""

from mesonet.store.digests import DIGESTS, digest_of, read_digests
from mesonet.store.files import DAMAGED, Files, LocalFiles, RemoteFiles, open_files, set_aside
from mesonet.store.ledger import STATES, Ledger, Mark, State
from mesonet.store.lock import LOCK, holder, lock
from mesonet.store.manifest import (
    BACKUP,
    MANIFEST,
    holds_rows,
    is_campaign,
    read_manifest,
    remedy,
    restore_manifest,
)
from mesonet.store.parts import Parts, is_part
from mesonet.store.schema import REPAIR, REWRITE, Columns, read_table
from mesonet.store.store import CELLS, TIMINGS, Failure, Store, results_schema, timings_of

__all__ = [
    "BACKUP",
    "CELLS",
    "DAMAGED",
    "DIGESTS",
    "LOCK",
    "MANIFEST",
    "REPAIR",
    "REWRITE",
    "STATES",
    "TIMINGS",
    "Columns",
    "Failure",
    "Files",
    "Ledger",
    "LocalFiles",
    "Mark",
    "Parts",
    "RemoteFiles",
    "State",
    "Store",
    "digest_of",
    "holder",
    "holds_rows",
    "is_campaign",
    "is_part",
    "lock",
    "open_files",
    "read_digests",
    "read_manifest",
    "read_table",
    "remedy",
    "restore_manifest",
    "results_schema",
    "set_aside",
    "timings_of",
]
