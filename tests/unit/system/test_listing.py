"""Catalogues as Python and notebooks show them."""

import mesonet


def test_catalogues_are_shown_one_entry_to_a_line():
    for catalogue in (mesonet.controllers(), mesonet.queues()):
        lines = repr(catalogue).splitlines()
        assert len(lines) == len(catalogue)
        for entry, line in zip(catalogue, lines, strict=True):
            assert line.startswith(entry.name)
            assert line.endswith(entry.summary)
    assert repr(type(mesonet.queues())()) == ""
