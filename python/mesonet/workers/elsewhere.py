"""Workers elsewhere, connected before anything is written."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mesonet.workers.tasks import Budget, Execute, Pool

if TYPE_CHECKING:
    from distributed import Client


@contextlib.contextmanager
def connected(
    cluster: str | Client | None, execute: Execute, budget: Budget
) -> Iterator[Pool | None]:
    """The workers of a cluster, which are let go at the end; None without a cluster.

    Args:
        cluster: address of a Dask scheduler, or its client.
        execute: see `execute_all`.
        budget: limits of one task.
    """
    if cluster is None:
        yield None
        return
    # The library takes longer to import than most campaigns to begin.
    from mesonet.workers.cluster import ClusterPool

    with contextlib.closing(ClusterPool(cluster, execute, budget)) as pool:
        yield pool
