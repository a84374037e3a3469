"""Comparisons: numbers, differences, words and pages."""

from __future__ import annotations

import itertools
import json
import math
import re
import time

import numpy as np
import polars as pl
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint
from typer.testing import CliRunner

import mesonet
from mesonet.cli import app
from mesonet.comparison import estimates, running, words
from mesonet.comparison.estimates import differences
from mesonet.comparison.question import Match, question

SMALL = {"rate": "5 Mbit/s", "repeats": 3, "duration": "6 s"}


@pytest.fixture(scope="module")
def found():
    return mesonet.compare("cubic", "vegas", **SMALL, threads=2)


def value(frame: pl.DataFrame, algorithm: str, beside: str, measure: str) -> float:
    return frame.filter(algorithm=algorithm, beside=beside, measure=measure)["mean"].item()


def test_numbers_are_those_of_the_runs(found):
    question = found.question
    (condition,) = question.conditions
    run = mesonet.simulate(question.scenario(condition, Match("cubic"), 2), seed=2)
    row = found.runs.filter(algorithm="cubic", beside="", repeat=2)
    assert row["utilization"].item() == run.responses["utilization"]
    assert row["delay_p95"].item() == run.responses["sojourn_p95"]
    late = run.flows.filter(pl.col("time") > 1.5)
    assert row["rate"].item() == pytest.approx(late["acked"].sum() * 8 * 1460 / 4.5)
    again = late["retransmitted"].sum()
    assert row["sent_again"].item() == pytest.approx(again / (again + late["acked"].sum()))


@pytest.mark.parametrize("duration", ["0.7 s", "3 s", "4.05 s"])
def test_goodput_of_a_lone_flow_is_its_use_of_the_link_wherever_the_warm_up_ends(duration):
    found = mesonet.compare("reno", rate="5 Mbit/s", duration=duration, repeats=2, threads=1)
    alone = found.runs.filter(beside="")
    carried = [used * 5e6 * 1460 / 1500 for used in alone["utilization"]]
    # In the shortest window, of half a second, a packet that is under way at its end is half a percent.
    assert alone["rate"].to_list() == pytest.approx(carried, rel=0.006)


def test_threads_change_nothing(found):
    again = mesonet.compare("cubic", "vegas", **SMALL, threads=1)
    assert again.frame.equals(found.frame)
    assert again.differences.equals(found.differences)


def test_shares_add_up_and_own_kinds_have_half(found):
    shares = [
        value(found.frame, *pair, "share") for pair in (("cubic", "vegas"), ("vegas", "cubic"))
    ]
    assert sum(shares) == pytest.approx(1)
    assert value(found.frame, "vegas", "vegas", "share") == 0.5
    assert 2e6 < 2 * value(found.frame, "cubic", "cubic", "rate") <= 5e6 * 1460 / 1500


def test_intervals_and_tests_are_those_of_scipy(found):
    runs = found.runs
    rows = runs.filter(algorithm="vegas", beside="")
    reference = runs.filter(algorithm="cubic", beside="")
    used = found.differences.filter(measure="utilization")
    values = (rows["utilization"] - reference["utilization"]).to_numpy()
    ends = stats.t.interval(0.95, 2, values.mean(), stats.sem(values))
    assert used.select("low", "high").row(0) == pytest.approx(ends)
    test = stats.ttest_rel(rows["utilization"].to_numpy(), reference["utilization"].to_numpy())
    told = found.differences.filter(measure="utilization")
    assert told["p"].item() == pytest.approx(test.pvalue)
    assert told["difference"].item() == pytest.approx(
        (rows["utilization"] - reference["utilization"]).mean()
    )
    adjusted = multipletests(found.differences["p"].to_numpy(), method="holm")[1]
    assert found.differences["p_adjusted"].to_list() == pytest.approx(list(adjusted))


@pytest.mark.parametrize(
    "values", [[0.99, 0.97, 0.8], [0.0, 0.0, 0.041], [0.3, 0.5, 0.42, 0.37, 0.7]]
)
def test_intervals_of_shares_are_wilsons_with_the_effective_number_of_trials(values):
    mean, error = np.mean(values), stats.sem(values)
    t = stats.t.ppf(0.975, len(values) - 1)
    trials = mean * (1 - mean) / error**2
    ends = proportion_confint(mean * trials, trials, alpha=2 * stats.norm.sf(t), method="wilson")
    assert estimates.bounded_interval(values, most=1) == pytest.approx(ends)


