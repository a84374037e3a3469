"""The criteria that come with mesonet, and what is refused in such files."""

import pytest
from refusals import refused

from mesonet.campaign import run_campaign
from mesonet.errors import InputError
from mesonet.evaluation import counter
from mesonet.evaluation.cells import excesses, experiment_result
from mesonet.evaluation.criteria import chosen, criteria, read_criterion
from mesonet.evaluation.inputs import described
from mesonet.evaluation.plans import designed
from mesonet.responses import lookup

ALL = criteria()
EXPERIMENTS = [(each, it) for each in ALL for it in each.experiments]


def test_every_section_of_the_rfc_has_a_file():
    fives = [f"5.1.{n}" for n in range(1, 6)] + ["5.2", "5.2.1", "5.2.2", "5.2.3", "5.3.1", "5.3.2"]
    six_and_seven = [f"6.{n}" for n in range(1, 5)] + [f"7.{n}" for n in range(1, 12)]
    assert [each.section for each in ALL] == [*fives, *six_and_seven]


def test_what_covers_a_section_has_experiments():
    sections = {each.section: each for each in ALL}
    for each in ALL:
        assert all(sections[name].experiments for name in each.covered_by)
        assert each.why or each.covered_by or each.experiments


def test_measures_fit_the_arms_and_their_words():
    fits = {"mix": {"harm", "change", "points"}, "alone": {"change", "points", "line"}}
    assert all(bool(each.experiments) == (each.status == "designed") for each in ALL)
    for _, experiment in EXPERIMENTS:
        assert {it.statistic for it in experiment.measures} <= fits.get(experiment.arms, set())
        for measure in experiment.measures:
            lookup(measure.response.replace("{victim}", "reno"))
            for place, said in (("_p50", "median"), ("_p95", "95th"), ("_p99", "99th")):
                assert place not in measure.response or said in measure.words


@pytest.mark.parametrize(
    ("criterion", "experiment"),
    [pytest.param(*it, id=f"{it[0].section}{it[1].id}") for it in EXPERIMENTS],
)
def test_every_experiment_can_be_simulated(criterion, experiment):
    asked = {"candidate": described("cubic", {"beta": 0.8}), "baselines": ["reno"], "seed": 1}
    for size in ("pocket", "desk", "full"):
        design = designed(criterion, experiment, size=size, **asked)
    pocket = designed(criterion, experiment, size="pocket", **asked)
    runs = pocket.plan.with_replicates(1).runs()
    assert len(runs) == pocket.plan.conditions * len(pocket.plan.alternatives)
    assert design.plan.replicates >= pocket.plan.replicates


def test_what_a_fraction_confounds_is_called_as_its_factors_are(tmp_path):
    (calls,) = (it for it in EXPERIMENTS if (it[0].section, it[1].id) == ("5.2.2", "a"))
    asked = {"candidate": described("cubic"), "baselines": ["reno"], "size": "pocket", "seed": 1}
    design = designed(*calls, **asked)
    campaign = run_campaign(design.plan.with_replicates(1), out=tmp_path, conditions=[1])
    aliases = experiment_result(design, campaign, [], []).aliases
    assert "rate = buffer × long flows" in aliases


def test_sections_stand_for_those_below():
    assert chosen(["5.1"]) == tuple(name for name in chosen(None) if name.startswith("5.1."))
    assert chosen(["5.2.1", "5.1.2"]) == ("5.1.2", "5.2.1")


@pytest.mark.parametrize(
    ("section", "kind"), [("5.1.9", "unknown_criterion"), ("7.10", "no_experiment")]
)
def test_sections_without_experiments_are_refused(section, kind):
    with refused(InputError, ("criteria", kind)):
        chosen([section])


def test_all_that_is_wrong_with_a_file_is_told(tmp_path):
    file = tmp_path / "9.toml"
    file.write_text(
        'section = "9"\ntitle = "T"\nstrength = "MUST"\nasks = "A."\ncolour = 1\nstatus = "done"\n'
    )
    with pytest.raises(InputError) as caught:
        read_criterion(file)
    refusals = {(it.loc, it.kind) for it in caught.value.problems}
    assert refusals == {("9.toml.colour", "unknown_key"), ("9.toml.status", "literal_error")}


def test_where_flows_have_queues_of_their_own_the_delay_is_that_of_the_victims():
    (managed,) = (it for it in criteria() if it.section == "7.1")
    responses = {it.id: [own.response for own in it.measures] for it in managed.experiments}
    assert "sojourn_p95" in responses[""]
    assert all(it.endswith(":victim") for it in responses["b"])


COUNTER = """\
kind = "dumbbell"
rate = "4 Mbit/s"
rtt = "30 ms"
duration = "6 s"
flows = [{ algorithm = "bbr1" }, { algorithm = "reno" }]
"""


@pytest.mark.parametrize(
    ("application", "words"),
    [
        ('{ kind = "call", rate = "1 Mbit/s", over = "udp" }', "late and lost frames of a call"),
        ('"video"', "time in which a film stands still"),
    ],
)
def test_victims_are_judged_by_what_they_do(tmp_path, application, words):
    asked = {"candidate": described("bbr1"), "baselines": ["reno"], "size": "pocket", "seed": 1}
    text = COUNTER.replace('"reno"', f'"reno", application = {application}')
    (tmp_path / "own.toml").write_text(text)
    counter.add([tmp_path / "own.toml"], tmp_path, **asked)
    (design,) = counter.counters(tmp_path, **asked)
    assert words in [it.words for it in design.experiment.measures]
    # Where the candidate has one, too, its own would count.
    both = text.replace('"bbr1"', f'"bbr1", application = {application}')
    (tmp_path / "both.toml").write_text(both)
    counter.add([tmp_path / "both.toml"], tmp_path, **asked)
    design, _ = counter.counters(tmp_path, **asked)
    assert "goodput" in [it.words for it in design.experiment.measures]


REQUESTS = 'application = { kind = "rpc", size = "20 kB", every = "100 ms" }'


@pytest.mark.parametrize(
    ("own", "victims"),
    [("count = 2", REQUESTS), (REQUESTS, REQUESTS), ("count = 2", 'size = "100 kB", count = 3')],
)
def test_requests_and_files_are_judged_by_their_times(tmp_path, own, victims):
    """Those of the victims alone, whatever the candidate sends; each request has a connection."""
    flows = f'[{{ algorithm = "bbr1", {own} }}, {{ algorithm = "reno", {victims} }}]\n'
    (tmp_path / "short.toml").write_text(COUNTER.partition("[")[0] + flows)
    asked = {"candidate": described("bbr1"), "baselines": ["reno"], "size": "pocket", "seed": 1}
    counter.add([tmp_path / "short.toml"], tmp_path, **asked)
    (design,) = counter.counters(tmp_path, **asked)
    campaign = run_campaign(design.plan.with_replicates(2), out=tmp_path / "runs", workers=1)
    cells = excesses(design, campaign)
    assert [it.response for it in cells] == ["file_time_p50:@victim", "file_time_p95:@victim"]
    assert [len(it.excess) for it in cells] == [2, 2]
