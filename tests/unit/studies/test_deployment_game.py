"""Equilibria of `deployment-mix`, the runs at one bottleneck, and the claims that they decide."""

import math

import polars as pl
import pytest

from mesonet.simulation import simulate
from mesonet.studies import Options
from mesonet_studies.deployment.bottleneck import (
    DEEP,
    FLOWS,
    GAME_SCHEMA,
    MIDDLE,
    RIVALS,
    bottleneck,
    bottleneck_items,
    claimed,
    face,
    game_steps,
    games,
    measure_bottleneck,
    meetings,
    play,
)
from mesonet_studies.deployment.game import Step, crossing, outlook


def steps(*signs):
    """Steps of equal length whose gains have these signs, or none."""
    n = len(signs)
    return [
        Step(k / n, (k + 1) / n, 0.1 * sign, 0.1 * sign - 0.05, 0.1 * sign + 0.05)
        for k, sign in enumerate(signs)
    ]


@pytest.mark.parametrize(
    ("signs", "words"),
    [
        ((1, 1, 1), "the first to switch gain; the last to switch gain"),
        ((-1, -1), "the first to switch lose; the last to switch lose"),
        (
            (1, 0, 0, -1),
            "the first to switch gain; a mix at 12 to 88 % is stable; the last to switch lose",
        ),
        (
            (-1, 1),
            "the first to switch lose; it pays only above 25 to 75 %; the last to switch gain",
        ),
        ((0, 0), "open"),
        ((), "open"),
        ((0, 1), "the last to switch gain"),
    ],
)
def test_signs_say_where_a_deployment_comes_to_rest(signs, words):
    prospect = outlook(steps(*signs))
    assert prospect.words() == words
    assert prospect.decided == (words != "open")
    assert prospect.undecided == signs.count(0)


def test_without_an_interval_nothing_is_certain():
    assert Step(0, 1, 5.0).sign == 0
    assert Step(0, 1, 0.1, 0.0, 0.2).sign == 0


def test_a_sign_that_chance_explains_is_not_certain():
    both = [Step(0, 0.5, 0.1, 0.05, 0.15, 0.04), Step(0.5, 1, -0.1, -0.15, -0.05, 0.06)]
    assert [step.sign for step in both] == [1, -1]
    assert [step.certain for step in both] == [True, False]
    assert outlook(both).universal is False
    sure = outlook(both, certain=True)
    assert sure.words() == "the first to switch gain"
    assert sure.undecided == 1
    assert not Step(0, 1, 0.1, 0.05, 0.15).certain


def test_gains_cross_zero_in_proportion():
    assert crossing([Step(0, 0.5, 0.3), Step(0.5, 1, -0.1)]) == pytest.approx(0.25 + 0.75 * 0.5)
    assert crossing([Step(0, 0.5, -0.3), Step(0.5, 1, 0.1)]) == 0.0
    assert crossing([Step(0, 0.5, 0.3), Step(0.5, 1, 0.1)]) == 1.0
    assert math.isnan(crossing([]))
    assert math.isnan(crossing([Step(0, 1, math.nan)]))


def test_ten_flows_share_50_mbit_at_40_ms():
    world = bottleneck(("cubic", 7), ("bbr3", 3), buffer=3, duration="600 s", replicate=2)
    assert [flow.algorithm for flow in world.flows] == ["cubic"] * 7 + ["bbr3"] * 3
    assert str(world.buffer) == "3 bdp"
    assert (world.rate.value, world.rtt) == (50e6, 0.04)
    starts = [flow.start for flow in world.flows]
    assert len(set(starts)) == FLOWS
    assert max(starts) < 3
    other = bottleneck(("cubic", 7), ("bbr3", 3), buffer=3, duration="600 s", replicate=1)
    assert starts != [flow.start for flow in other.flows]


@pytest.mark.parametrize("count", [*(1 + rivals for rivals in RIVALS), FLOWS])
def test_no_two_flows_start_together(count):
    for replicate in range(1, 6):
        world = bottleneck(
            ("cubic", count - 1), ("bbr3", 1), buffer=1, duration="300 s", replicate=replicate
        )
        assert len({flow.start for flow in world.flows}) == count