def test_intervals_of_delays_have_the_mean_as_their_geometric_middle():
    values = [0.001, 0.0, 0.02]
    low, high = estimates.bounded_interval(values, most=math.inf)
    mean = np.mean(values)
    assert 0 < low < mean < high
    assert low * high == pytest.approx(mean**2)
    # The ends are t standard errors away, for a variance that goes with the mean.
    error = stats.sem(values) * math.sqrt(high / mean)
    assert (high - mean) / error == pytest.approx(stats.t.ppf(0.975, 2))


def test_values_at_a_bound_within_rounding_have_an_interval_without_width():
    nearly = [1.0, 1.0 - 2**-53]
    low, high = estimates.bounded_interval(nearly, most=1.0)
    assert low == high == pytest.approx(1.0)


def test_intervals_stay_in_the_range_of_their_measure():
    for values in stats.beta(0.3, 3).rvs(size=(200, 3), random_state=1):
        low, high = estimates.bounded_interval(values, most=1)
        assert 0 <= low < values.mean() < high <= 1
    assert estimates.bounded_interval([1.0, 1.00004, 1.0], most=1) == (1.0, 1.0)
    assert estimates.bounded_interval([0.0, 0.0], most=1) == (0.0, 0.0)
    assert estimates.bounded_interval([0.25], most=1) == (None, None)


def test_intervals_cover_skewed_shares_and_delays_better_than_students():
    for measure, most in ((stats.beta(30, 1), 1), (stats.expon(), math.inf)):
        drawn = measure.rvs(size=(2000, 5), random_state=1)
        bounded = [estimates.bounded_interval(values, most=most) for values in drawn]
        student = [estimates.interval(values) for values in drawn]
        covered = [
            sum(low <= measure.mean() <= high for low, high in ends) / len(drawn)
            for ends in (bounded, student)
        ]
        assert 0.91 < covered[0] < 0.96
        assert covered[0] - covered[1] > 0.02


def test_harm_is_goodput_beside_another_less_that_beside_the_own_kind(found):
    told = found.differences.filter(measure="left", algorithm="cubic", beside="vegas")
    alone = value(found.frame, "vegas", "vegas", "rate")
    left = value(found.frame, "vegas", "cubic", "rate")
    assert told["difference"].item() == pytest.approx(left - alone)
    assert told["verdict"].item() == "less"


def test_a_certain_difference_is_a_sentence_and_others_are_named(found):
    said = found.sentences()
    assert any(text.startswith("Alone, the queueing delay at the 95th") for text in said)
    assert sum(text.startswith("Beside cubic, vegas gets ") for text in said) == 1
    assert len([text for text in said if text.startswith("Not told apart")]) <= 1
    assert "cubic" in repr(found)
    assert re.search(r"\d \[\d+\.\d+, \d+\.\d+\]", repr(found))


def test_one_repeat_has_no_intervals_and_tells_nothing_apart():
    found = mesonet.compare("reno", "vegas", rate="5 Mbit/s", repeats=1, duration="2 s")
    assert found.frame["low"].null_count() == found.frame.height
    assert set(found.differences["verdict"]) == {"not told apart"}
    assert found.notes[0].startswith("One repeat")
    assert "[" not in repr(found)


def test_one_algorithm_is_described():
    found = mesonet.compare("reno", rate="5 Mbit/s", repeats=2, duration="2 s")
    assert found.differences.is_empty()
    assert found.sentences() == ()
    assert "reno" in repr(found)


def test_differences_that_do_not_vary_are_no_evidence_of_chance():
    assert estimates._paired_p([0.0, 0.0]) == 1.0
    assert estimates._paired_p([1.0, 1.0]) is None
    assert estimates._paired_p([0.1 + 0.2, 0.3]) is None
    assert estimates._paired_p([1.0]) is None
    assert estimates.interval([3.0]) == (None, None)


def test_what_is_no_algorithm_beside_others_is_named():
    for beside in (None, 3):
        with pytest.raises(mesonet.InputError, match="beside: expected a name"):
            mesonet.compare("reno", beside=beside)


