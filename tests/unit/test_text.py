"""Text from elsewhere is made fit for files and terminals."""

from hypothesis import given
from hypothesis import strategies as st

import mesonet
from mesonet.errors import ControllerError
from mesonet.text import LONGEST, plain
from mesonet.workers import Outcome


@given(st.text(st.characters(), max_size=200))
def test_any_text_can_be_stored_and_commands_no_terminal(text):
    printable = plain(text)
    printable.encode("utf-8")
    assert all(letter.isprintable() or letter in "\n\t" or letter.isspace() for letter in printable)
    assert plain(printable) == printable


def test_good_text_stays_as_it_is():
    for text in ("", "a\n\tb", "Grüße, 世界 😀", "x" * LONGEST):
        assert plain(text) == text


def test_a_text_without_end_is_shortened_to_both_ends():
    printable = plain("a" + "x" * 10_000_000 + "z")
    assert len(printable) < LONGEST + 10
    assert (printable[0], printable[-1]) == ("a", "z")


def test_texts_of_controllers_are_made_fit_where_they_come_in():
    assert str(ControllerError("x\ud800\x1b[2J")) == "x\\ud800\\x1b[2J"
    outcome = Outcome("a", error="e\udfff", printed="p\x1b]0;title\x07")
    assert (outcome.error, outcome.printed) == ("e\\udfff", "p\\x1b]0;title\\x07")


def test_catalogues_are_shown_one_entry_to_a_line():
    for catalogue in (mesonet.controllers(), mesonet.queues()):
        lines = repr(catalogue).splitlines()
        assert len(lines) == len(catalogue)
        for entry, line in zip(catalogue, lines, strict=True):
            assert line.startswith(entry.name)
            assert line.endswith(entry.summary)
    assert repr(type(mesonet.queues())()) == ""
