"""Comparisons: numbers, differences, words and pages."""

import itertools
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import polars as pl
import pytest
from typer.testing import CliRunner

import mesonet
from mesonet.analysis import paired_differences
from mesonet.campaign import Campaign
from mesonet.cli import app
from mesonet.comparison import Match, estimates, question
from mesonet.comparison.result import estimated

SMALL = {"rate": "5 Mbit/s", "replicates": 3, "duration": "6 s"}


@pytest.fixture(scope="module")
def comparison():
    return mesonet.compare("cubic", "vegas", **SMALL, threads=2)


def test_numbers_are_those_of_the_runs(comparison):
    plan = comparison.question.plan
    run = mesonet.simulate(plan.scenario_of(1, plan.alternatives[0], 2), seed=2)
    row = comparison.runs.filter(algorithm="cubic", versus="", replicate=2)
    assert row["utilization"].item() == run.responses["utilization"]
    assert row["delay_p95"].item() == run.responses["sojourn_p95"]
    late = run.flows.filter(pl.col("time") > 1.5)
    assert row["rate"].item() == pytest.approx(late["acked"].sum() * 8 * 1460 / 4.5)
    again = late["retransmitted"].sum()
    assert row["retransmitted"].item() == pytest.approx(again / (again + late["acked"].sum()))


def test_a_comparison_is_what_a_campaign_of_its_plan_says(tmp_path):
    """Two paths, in memory and in a folder; differences are those of `paired_differences`."""
    path = SMALL | {"rtt": ["10 ms", "40 ms"], "loss": 0.001, "flows": 2}
    memory = mesonet.compare("cubic", "vegas", **path, threads=2)
    fewer = path | {"replicates": 1}
    begun = mesonet.compare("cubic", "vegas", **fewer, threads=1, out=tmp_path / "kept")
    assert begun.runs.equals(memory.runs.filter(replicate=1))
    folder = mesonet.compare("cubic", "vegas", **path, threads=1, out=tmp_path / "kept")
    assert folder.runs.equals(memory.runs)
    assert folder.frame.equals(memory.frame)
    assert folder.differences.equals(memory.differences)
    results = Campaign.open(tmp_path / "kept").results()
    alone = memory.differences.filter(pl.col("measure") != "share")
    levels = estimates.step_levels(alone["p"].to_list())
    responses = {measure.name: measure.response for measure in estimates.TESTED}
    for row, level in zip(alone.iter_rows(named=True), levels, strict=True):
        condition = 1 if row["condition_rtt"] == "10 ms" else 2
        frame = results.filter(condition=condition)
        response = responses[row["measure"]]
        options = {"baseline": "cubic alone", "confidence": 1 - level}
        pairs = paired_differences(frame, response=response, **options)
        same = pairs.frame.filter(alternative="vegas alone").row(0, named=True)
        names = ("difference", "lower", "upper", "p")
        assert [row[name] for name in ("difference", "low", "high", "p")] == pytest.approx(
            [same[name] for name in names], rel=1e-12, abs=1e-15
        )


def test_shares_add_up_and_own_kinds_have_half(comparison):
    means = {
        (row["algorithm"], row["versus"], row["measure"]): row["mean"]
        for row in comparison.frame.iter_rows(named=True)
    }
    assert means["cubic", "vegas", "share"] + means["vegas", "cubic", "share"] == pytest.approx(1)
    assert means["vegas", "vegas", "share"] == 0.5
    assert 2e6 < 2 * means["cubic", "cubic", "rate"] <= 5e6 * 1460 / 1500


def test_the_share_is_tested_against_a_half_and_has_one_interval_everywhere(comparison):
    (row,) = comparison.differences.filter(measure="share").to_dicts()
    assert (row["algorithm"], row["versus"], row["reference"]) == ("vegas", "cubic", 0.5)
    values = comparison.runs.filter(algorithm="vegas", versus="cubic")["share"]
    assert row["value"] == pytest.approx(values.mean())
    assert (row["verdict"], row["p"]) == ("less", row["p_adjusted"])
    for algorithm, sign in (("vegas", 1), ("cubic", -1)):
        shown = comparison.frame.filter(
            pl.col("algorithm") == algorithm, pl.col("versus") != algorithm, measure="share"
        ).filter(pl.col("versus") != "")
        ends = sorted(0.5 + sign * row[end] for end in ("low", "high"))
        assert shown.select("low", "high").row(0) == pytest.approx(ends)


def test_intervals_are_printed_with_their_levels_and_skewed_ones_with_both_ends(comparison):
    told = comparison.differences.filter(pl.col("verdict").is_in(["more", "less"]))
    levels = [f"{100 * level:.3g}" for level in told["level"]]
    assert re.findall(r"([\d.]+) % interval", " ".join(comparison.sentences())) == levels
    assert len({*levels}) > 1
    delay = comparison.frame.filter(measure="delay_p95", algorithm="vegas", versus="")
    mean, low, high = (1000 * value for value in delay.select("mean", "low", "high").row(0))
    assert f"{mean:.2f} [{low:.2f}, {high:.2f}]" in comparison.to_text()


