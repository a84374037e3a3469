"""Campaign folders: files that only grow, and the states of runs that follow from them."""

from mesonet.store.files import DAMAGED, Files, set_aside
from mesonet.store.lock import LOCK, holder, lock
from mesonet.store.manifest import MANIFEST, digest_of_data, holds_rows, read_manifest
from mesonet.store.parts import Parts
from mesonet.store.store import CELLS, DIGESTS, TIMINGS, Store, results_schema

__all__ = [
    "CELLS",
    "DAMAGED",
    "DIGESTS",
    "LOCK",
    "MANIFEST",
    "TIMINGS",
    "Files",
    "Parts",
    "Store",
    "digest_of_data",
    "holder",
    "holds_rows",
    "lock",
    "read_manifest",
    "results_schema",
    "set_aside",
]
