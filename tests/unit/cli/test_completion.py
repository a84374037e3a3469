"""Completion of commands, options and names in the shell."""

import pytest
from typer.testing import CliRunner

from mesonet.cli import app
from mesonet.cli.completion import join_words


def completed(monkeypatch, *words: str) -> list[str]:
    """Answers to the shell when the last word is to be completed."""
    monkeypatch.setenv("_MESONET_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", " ".join(["mesonet", *words]))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    return CliRunner().invoke(app, [], prog_name="mesonet").stdout.split()


def test_the_shell_completes_commands_options_and_names(monkeypatch):
    assert completed(monkeypatch, "comp") == ["compare"]
    assert completed(monkeypatch, "compare", "--rt") == ["--rtt"]
    assert completed(monkeypatch, "compare", "cubi") == ["cubic", "cubic:linux"]
    assert "reno,cubic" in completed(monkeypatch, "compare", "reno", "--with", "reno,cub")
    assert completed(monkeypatch, "compare", "reno", "--queue", "fq_c") == ["fq_codel"]
    assert completed(monkeypatch, "check-controller", "yea") == ["yeah"]
    assert "two-flow" in completed(monkeypatch, "study", "two")


@pytest.mark.parametrize(
    ("pieces", "answers"),
    [
        (["compare", "cubic", ":", "li"], ["linux"]),
        (["compare", "cubic", ":"], ["linux"]),
        (["compare", "reno", "cubic", ":", "l"], ["linux"]),
        (["check-controller", "cubic", ":", "l"], ["linux"]),
        (["compare", "bbr3", "--with", "reno,cubic", ":", "l"], ["linux"]),
        (["compare", "cubi"], ["cubic", "cubic:linux"]),
    ],
)
def test_bash_completes_behind_a_colon_which_it_takes_for_the_end_of_a_word(
    monkeypatch, pieces, answers
):
    monkeypatch.delenv("_MESONET_COMPLETE_KEPT", raising=False)
    monkeypatch.setenv("COMP_WORDS", "\n".join(["mesonet", *pieces]))
    monkeypatch.setenv("COMP_CWORD", str(len(pieces)))
    monkeypatch.setenv("_MESONET_COMPLETE", "complete_bash")
    join_words()
    found = CliRunner().invoke(app, [], prog_name="mesonet").stdout.split()
    monkeypatch.delenv("_MESONET_COMPLETE_KEPT", raising=False)
    assert found == answers