def test_no_interval_of_a_share_contradicts_its_verdict():
    """At 95 % all three intervals exclude a half (p 0.003, 0.038, 0.038).

    Holm's method compares with 0.05 / 3, then with 0.05 / 2, and rejects the first alone.
    """
    unclear = (0.55, 0.60, 0.57)
    shares = {"cubic": (0.60, 0.62, 0.61), "bic": unclear, "vegas": unclear}
    plain = [estimates.bounded_interval(values, maximum=1) for values in shares.values()]
    assert all(low > 0.5 for low, _ in plain)
    rows = [
        row
        for name, values in shares.items()
        for replicate, value in enumerate(values, start=1)
        for row in (
            one_run(name, replicate, versus="reno", goodput=value),
            one_run(name, replicate),
        )
    ]
    tests = answered(asked(list(shares), versus=["reno"]), rows).differences
    tests = tests.filter(measure="share").to_dicts()
    assert [row["verdict"] for row in tests] == ["more", *2 * ["not significant"]]
    assert [row["low"] > 0 for row in tests] == [True, False, False]


def test_what_is_finished_is_kept_when_it_is_interrupted(monkeypatch):
    begun = itertools.count(1)

    def simulate(*args, progress, **options):
        # The seventh run goes on until it is stopped, however late the interrupt comes.
        while next(begun) > 6:
            time.sleep(0.001)
            progress(0.0)
        return mesonet.simulate(*args, progress=progress, **options)

    def progress(done, total):
        if done >= 6:
            raise KeyboardInterrupt

    monkeypatch.setattr("mesonet.campaign.memory.simulate", simulate)
    comparison = mesonet.compare("reno", "cubic", **SMALL, threads=1, progress=progress)
    assert comparison.notes[0].startswith("Interrupted after ")
    assert 6 <= comparison.executed < 3 * 5
    assert comparison.frame.height > 0
    assert comparison.runs["replicate"].min() == 1
    done = comparison.runs["replicate"].max()
    assert f": at most {done} of 3 replicates of " in str(comparison).splitlines()[0]


def test_ctrl_c_while_runs_are_handed_out_keeps_what_is_finished(monkeypatch):
    """Else Python waits at its end for a controller that loops, and hears no signal any more."""

    class Pool(ThreadPoolExecutor):
        def submit(self, *call):
            if next(runs) > 6:
                raise KeyboardInterrupt
            future = super().submit(*call)
            future.result()
            return future

    runs = itertools.count(1)
    monkeypatch.setattr("mesonet.campaign.memory.ThreadPoolExecutor", Pool)
    comparison = mesonet.compare("reno", "cubic", **SMALL, threads=1)
    assert comparison.interrupted
    assert comparison.executed == 6


def test_a_line_shows_how_many_runs_are_done(monkeypatch):
    told = []
    line = nullcontext(lambda *counts: told.append(counts))
    monkeypatch.setattr("mesonet.comparison.result.progress_line", lambda *_: line)
    for progress in (True, False, None):
        mesonet.compare("reno", rate="1 Mbit/s", duration="1 s", replicates=1, progress=progress)
    assert told[-1] == (2, 2)
    assert len(told) <= 2


def test_ctrl_c_after_the_last_run_is_heard(monkeypatch):
    def progress(done, total):
        if done == total:
            raise KeyboardInterrupt

    monkeypatch.setattr("mesonet.comparison.result.progress_line", lambda *_: nullcontext(progress))
    command = ["compare", "reno", "--rate", "1 Mbit/s", "--duration", "2 s", "--replicates", "1"]
    ended = CliRunner().invoke(app, command)
    assert ended.exit_code == 130
    assert ended.stderr == "interrupted: 2 of 2 runs are done\n"
    assert "reno" in ended.stdout


def test_a_run_that_ends_before_its_first_packet_has_no_numbers():
    comparison = mesonet.compare("reno", "cubic", duration="1ps", replicates=2, threads=1)
    assert comparison.frame.filter(measure="rate")["mean"].is_nan().all()
    assert all("gets – %" in text or "No significant" in text for text in comparison.sentences())


def test_the_page_shows_every_match_over_time(comparison, tmp_path):
    page = comparison.save(tmp_path / "page.html").read_text("utf-8")
    for place in range(1, 6):
        assert f'data-chart="time-1-{place}"' in page
    assert 'data-chart="answer"' in page
    assert "15 of 6 s" in page
    for text in comparison.sentences():
        assert text.split(" (95")[0].replace("'", "&#39;") in page
    assert comparison.save(tmp_path / "chart.svg").read_text("utf-8").startswith("<svg")


