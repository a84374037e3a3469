"""Loaded into a worker, it makes the worker's engine an older one."""

import importlib

importlib.import_module("mesonet.simulate").result_version = lambda: "older"
