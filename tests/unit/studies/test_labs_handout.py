"""Handouts of students agree with measurements: the program, and every number that it quotes."""

import io
import tomllib
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path

import pytest

import mesonet
import mesonet_studies.labs
from mesonet.page.blocks import Program
from mesonet.studies import Options, RunResults, find_study
from mesonet_studies.labs.laboratory import flow, laboratory
from mesonet_studies.labs.measures import loss_events, measure_facts

COMMON = Path(mesonet_studies.labs.__file__).with_name("common.toml")
QUOTED = tomllib.loads(COMMON.read_text("utf-8"))["values"]["quoted"]
FIVE_SIXTHS = {"aimd": {"decrease": 1 / 6}}
NAMES = ("lab-reno", "lab-aiad", "lab-aimd56", "lab-competing-aimd", "lab-rtt")


@cache
def single(algorithm="reno", size="1 MB", decrease=1 / 6, **options):
    parameters = {"parameters": {"aimd": {"decrease": decrease}}} if algorithm == "aimd" else {}
    flows = [flow(algorithm, name="A", size=size)]
    return measure_facts(
        mesonet.simulate(laboratory(flows, duration=40.0, **parameters, **options))
    )


def without_jitter(algorithm, **options):
    return single.__wrapped__(algorithm, transport={"host_jitter": "0 s"}, **options)


def completion(facts):
    return f"{facts['flows']['A']['completion']:.1f}"


def took(algorithm="reno", size="1 MB", **options):
    return completion(single(algorithm, size, **options))


def lost(algorithm="reno", **options):
    return single(algorithm, **options)["flows"]["A"]["dropped"]


def silence(algorithm):
    facts = without_jitter(algorithm)["flows"]["A"]
    # The last window's acknowledgements still arrive, a round trip with a full queue after it.
    return facts["losses"][-1][0] + 0.1, facts["last_sent"]


def lossless():
    for threshold in range(119_000, 125_000, 500):
        if lost(threshold=threshold + 500):
            return f"{threshold:,}"
    return "never"


@cache
def two(kind):
    if kind == "competing":
        flows = [flow("reno", name="blue"), flow("aimd", name="red")]
        return measure_facts(mesonet.simulate(laboratory(flows, parameters=FIVE_SIXTHS)))
    far = flow("reno", name="far", rtt="200 ms", size="10 MB")
    near = flow("reno", name="near", size="10 MB")
    return measure_facts(mesonet.simulate(laboratory([far, near], duration=40)))


def restarts(algorithm):
    return [f"{window:.0f}" for _, window in single(algorithm)["flows"]["A"]["restarts"]]


MEASURED = {
    "queue full": lambda: f"{single()['full'][0]:.2f}",
    "loss found": lambda: f"{single()['flows']['A']['restarts'][0][0]:.2f}",
    "first peak": lambda: restarts("reno")[0],
    "lost at first": lambda: str(single()["flows"]["A"]["losses"][0][2]),
    "lost then": lambda: str(single()["flows"]["A"]["losses"][1][2]),
    "tahoe": took,
    "sack": lambda: took(recovery="sack"),
    "lossless": lossless,
    "silent from": lambda: f"{silence('aiad')[0]:.1f}",
    "silent to": lambda: f"{silence('aiad')[1]:.1f}",
    "aiad, 4 MB": lambda: took("aiad", "4 MB"),
    "aiad events, 4 MB": lambda: str(len(loss_events(single("aiad", "4 MB")))),
    "aiad, 64,000 bytes": lambda: took("aiad", threshold=64_000),
    "aiad": lambda: took("aiad"),
    "aiad, no jitter": lambda: completion(without_jitter("aiad")),
    "aiad, 101 packets": lambda: completion(without_jitter("aiad", buffer="101 packets")),
    "five sixths, 4 MB": lambda: took("aimd", "4 MB"),
    "five sixths events, 4 MB": lambda: str(len(loss_events(single("aimd", "4 MB")))),
    "five sixths peaks": lambda: " and ".join(restarts("aimd")),
    "decreases, 4 MB": lambda: " and ".join(
        ", ".join(took("aimd", "4 MB", decrease=part) for part in (0.1, 0.3, 0.5, 0.7)).rsplit(
            ", ", 1
        )
    ),
    "blue and red lose": lambda: " s and ".join(
        f"{event[0]:.1f}" for event in loss_events(two("competing"))[:2]
    ),
    "near, 10 MB": lambda: f"{two('rtt')['flows']['near']['completion']:.0f}",
    "far, 10 MB": lambda: f"{two('rtt')['flows']['far']['completion']:.0f}",
}


@pytest.mark.parametrize("name", QUOTED)
def test_what_handouts_quote_is_measured(name):
    assert MEASURED[name]() == QUOTED[name]


def test_what_answers_say_in_words_is_measured():
    # lab-reno: with a threshold of 125,000 bytes the second additive round trip loses a segment.
    facts = single(threshold=125_000)["flows"]["A"]
    assert 0.1 < facts["losses"][0][0] - facts["additive"][0][0] < 0.2
    # lab-aiad: a low threshold loses nothing.
    assert lost("aiad", threshold=64_000) == 0
    # lab-aimd56: both are over after two peaks; beyond 0.7 nothing is gained or lost again.
    assert [len(loss_events(single(name))) for name in ("aiad", "aimd")] == [2, 2]
    assert took("aimd", "4 MB", decrease=0.9) == took("aimd", "4 MB", decrease=0.7)
    assert len(loss_events(single("aimd", "4 MB", decrease=0.7))) == 1


def program(name):
    """The program of a study's page, which is there without a single run."""
    prepared = find_study(name).prepare(Options())
    sections = prepared.evaluate(RunResults({}, {}, {}, None)).sections
    (text,) = [
        part.text for section in sections for part in section.blocks if isinstance(part, Program)
    ]
    return text


@pytest.mark.parametrize("name", NAMES)
def test_the_program_of_a_page_runs(name):
    code = program(name)
    assert len(code.splitlines()) <= 12
    assert "over after" in printed(code)


def test_a_transfer_that_is_cut_short_is_not_over():
    code = program("lab-reno")
    for before, after in (
        ('[flow("reno")]', '[flow("reno", size="10 MB"), flow("reno", name="B")]'),
        ("laboratory(flows)", "laboratory(flows, duration=2.5)"),
    ):
        assert before in code
        code = code.replace(before, after)
    first, second, *_ = printed(code).splitlines()
    assert first.startswith("reno-1 not finished with ")
    assert second.startswith("B over after ")


def test_the_program_prints_what_the_table_of_its_page_says():
    assert printed(program("lab-reno")).startswith("reno-1 over after 1.20 s with 129")


def test_a_flow_without_an_end_is_not_over():
    run = mesonet.simulate(laboratory([flow("reno", name="A", size=None)], duration=1.0))
    assert measure_facts(run)["flows"]["A"]["completion"] is None


def printed(code):
    said = io.StringIO()
    with redirect_stdout(said):
        exec(compile(code, "handout", "exec"), {})
    return said.getvalue()