def test_both_kinds_together_use_the_bottleneck():
    world = bottleneck(("cubic", 1), ("reno", 3), buffer=1, duration="20 s", replicate=1)
    measured = measure_bottleneck(simulate(world, seed=1))
    used = measured["goodput"]["cubic"] + 3 * measured["goodput"]["reno"]
    # What is acknowledged in the window may have been served just before it.
    assert 0.85 < used / measured["capacity"] < 1.001
    assert 0 <= measured["loss"] < 0.05
    assert 0 < measured["queueing"] < 0.045


@pytest.mark.parametrize("replicates", [1, 5])
def test_every_run_has_its_own_name(replicates):
    extent = {"duration": "120 s", "buffers": [1, MIDDLE, DEEP], "replicates": replicates}
    options = Options(chosen=("cubic", "bbr3"), values={"bottleneck": extent})
    items = bottleneck_items(options)
    assert len({item.name for item in items}) == len(items)
    # Publications speak of BBR version 1, so it is there, too.
    assert {item.name.split(" ")[0] for item in items} == {"bbr1", "bbr3"}
    assert len(items) == 2 * replicates * (3 * (FLOWS + 1) + len(RIVALS))
    asked = Options(algorithms=("cubic", "bbr3"), chosen=options.chosen, values=options.values)
    assert len(bottleneck_items(asked)) == len(items) / 2


def test_an_own_algorithm_is_found_by_its_short_name():
    own, extent = "mine=python:m.Mine", {"duration": "9 s", "buffers": [1], "replicates": 1}
    options = Options(
        algorithms=("cubic", own), chosen=("cubic", own), values={"bottleneck": extent}
    )
    outcome = {"goodput": {"cubic": 1.0, "mine": 2.0}, "capacity": 10.0, "loss": 0, "queueing": 0.0}
    results = {run.name: outcome for run in (*games(options), *meetings(options))}
    assert play(results, options)["newcomer_goodput"].to_list() == [2.0] * (FLOWS + 1)
    assert set(face(results, options)["newcomer"]) == {"mine"}


def game(newcomer, *, incumbents, newcomers, losses=(0.05, 0.001, 0.001)):
    """A game in which every buffer has the same goodputs, by number of flows that switched."""
    rows = [
        (newcomer, buffer, count, 1, old, new, loss, 0.01)
        for buffer, loss in zip((1, MIDDLE, DEEP), losses, strict=True)
        for count, (old, new) in enumerate(zip(incumbents, newcomers, strict=True))
    ]
    return pl.DataFrame(rows, schema=GAME_SCHEMA, orient="row")


FALLING = [1.5 - 0.1 * k for k in range(FLOWS + 1)]
RISING = [0.5 + 0.1 * k for k in range(FLOWS + 1)]


def rivals(shares):
    rows = [("bbr1", count, 1, share) for count, share in zip(RIVALS, shares, strict=True)]
    return pl.DataFrame(rows, schema=["newcomer", "rivals", "replicate", "share"], orient="row")


def test_a_flow_that_switches_moves_from_one_curve_to_the_other():
    switches = game_steps(game("bbr1", incumbents=RISING, newcomers=FALLING), "bbr1", MIDDLE)
    assert len(switches) == FLOWS
    assert switches[0].gain == pytest.approx(FALLING[1] - RISING[0])
    assert (switches[3].before, switches[3].after) == (0.3, 0.4)


def test_the_figures_of_the_claims():
    played = pl.concat(
        [
            game("bbr1", incumbents=RISING, newcomers=FALLING),
            game("bbr3", incumbents=RISING, newcomers=FALLING, losses=(0.01, 0.0, 0.0)),
        ]
    )
    figures = claimed(played, rivals((0.4, 0.5, 0.4, 0.45)))
    assert figures["bbr1.advantage.1"] == pytest.approx(FALLING[1] - RISING[1])
    # Gains are 0.9 - 0.2 k: zero between the middles of the fourth and fifth steps.
    assert figures[f"bbr1.equilibrium.{MIDDLE}"] == pytest.approx(0.5)
    assert figures["bbr1.equilibrium.spread"] == 0.0
    assert figures["bbr1.worst_gain"] == pytest.approx(-0.9)
    assert figures["bbr1.one.spread"] == pytest.approx(1.25)
    assert (figures["bbr1.loss.1"], figures["bbr3.loss.1"]) == (0.05, 0.01)
    assert figures["bbr1.shallow_loss"] == pytest.approx(0.049)
    assert figures["bbr3.repaired_loss"] == pytest.approx(0.04)
