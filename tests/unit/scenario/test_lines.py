"""Lines of keys in TOML files."""

import tomllib

import pytest

from mesonet.errors import PlanError, ScenarioError
from mesonet.plan import load_plan
from mesonet.scenario import load_scenario
from mesonet.scenario.toml import lines_of

TEXT = '''# rate = 1
rate = "20 Mbit/s"  # [not] a = table
"rtt" = "a # b"
rate_changes = [
    ["1 s", "2 Mbit/s"], ["2 s", "1 Mbit/s"],

    # one more
    ["3 s",
     "1 Mbit/s"],
]
text = """
x = 1
"""
path = { model = { kind = "leo", delay = [1,
  2] }, period = 3 }

[transport]  # [x]
ack.every = 2

[[flows]]
algorithm = "cubic"
application = { kind = "rpc" }

[[flows]]
algorithm = "reno"
[flows.application]
kind = "web"
[[flows.parts]]
a = 1
[[flows.parts]]
a = 2
'''


def test_every_key_and_element_has_its_line():
    tomllib.loads(TEXT)
    by_line = {}
    for place, line in lines_of(TEXT).items():
        by_line.setdefault(line, []).append(place)
    assert {line: " ".join(places) for line, places in by_line.items()} == {
        2: "rate",
        3: "rtt",
        4: "rate_changes",
        5: "rate_changes[0] rate_changes[0][0] rate_changes[0][1] "
        "rate_changes[1] rate_changes[1][0] rate_changes[1][1]",
        8: "rate_changes[2] rate_changes[2][0]",
        9: "rate_changes[2][1]",
        11: "text",
        14: "path path.model path.model.kind path.model.delay path.model.delay[0]",
        15: "path.model.delay[1] path.period",
        17: "transport",
        18: "transport.ack.every",
        20: "flows[0]",
        21: "flows[0].algorithm",
        22: "flows[0].application flows[0].application.kind",
        24: "flows[1]",
        25: "flows[1].algorithm",
        26: "flows[1].application",
        27: "flows[1].application.kind",
        28: "flows[1].parts[0]",
        29: "flows[1].parts[0].a",
        30: "flows[1].parts[1]",
        31: "flows[1].parts[1].a",
    }


def write(folder, text):
    (folder / "x.toml").write_text(text, "utf-8")
    return folder / "x.toml"


@pytest.mark.parametrize(
    ("lines", "loc", "line"),
    [
        ('rate_changes = [\n["5 s", "1 Mbit/s"],\n["4 s", "2 Mbit/s"]]', "rate_changes[1].at", 6),
        ('path = { on_changes = [\n["5 s", false]] }', "path.on_changes", 4),
        ('flows = [{ algorithm = "cubic", application = { kind = "call" } }]', "flows", 4),
    ],
)
def test_a_bad_schedule_names_file_and_line(lines, loc, line, tmp_path):
    flows = "" if "flows" in lines else 'flows = ["cubic"]\n'
    head = 'kind = "dumbbell"\nrate = "20 Mbit/s"\nrtt = "50 ms"\n'
    path = write(tmp_path, f"{head}{lines}\n{flows}")
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    assert [it.loc.startswith(loc) for it in caught.value.problems] == [True]
    assert f"{path}, line {line}" in str(caught.value)


def test_an_unreachable_host_names_file_and_line(tmp_path):
    link = '[[links]]\nrate = "1 Mbit/s"\ndelay = "1 ms"\nends = '
    flow = '[[flows]]\nalgorithm = "cubic"\nsource = "a"\nreceiver = "d"\n'
    path = write(tmp_path, f'kind = "custom"\n{link}["a", "b"]\n{link}["c", "d"]\n{flow}')
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    assert [it.kind for it in caught.value.problems] == ["unreachable"]
    assert f"{path}, line 13" in str(caught.value)


def test_a_plan_names_file_and_line(tmp_path):
    scenario = '[scenario]\nkind = "dumbbell"\nrtt = "1 ms"\nflows = ["cubic"]\nrate = "fast"\n'
    path = write(tmp_path, f'name = "x"\nresponses = ["utilization"]\n{scenario}')
    with pytest.raises(PlanError) as caught:
        load_plan(path)
    assert f"{path}, line 7" in str(caught.value)


@pytest.mark.parametrize(
    ("trace", "kind"),
    [
        (None, "missing_file"),
        ("", "bad_file"),
        ("0.5 100\n0.25 100\n", "bad_line"),
        (b"\xff\x00\x01", "bad_file"),
    ],
)
def test_a_trace_that_cannot_be_read_hides_nothing(trace, kind, tmp_path):
    if trace is not None:
        (tmp_path / "x.trace").write_bytes(trace if isinstance(trace, bytes) else trace.encode())
    path = write(
        tmp_path,
        'kind = "dumbbell"\nrtt = "50 ms"\nbuffer = "much"\nrate_trace = { file = "x.trace" }\n'
        '[[flows]]\nalgorithm = "reno"\n'
        '[[flows]]\nalgorithm = "reno"\napplication = { kind = "trace", file = "x.trace" }\n',
    )
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    assert [(it.loc, it.kind, line_of(it, path)) for it in caught.value.problems] == [
        ("rate_trace.file", kind, 4),
        ("flows[1].application.file", kind, 9),
        ("buffer", "value_error", 3),
    ]


def test_what_is_found_on_resolving_has_the_line_of_its_cause(tmp_path):
    lab = 'kind = "dumbbell"\nrtt = "1 ms"\nrate = "9 Mbit/s"\nflows = ["cubic",\n"reno"]\n'
    head = f'name = "x"\nresponses = ["flow_goodput"]\n[scenario]\n{lab}'
    factor = '[factors.who]\npath = "flows[1].algorithm"\nlevels = ["reno", "rino"]\n'
    for change, line in (
        (head.replace("reno", "rino"), 8),
        (f'{head}[[alternatives]]\nlabel = "a"\nset = {{ "flows[0].algorithm" = "rino" }}\n', 9),
        (head + factor, 9),
    ):
        path = write(tmp_path, change)
        with pytest.raises(PlanError) as caught:
            load_plan(path).runs()
        assert [line_of(it, path) for it in caught.value.problems] == [line]


def test_a_problem_of_a_file_that_a_plan_names_has_the_place_in_that_file_alone(tmp_path):
    scenario = tmp_path / "world.toml"
    scenario.write_text('kind = "dumbbell"\nrtt = "1"\nrate = "9 Mbit/s"\nflows = ["reno"]\n')
    path = write(tmp_path, 'name = "x"\nscenario = "world.toml"\n')
    with pytest.raises(PlanError) as caught:
        load_plan(path)
    (problem,) = caught.value.problems
    assert line_of(problem, scenario) == 2
    assert str(path) not in problem.message


def line_of(problem, path):
    """The line of a file that a problem names last."""
    return int(problem.message.rpartition(f"({path}, line ")[2].rstrip(")"))
