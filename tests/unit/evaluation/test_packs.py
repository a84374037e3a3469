"""Conformance packs: that statements are measured, and that their rules can fail."""

import json

import pytest
from refusals import refused
from typer.testing import CliRunner

from mesonet.cli import app
from mesonet.errors import InputError
from mesonet.evaluation import packs
from mesonet.evaluation.packs import check_pack, pack_names, read_pack

TINY = """\
title = "Statements of a test"
source = "here"
scope = "Everything."

[runs.short]
values = {{ half = 0.5 }}

[runs.short.scenario]
rate = "10 Mbit/s"
rtt = "20 ms"
duration = "2 s"
flows = [{{ name = "flow", algorithm = "candidate" }}]

[[statements]]
id = "window"
text = "largest window"
published = "some"
source = "1"
run = "short"
query = "{query}"
rule = {{ kind = "between", high = {high} }}

[[statements]]
id = "beyond"
text = "what no run shows"
published = "some"
source = "2"
rule = {{ kind = "not_computable", reason = "of hosts" }}
"""


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """Writes the only pack there is."""
    monkeypatch.setattr(packs, "FOLDER", tmp_path)
    read_pack.cache_clear()

    def write(query="SELECT MAX(cwnd) * {half} FROM flows", high=1e6):
        text = TINY.format(query=query, high=high)
        (tmp_path / "tiny.toml").write_text(text, encoding="utf-8")

    yield write
    read_pack.cache_clear()


def verdicts(candidate, pack):
    return {each.id: each.verdict for each in check_pack(candidate, pack).statements}


@pytest.mark.parametrize(("high", "verdict"), [(1e6, "agrees"), (1.0, "disagrees")])
def test_a_statement_is_judged_by_its_figure(tiny, high, verdict):
    tiny(high=high)
    assert verdicts("reno", "tiny") == {"window": verdict, "beyond": "not testable here"}


def test_a_query_without_an_answer_measures_nothing(tiny):
    tiny("SELECT MAX(cwnd) FROM flows WHERE time > 99")
    assert verdicts("reno", "tiny")["window"] == "not measured"


def test_senders_are_recorded_where_a_query_asks_for_them(tiny):
    tiny("SELECT COUNT(*) FROM sender WHERE cwnd_before > 0 AND lasts >= 0 AND pacing IS NULL", 1.0)
    assert verdicts("reno", "tiny")["window"] == "disagrees"


def test_a_controller_that_breaks_leaves_its_error(tiny, tmp_path, monkeypatch):
    tiny()
    (tmp_path / "crashing.py").write_text(
        "import mesonet\n\n\nclass Crash(mesonet.Controller):\n"
        "    def on_ack(self, ack, flow):\n        raise RuntimeError('out of range')\n\n"
        "    def on_congestion(self, event, flow):\n        pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    first, _ = check_pack("python:crashing.Crash", "tiny").statements
    assert (first.verdict, first.measured) == ("not measured", "")
    assert "out of range" in first.remark


def test_bbr_3_and_1_differ_where_their_versions_do():
    """Gains, PROBE_RTT and the response to loss are those of the draft, which version 1 has not."""
    bbr3, bbr1 = verdicts("bbr3", "bbr"), verdicts("bbr1", "bbr")
    assert [key for key, verdict in bbr1.items() if verdict == "not measured"] == []
    versions = ("2", "3a", "5", "8a", "10a", "10b")
    assert {bbr3[key] for key in versions} == {"agrees"}
    assert {bbr1[key] for key in versions} == {"disagrees"}
    untested = [key for key, verdict in bbr3.items() if verdict == "not testable here"]
    assert untested == ["4", "6", "9", "22"]
    cases = {key.rstrip("abc") for key in bbr3}
    assert cases == {str(number) for number in range(1, 23)}


def test_cubic_follows_rfc_9438_and_reno_does_not():
    for candidate in ("cubic", "cubic:linux"):
        assert set(verdicts(candidate, "cubic").values()) == {"agrees", "not testable here"}
    reno = verdicts("reno", "cubic")
    other = ("decrease", "k", "concave", "convex", "fast-convergence", "response", "slow-start")
    assert {reno[key] for key in other} == {"disagrees"}


def test_a_spurious_timeout_that_is_not_undone_fails(monkeypatch):
    run = read_pack("cubic").runs["spike"].scenario
    monkeypatch.setitem(run, "transport", {"undo": "none", "frto": False})
    assert verdicts("cubic", "cubic")["spurious"] == "disagrees"


def test_prague_meets_what_dctcp_does_not():
    """RFC 9331 section 4.3; neither falls back to Reno in a queue of RFC 3168 by default."""
    prague, dctcp = verdicts("prague", "l4s"), verdicts("dctcp", "l4s")
    for key in ("identifier", "small-windows", "paced"):
        assert (prague[key], dctcp[key]) == ("agrees", "disagrees")
    assert prague["classic-queue"] == dctcp["classic-queue"] == "disagrees"
    assert verdicts("cubic", "l4s")["scalable"] == "disagrees"


def test_the_command_prints_measured_beside_expected_and_ends_with_1(tiny):
    tiny(high=1.0)
    command = ["check-controller", "reno", "--pack", "tiny"]
    printed = CliRunner().invoke(app, command)
    assert printed.exit_code == 1
    assert "at most 1" in printed.stdout
    assert "compliant" not in printed.stdout.lower()
    data = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    assert [each["verdict"] for each in data["statements"]] == ["disagrees", "not testable here"]


@pytest.mark.parametrize(
    ("candidate", "pack", "expected"),
    [
        ("reno", "bb", [("pack", "unknown_pack")]),
        ("renoo", "bbr", [("candidate", "unknown_algorithm")]),
    ],
)
def test_bad_names_are_refused(candidate, pack, expected):
    with refused(InputError, *expected):
        check_pack(candidate, pack)


@pytest.mark.parametrize("pack", pack_names())
def test_every_pack_can_be_read(pack):
    assert read_pack(pack).statements