def test_the_command_prints_tables_json_and_pages(tmp_path):
    runner = CliRunner()
    short = ["--rate", "5 Mbit/s", "--duration", "2 s", "--replicates", "2"]
    asked = ["compare", "reno", "vegas", *short, "--queue", "codel,droptail"]
    overview = runner.invoke(app, asked, env={"COLUMNS": "80"})
    assert overview.stdout.count("2 replicates of 2 s") == 1
    assert all(len(line) <= 80 for line in overview.stdout.split("\nVersus ")[0].splitlines())
    shown = runner.invoke(app, [*asked, "--all"])
    assert shown.exit_code == 0
    assert shown.stdout.count("2 replicates of 2 s") == 2
    assert "\ncodel: " in shown.stdout
    once = runner.invoke(app, ["compare", "reno", *short[:-1], "1"])
    assert ": 1 replicate of 2 s" in once.stdout
    page = tmp_path / "page.html"
    told = runner.invoke(
        app, ["compare", "reno", *short, "--with", "cubic", "--json", "--out", str(page)]
    )
    assert told.exit_code == 0
    means = json.loads(told.stdout)["means"]
    assert {(row["algorithm"], row["versus"]) for row in means} >= {("reno", ""), ("reno", "cubic")}
    assert page.exists()
    folder = tmp_path / "kept"
    kept = runner.invoke(app, ["compare", "reno", "vegas", *short, "--out", str(folder)])
    assert kept.exit_code == 0
    assert Campaign.open(folder).status()["done"] == 10
    written = runner.invoke(app, ["report", str(folder)])
    assert written.exit_code == 0
    assert (folder / "report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "places"),
    [
        (["cubik", "--loss", "some", "--out", "page.doc"], ["--out", "--loss", "algorithms"]),
        (["cubic", "--out", "no/such/page.html"], ["--out"]),
    ],
)
def test_bad_input_is_one_line_each_and_nothing_is_simulated(arguments, places):
    result = CliRunner().invoke(app, ["compare", *arguments])
    assert result.exit_code == 2
    assert [line.split(": ")[1] for line in result.stderr.splitlines()] == places


def one_run(algorithm, replicate, condition=1, *, versus="", goodput=1.0, **numbers):
    """A row of results; the goodputs of a match are one together."""
    goodputs = {f"flow_goodput:{algorithm}": goodput, f"flow_retransmitted:{algorithm}": 0.0}
    if versus:
        goodputs |= {f"flow_goodput:{versus}": 1 - goodput, f"flow_retransmitted:{versus}": 0.0}
    delays = {"sojourn_p50": 0.01, "sojourn_p95": 0.02}
    shared = {"utilization": 0.5, **delays, "mark_rate": 0.0, "jain_index": 1.0}
    return {
        "condition": condition,
        "alternative": Match(algorithm, versus).words(),
        "replicate": replicate,
        **shared,
        "flow_retransmitted": 0.0,
        **goodputs,
        **numbers,
    }


def asked(algorithms, **changes):
    path = {"rate": "5 Mbit/s", "rtt": "40 ms", "buffer": "1 bdp", "loss": 0.0, "queue": "droptail"}
    runs = {"versus": (), "flows": 1, "replicates": 3, "duration": "4 s", "seed": 1}
    return question(algorithms, **path | runs | changes)


def answered(asked, rows):
    """The answer of results that were made up."""
    names = dict.fromkeys(name for row in rows for name in row)
    results = pl.DataFrame([{name: row.get(name) for name in names} for row in rows])
    return estimated(asked, results)


def compared(*rows):
    names = dict.fromkeys(str(row["alternative"]).split()[0] for row in rows)
    return answered(asked(list(names)), list(rows)).differences


def test_means_of_an_interrupted_comparison_are_over_the_replicates_of_both():
    used = {"reno": (0.5, 0.6, 0.1), "cubic": (0.7, 0.9)}
    differences = compared(
        *(
            one_run(name, replicate, utilization=value)
            for name, values in used.items()
            for replicate, value in enumerate(values, start=1)
        )
    )
    row = differences.filter(measure="utilization").row(0, named=True)
    assert (row["value"], row["reference"]) == pytest.approx((0.8, 0.55))
    assert row["difference"] == pytest.approx(row["value"] - row["reference"])


def test_what_is_the_same_in_every_repeat_has_no_interval_and_no_p():
    rows = [
        one_run(name, replicate, utilization=used)
        for name, used in (("reno", 0.5), ("cubic", 0.6))
        for replicate in (1, 2, 3)
    ]
    row = compared(*rows).filter(measure="utilization").row(0, named=True)
    assert row["difference"] == pytest.approx(0.1)
    assert (row["low"], row["high"], row["p"], row["p_adjusted"]) == (None,) * 4
    assert row["verdict"] == "not tested"
    assert {*compared(rows[0], rows[3])["verdict"]} == {"not tested"}  # of one replicate: nothing


def test_delays_that_differ_by_a_class_of_the_histogram_are_not_told_apart():
    """Two percentiles in neighbouring classes are a class apart in every replicate."""
    rows = [
        one_run(algorithm, replicate, sojourn_p95=delay * 2**replicate)
        for algorithm, delay in (("reno", 0.064), ("cubic", 0.062), ("bic", 0.001))
        for replicate in range(1, 6)
    ]
    # Differences hardly vary versus their size, so that their tests alone find them certain.
    rows = [row | {"sojourn_p95": row["sojourn_p95"] ** 0.01} for row in rows]
    near, far = compared(*rows).filter(measure="delay_p95").to_dicts()
    assert near["p_adjusted"] < 0.01
    assert (near["verdict"], far["verdict"]) == ("not significant", "less")
