"""Completion of commands, options and names in the shell."""

from typer.testing import CliRunner

from mesonet.cli import app


def completed(monkeypatch, *words):
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
