"""Measurements with other tables or other facts."""

from dataclasses import replace

from mesonet.tables import TABLES


def changed(measured, **changes):
    """Measurements in which some tables, by name, or attributes are others."""
    frames = {name: changes.pop(name) for name in TABLES if name in changes}
    return replace(measured, tables={**measured.tables, **frames}, **changes)
