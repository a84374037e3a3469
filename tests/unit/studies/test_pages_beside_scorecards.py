"""Numbers that pages of the manual take from kept scorecards are those of the scorecards."""

import json
from pathlib import Path

import pytest

from mesonet.campaign import Campaign
from mesonet.studies import Options, find_study

ROOT = Path(__file__).resolve().parents[3]
SIZES = ("pocket", "desk")
LABS = [f"lab-{it}" for it in ("reno", "aiad", "aimd56", "competing-aimd", "rtt")]


def card(name, size):
    """A kept scorecard."""
    text = (ROOT / "scorecards" / size / f"{name}.json").read_text("utf-8")
    return dict(json.loads(text))


def says(page, sentence):
    """Tells if a page has a sentence, however its lines are broken."""
    return sentence in " ".join((ROOT / "docs" / page).read_text("utf-8").split())


@pytest.mark.parametrize(
    ("reading", "variant"),
    [
        ("40 ms, both at 0 s (scored)", ""),
        ("infinitely fast hosts", "hosts-fast"),
        ("FAST by its paper", "fast-paper"),
        ("20 ms", "rtt-20ms"),
        ("120 ms", "rtt-120ms"),
        ("the second flow 0.5 s late", "second-0.5s-late"),
        ("the second flow 10 s late", "second-10s-late"),
        ("the first flow 10 s late", "first-10s-late"),
    ],
)
def test_cells_that_agree_under_each_reading_of_the_slides_are_counted(reading, variant):
    desk = card("hcc", "desk")
    verdicts = {name: verdict for name, (verdict, _) in desk["verdicts"].items()}
    verdicts |= desk["variants"].get(variant, {})
    cells = [
        [verdict for name, verdict in verdicts.items() if name.startswith(kind)]
        for kind in ("fi-", "ei-")
    ]
    assert [len(each) for each in cells] == [42, 42]
    # The cell that inferred the lines of the hosts is fitted, so it agrees.
    fair, efficient = (sum(each in ("agrees", "fitted") for each in kind) for kind in cells)
    assert says("studies/hcc/index.md", f"| {reading} | {fair} | {efficient} |")


def test_orders_of_congestion_are_those_that_were_measured():
    low, high = (
        [f"{float(card(name, size)['verdicts']['order-of-congestion'][1]):.2f}" for size in SIZES]
        for name in ("nist-2b", "nist-2a")
    )
    page = "studies/nist-2/index.md"
    assert says(page, f"of {low[0]} in pocket size, {low[1]} at desk size)")
    assert says(page, f"own losses lie on top of it ({high[0]} and {high[1]}).")


def test_gains_under_severe_congestion_are_those_of_full_population():
    text = card("nist-2b", "population")["verdicts"]["severe-ctcp-htcp"][1]
    gains = dict(each.rsplit(" ", 1) for each in text.split(", "))
    fast, fast_at, ctcp, htcp = (
        f"{100 * float(gains[name]):.0f}" for name in ("FAST", "FAST-AT", "CTCP", "HTCP")
    )
    page = "studies/nist-2/index.md"
    assert says(page, f"FAST and FAST-AT gain {fast} and {fast_at} % over Reno on large files")
    assert says(page, f"CTCP {ctcp} and H-TCP {htcp} %.")


def test_pairs_over_dualpi2_are_counted():
    verdicts = card("l4s", "desk")["verdicts"]
    bed = {name: verdict for name, (verdict, _) in verdicts.items() if name.startswith("bed-")}
    agree = sum(verdict == "agrees" for verdict in bed.values())
    page = "studies/l4s/index.md"
    assert says(page, f"We ran {len(bed)} pairs of flows")
    assert says(page, f"In {agree} the share is within 10 % of the link of the test bed's")


def test_constants_make_most_of_the_ratio_that_the_formula_leaves_out():
    figures = {name: text for name, (_, text) in card("l4s", "desk")["verdicts"].items()}
    (text,) = {it.explanation for it in find_study("l4s").claims if it.id == "formula-20ms"}
    for path in ("5ms", "20ms", "20ms-10"):
        prague, cubic = (
            float(figures[f"constant-{it}-{path}"].split()[0]) for it in ("prague", "cubic")
        )
        raised = prague / 2 * 1.22 / cubic
        change = float(figures[f"formula-{path}"].split("(+")[1].split("%")[0])
        assert f"{raised:.2f}" in text
        assert f"{1 + change / 100:.2f}" in text


def test_verdicts_that_a_packet_of_the_queue_turns_are_undecidable():
    turned, one_packet = set(), set()
    for name in LABS:
        variants = card(name, "desk")["variants"]
        of = {size: variants[f"queue-{size}"] for size in (95, 99, 101, 105)}
        turned |= {(name, claim) for each in of.values() for claim in each}
        one_packet |= {(name, claim) for size in (99, 101) for claim in of[size]}
    claims = [(name, claim) for name in LABS for claim in find_study(name).claims]
    assert one_packet == {(name, claim.id) for name, claim in claims if "99 or 101" in claim.reason}
    assert all(
        claim.standing == "undecidable" for name, claim in claims if (name, claim.id) in one_packet
    )
    page = "studies/labs/index.md"
    assert says(page, f"{len(turned)} of the {len(claims)} verdicts change somewhere")
    assert says(page, f"{len(one_packet)} of them already with 99 or 101")


def test_what_an_open_setting_of_hcc_turns_is_undecidable_and_no_other_cell_is():
    settings = "hosts-fast fast-paper rtt-20ms rtt-120ms second-0.5s-late second-10s-late"
    variants = card("hcc", "desk")["variants"]
    turned = {it for each in f"{settings} first-10s-late".split() for it in variants.get(each, {})}
    standings = {it.id: it.standing for it in find_study("hcc").claims}
    assert all(standings[it] != "decidable" for it in turned)
    cells = {it for it in standings if it.startswith("t2-")}
    assert turned & cells == {it for it in cells if standings[it] == "undecidable"}
    words = sum(not it.startswith(("fi-", "ei-", "t2-")) for it in standings)
    assert says("studies/hcc/index.md", f"{words} findings in words")


@pytest.mark.parametrize(
    ("name", "page", "size"),
    [
        ("two-flow", "two-flow", "desk"),
        ("two-flow", "two-flow", "full"),
        ("hcc", "hcc", "pocket"),
        ("l4s", "l4s", "pocket"),
        ("response-function", "response-function", "full"),
    ],
)
def test_runs_of_a_size_are_counted(name, page, size):
    runs = len(find_study(name).prepare(Options(size)).items)
    rows = (ROOT / "docs" / "studies" / page / "index.md").read_text("utf-8").splitlines()
    (row,) = [row for row in rows if row.startswith(f"| {size} |")]
    assert f"| {runs} runs, about" in row


def test_runs_exactly_as_published_are_those_of_the_page():
    campaign = Campaign.open(ROOT / "scorecards" / "full" / "nist-1b" / "conditions")
    results = campaign.results().join(campaign.timings(), on="run")
    for run in results.iter_rows(named=True):
        flows = f"{run['data_sent']:,.0f} | {run['T.y4']:,.0f} | {100 * run['y6']:.2f} %"
        place = f"{run['condition']} | {run['alternative']}"
        row = f"| {place} | {flows} | {run['cpu_seconds']:.0f} s |"
        assert says("studies/nist-1/index.md", row)
    least = results.filter(condition=11)
    means = (f"{least[name].mean():,.0f}" for name in ("data_sent", "T.y4"))
    assert says("studies/nist-1/index.md", f"Ours are {' and '.join(means)} on average")
