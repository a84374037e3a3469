"""Comparisons: numbers, differences, words and pages."""

from __future__ import annotations

import itertools
import json
import math
import time

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint
from typer.testing import CliRunner

import mesonet
from mesonet.analysis.multiplicity import adjusted
from mesonet.cli import app
from mesonet.comparison import Question, estimates, running
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
    # A packet under way at the end of the shortest window, half a second, is half a percent.
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
    alone = found.differences.filter(pl.col("measure") != "share")
    # Holm compares the smallest of three with 0.05 / 3, and goes on while p is smaller.
    order = sorted(alone["p"])
    step = next((here for here, p in enumerate(order) if p >= 0.05 / (3 - here)), 2)
    step = min(step, order.index(used["p"].item()))
    ends = stats.t.interval(1 - 0.05 / (3 - step), 2, values.mean(), stats.sem(values))
    assert used.select("low", "high").row(0) == pytest.approx(ends)
    test = stats.ttest_rel(rows["utilization"].to_numpy(), reference["utilization"].to_numpy())
    told = found.differences.filter(measure="utilization")
    assert told["p"].item() == pytest.approx(test.pvalue)
    assert told["difference"].item() == pytest.approx(
        (rows["utilization"] - reference["utilization"]).mean()
    )
    adjusted = multipletests(alone["p"].to_numpy(), method="holm")[1]
    assert alone["p_adjusted"].to_list() == pytest.approx(list(adjusted))


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


def test_the_share_is_tested_against_a_half_and_has_one_interval_everywhere(found):
    (row,) = found.differences.filter(measure="share").to_dicts()
    assert (row["algorithm"], row["beside"], row["reference"]) == ("vegas", "cubic", 0.5)
    values = found.runs.filter(algorithm="vegas", beside="cubic")["share"]
    assert row["value"] == pytest.approx(values.mean())
    assert (row["verdict"], row["p"]) == ("less", row["p_adjusted"])
    for algorithm, sign in (("vegas", 1), ("cubic", -1)):
        shown = found.frame.filter(
            pl.col("algorithm") == algorithm, pl.col("beside") != algorithm, measure="share"
        ).filter(pl.col("beside") != "")
        ends = sorted(0.5 + sign * row[end] for end in ("low", "high"))
        assert shown.select("low", "high").row(0) == pytest.approx(ends)


def test_p_of_a_share_is_that_of_the_score_test_of_a_proportion():
    """Wilson's interval inverts the score test, whose variance is that of the hypothesis."""
    values = [0.6, 0.7, 0.52, 0.66]
    mean, error = np.mean(values), stats.sem(values)
    trials = mean * (1 - mean) / error**2
    score = (mean - 0.5) / math.sqrt(0.25 / trials)
    assert estimates.share_p(values) == pytest.approx(2 * stats.t.sf(score, 3))


def test_shares_that_do_not_vary_are_no_evidence_of_chance():
    assert estimates.share_p([0.5, 0.5]) == 1.0
    assert estimates.share_p([0.8, 0.8]) is None
    assert estimates.share_p([0.0, 0.0]) is None
    assert estimates.share_p([0.8]) is None
    assert estimates.share_p([0.8, math.nan]) is None


@given(st.lists(st.floats(1e-9, 1), min_size=1, max_size=8))
def test_p_is_below_its_level_where_holms_method_rejects_and_only_there(p):
    levels = estimates._step_levels(p)
    rejected = [each < 0.05 for each in adjusted(p, method="holm")]
    below = [each < level for each, level in zip(p, levels, strict=True)]
    assert below == rejected or min(abs(x / y - 1) for x, y in zip(p, levels, strict=True)) < 1e-9


def test_no_interval_of_a_share_contradicts_its_verdict():
    """At 95 % all three intervals exclude a half (p 0.003, 0.038, 0.038).

    Holm's method compares with 0.05 / 3, then with 0.05 / 2, and rejects the first alone.
    """
    unclear = (0.55, 0.60, 0.57)
    shares = {"cubic": (0.60, 0.62, 0.61), "bic": unclear, "vegas": unclear}
    rows = [
        one_run(one, repeat, beside=other, share=part)
        for name, values in shares.items()
        for repeat, value in enumerate(values, start=1)
        for one, other, part in ((name, "reno", value), ("reno", name, 1 - value))
    ]
    plain = [estimates.bounded_interval(values, most=1) for values in shares.values()]
    assert all(low > 0.5 for low, _ in plain)
    asked = a_question(list(shares), beside=["reno"])
    tests = differences(asked, pl.DataFrame(rows)).filter(measure="share")
    assert [row["verdict"] for row in tests.to_dicts()] == ["more", *2 * ["not told apart"]]
    assert [row["low"] > 0 for row in tests.to_dicts()] == [True, False, False]


def test_differences_that_do_not_vary_are_no_evidence_of_chance():
    assert estimates._paired_p([0.0, 0.0]) == 1.0
    # Equal differences: of their signs, both are alike with a probability of one half.
    assert estimates._paired_p([1.0, 1.0]) == 0.5
    assert estimates._paired_p([0.1 + 0.2, 0.3]) == 0.5
    # What rounding makes of values of 1e6 is no difference.
    assert estimates._paired_p([1e-10, 1e-10], scale=1e6) == 1.0
    same = {1: 5.0, 2: 5.0, 3: 5.0}
    assert estimates._compared(same, dict.fromkeys(same, 4.0), 0.0)["p"] is None
    moved = {repeat: 5.0 + repeat for repeat in same}
    assert estimates._compared(moved, {k: v - 1.0 for k, v in moved.items()}, 0.0)["p"] == 0.25
    assert estimates._paired_p([1.0]) is None
    assert estimates.interval([3.0]) == (None, None)


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


def test_a_run_that_ends_before_its_first_packet_has_no_numbers():
    found = mesonet.compare("reno", "cubic", duration="1ps", repeats=2, threads=1)
    assert found.frame.filter(measure="rate")["mean"].is_nan().all()
    assert all("gets – %" in text or "Not told" in text for text in found.sentences())


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


def a_question(algorithms: list[str], **changes: object) -> Question:
    path = {"rate": "5 Mbit/s", "rtt": "40 ms", "buffer": "1 bdp", "loss": 0.0, "queue": "droptail"}
    runs = {"beside": (), "flows": 1, "repeats": 3, "duration": "4 s", "seed": 1}
    return question(algorithms, **path | runs | changes)


def compared(*rows: dict[str, object]) -> pl.DataFrame:
    names = dict.fromkeys(str(row["algorithm"]) for row in rows)
    return differences(a_question(list(names)), pl.DataFrame(rows))


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
