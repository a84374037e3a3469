"""Preloaded by a Dask worker, which calls `dask_setup`, it makes its engine an older one."""

import importlib


def dask_setup(_worker):
    importlib.import_module("mesonet.tables").result_version = lambda: "older"