def test_what_is_finished_is_kept_when_it_is_interrupted(monkeypatch):
    begun = itertools.count(1)

    def simulate(*given, progress, **options):
        # The seventh run goes on until it is stopped, however late the interrupt comes.
        while next(begun) > 6:
            time.sleep(0.001)
            progress(0.0)
        return mesonet.simulate(*given, progress=progress, **options)

    def progress(done: int, total: int) -> None:
        if done >= 6:
            raise KeyboardInterrupt

    monkeypatch.setattr(running, "simulate", simulate)
    found = mesonet.compare("reno", "cubic", **SMALL, threads=1, progress=progress)
    assert found.notes[0].startswith("Interrupted after ")
    assert 6 <= found.runs.select("repeat").height < 3 * 6
    assert found.frame.height > 0
    assert found.runs["repeat"].min() == 1
    done = found.runs["repeat"].max()
    assert f": at most {done} of 3 repeats of " in str(found).splitlines()[0]


def test_ctrl_c_after_the_last_run_is_heard(monkeypatch):
    def progress(_: object, done: int, total: int) -> None:
        if done == total:
            raise KeyboardInterrupt

    monkeypatch.setattr("mesonet.cli.progress.RunsProgress.__call__", progress)
    command = ["compare", "reno", "--rate", "1 Mbit/s", "--duration", "2 s", "--repeat", "1"]
    ended = CliRunner().invoke(app, command)
    assert ended.exit_code == 130
    assert ended.stderr == "interrupted: 2 of 2 runs are done\n"
    assert "reno" in ended.stdout


def test_rates_in_packets_are_shown_in_segments(tmp_path):
    found = mesonet.compare("reno", rate="1 p/ms", repeats=1, duration="2 s")
    page = found.save(tmp_path / "page.html").read_text("utf-8")
    assert "Goodput (segments/s)" in page
    assert "Mbit/s)" not in page.split("packed-vega")[0]


def test_flows_that_get_nothing_beside_their_own_kind_are_told():
    row = {"measure": "left", "algorithm": "a", "beside": "b", "reference": 0.0, "value": 1.0}
    assert "".join(words._sentence(row)).endswith("nothing beside its own kind.")


@pytest.mark.parametrize("threads", [0, -1, True])
def test_threads_are_at_least_one(threads):
    with pytest.raises(mesonet.InputError, match="threads: expected a whole number"):
        mesonet.compare("reno", **SMALL, threads=threads)


def test_a_failing_run_fails_the_comparison(monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise mesonet.MesonetError("no")

    monkeypatch.setattr(running, "simulate", broken)
    with pytest.raises(mesonet.MesonetError, match="no"):
        mesonet.compare("reno", **SMALL)


def test_the_page_shows_every_match_over_time(found, tmp_path):
    page = found.save(tmp_path / "page.html").read_text("utf-8")
    for place in range(1, 6):
        assert f'data-chart="time-1-{place}"' in page
    assert 'data-chart="answer"' in page
    assert "15 of 6 s" in page
    for text in found.sentences():
        assert text.split(" (95")[0].replace("'", "&#39;") in page
    assert found.save(tmp_path / "page.html")
    (tmp_path / "mine.html").write_text("mine")
    with pytest.raises(mesonet.InputError, match="not written by mesonet"):
        found.save(tmp_path / "mine.html")
    assert found.save(tmp_path / "chart.svg").read_text("utf-8").startswith("<svg")


def test_the_command_prints_tables_json_and_pages(tmp_path):
    runner = CliRunner()
    short = ["--rate", "5 Mbit/s", "--duration", "2 s", "--repeat", "2"]
    shown = runner.invoke(app, ["compare", "reno", "vegas", *short, "--rtt", "10ms,40ms"])
    assert shown.exit_code == 0
    assert shown.stdout.count("2 repeats of 2 s") == 2
    once = runner.invoke(app, ["compare", "reno", *short[:-1], "1"])
    assert ": 1 repeat of 2 s" in once.stdout
    page = tmp_path / "page.html"
    told = runner.invoke(
        app, ["compare", "reno", *short, "--with", "cubic", "--json", "--out", str(page)]
    )
    assert told.exit_code == 0
    means = json.loads(told.stdout)["means"]
    assert {(row["algorithm"], row["beside"]) for row in means} >= {("reno", ""), ("reno", "cubic")}
    assert page.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["cubik"],
            'algorithms: expected a congestion controller, got "cubik" (did you mean',
        ),
        (
            ["cubic", "--loss", "some"],
            'error: loss: expected numbers from 0 to below 1, got "some"',
        ),
        (["cubic", "--out", "page.doc"], "error: --out: expected a name that ends with .html"),
        (["cubic", "--out", "no/such/page.html"], "error: --out: expected a file in a folder"),
        (["cubic", "--open"], "error: --open: expected --out"),
    ],
)
def test_bad_input_is_one_line_each_and_nothing_is_simulated(arguments, said, monkeypatch):
    def never(*_: object, **__: object) -> None:
        raise AssertionError("simulated")

    monkeypatch.setattr(running, "simulate", never)
    result = CliRunner().invoke(app, ["compare", *arguments])
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.output


def test_several_flows_of_each_have_their_page(tmp_path):
    found = mesonet.compare("cubic", "reno", flows=2, loss=[0, 0.01], **{**SMALL, "repeats": 2})
    page = found.save(tmp_path / "several.html").read_text("utf-8")
    assert "random loss 0.01" in page
    assert "no random loss" in page


def test_what_has_no_digit_in_the_table_is_zero():
    delay = words.BY_NAME["delay_p50"]
    assert words.shown(delay, 6.6e-8) == "0"
    assert words.shown(delay, 29.04e-3) == "29"
    assert words.shown(words.BY_NAME["sent_again"], 6.4e-5) == "0.0064"


def one_run(algorithm: str, repeat: int, **numbers: float) -> dict[str, object]:
    """A row of what was measured, of an algorithm alone."""
    return {
        **{f"condition_{name}": "" for name in ("rate", "rtt", "buffer", "queue")},
        "condition_loss": 0.0,
        "algorithm": algorithm,
        "beside": "",
        "repeat": repeat,
        "utilization": 0.5,
        "delay_p50": 0.01,
        "delay_p95": 0.02,
        "sent_again": 0.0,
        "rate": 1e6,
        "share": 1.0,
        "jain": 1.0,
    } | numbers


def compared(*rows: dict[str, object]) -> pl.DataFrame:
    names = dict.fromkeys(str(row["algorithm"]) for row in rows)
    asked = question(
        list(names), rate="5 Mbit/s", rtt="40 ms", buffer="1 bdp", loss=0.0,
        queue="droptail", beside=(), flows=1, repeats=3, duration="4 s", warm_up=0.25, seed=1,
    )  # fmt: skip
    return differences(asked, pl.DataFrame(rows))


def test_means_of_an_interrupted_comparison_are_over_the_repeats_of_both():
    used = {"reno": (0.5, 0.6, 0.1), "cubic": (0.7, 0.9)}
    found = compared(
        *(
            one_run(name, repeat, utilization=value)
            for name, values in used.items()
            for repeat, value in enumerate(values, start=1)
        )
    )
    row = found.filter(measure="utilization").row(0, named=True)
    assert (row["value"], row["reference"]) == pytest.approx((0.8, 0.55))
    assert row["difference"] == pytest.approx(row["value"] - row["reference"])


def test_a_difference_that_is_the_same_in_every_repeat_has_no_interval_and_no_p():
    rows = [one_run(name, repeat) for name in ("reno", "cubic") for repeat in (1, 2, 3)]
    rows = [row | {"utilization": 0.6} if row["algorithm"] == "cubic" else row for row in rows]
    row = compared(*rows).filter(measure="utilization").row(0, named=True)
    assert row["difference"] == pytest.approx(0.1)
    assert (row["low"], row["high"], row["p"], row["p_adjusted"]) == (None,) * 4
    assert row["verdict"] == "not told apart"


def test_delays_that_differ_by_a_class_of_the_histogram_are_not_told_apart():
    """Two percentiles in neighbouring classes are a class apart in every repeat."""
    rows = [
        one_run(algorithm, repeat, delay_p95=delay)
        for algorithm, delay in (("reno", 0.064), ("cubic", 0.062), ("bic", 0.032))
        for repeat in (1, 2, 3)
    ]
    found = compared(*rows).filter(measure="delay_p95").to_dicts()
    near, far = found
    assert (near["verdict"], near["p"]) == ("not told apart", 1.0)
    assert (near["low"], near["high"]) == pytest.approx((-0.004, 0.0))
    assert far["verdict"] == "less"
    assert (far["low"], far["high"]) == pytest.approx((-0.034, -0.03))
